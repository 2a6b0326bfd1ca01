"""The tools over HTTP ("streamable HTTP"), in the console. Each request stands alone: no session is kept, no stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from newsspider.features.console.access import bearer_of, require_login
from newsspider.features.console.accounts import Role
from newsspider.features.console.rate_limits import limit_costly

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import Message, Receive, Scope, Send

MAY_CHANGE = ("edit", "admin")  # scopes of tokens; a browser that has logged in has none, and no tools that change


class OverHttp:
    """Answers requests of the protocol; 401 to those that name no account where there are accounts, 429 to those that
    ask too much, 501 without the package ``mcp``. Tools that change something are there for tokens that may edit."""

    def __init__(self, console: FastAPI) -> None:
        self._console = console
        self._servers: dict[bool, Any] = {}  # by whether they may change something

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            await to_thread.run_sync(require_login, request)
            limit_costly(request)
        except HTTPException as refusal:
            await JSONResponse({"detail": refusal.detail}, refusal.status_code, refusal.headers)(scope, receive, send)
            return
        try:
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
            from mcp.server.transport_security import TransportSecuritySettings

            from newsspider.features.mcp.tools import server_of
        except ModuleNotFoundError:
            detail = "mcp is not installed: pip install 'newsspider[mcp]'"
            await JSONResponse({"detail": detail}, 501)(scope, receive, send)
            return
        bearer = bearer_of(request)
        may_write = bearer is not None and bearer.scope in MAY_CHANGE and bearer.role is not Role.READER
        if may_write not in self._servers:
            self._servers[may_write] = server_of(self._console, may_write=may_write)
        manager = StreamableHTTPSessionManager(
            self._servers[may_write],
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the console's guard
        )
        try:
            body = iter([{"type": "http.request", "body": await request.body()}])
        except ClientDisconnect:  # the package would log it as an error
            return

        async def received() -> Message:
            return next(body, None) or await receive()

        async with manager.run():
            await manager.handle_request(scope, received, send)


async def no_oauth(request: Request) -> JSONResponse:
    """Status 404 for clients that look for a way to log in once their token was refused: the page to log in, which a
    stranger is led to, would be read as JSON."""
    error = {"error": "invalid_request", "error_description": "there is no OAuth: send an API token of the console"}
    return JSONResponse(error, 404)
