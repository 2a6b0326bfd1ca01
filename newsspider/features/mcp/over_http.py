"""The tools over HTTP ("streamable HTTP"), in the console. Each request stands alone: no session is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from newsspider.features.console.access import admit

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import Receive, Scope, Send


class OverHttp:
    """Answers requests of the protocol; 401 to those that name no account where there are accounts, 501 without the
    package ``mcp``."""

    def __init__(self, console: FastAPI) -> None:
        self._console = console

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await to_thread.run_sync(admit, Request(scope))
        except HTTPException as refusal:
            answer = JSONResponse({"detail": refusal.detail}, refusal.status_code, refusal.headers)
            await answer(scope, receive, send)
            return
        try:
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
            from mcp.server.transport_security import TransportSecuritySettings

            from newsspider.features.mcp.tools import server_of
        except ModuleNotFoundError:
            answer = JSONResponse({"detail": "mcp is not installed: pip install 'newsspider[mcp]'"}, 501)
            await answer(scope, receive, send)
            return
        manager = StreamableHTTPSessionManager(
            server_of(self._console), json_response=True, stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the console's guard
        )  # fmt: skip
        async with manager.run():
            await manager.handle_request(scope, receive, send)
