"""What every request and every answer of the console must satisfy."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from newsspider.features.console.access import API, LONGEST_FORM, is_foreign, is_program
from newsspider.features.console.view import refusal_of

STREAMS = f"{API}v1/stream/"
HEALTH = "/health"  # whose answer needs nothing that a console at rest has given back
STALLED_SECONDS = 60.0  # after which a reader of a stream that takes nothing loses its place

# No page loads, runs or sends anything that is not of this server; none may be framed by another page.
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # not "no-referrer", with which a browser sends a form without its origin
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# Of a frame with a page as it was fetched. The browser takes it for a page of no site: it runs nothing, sends nothing,
# loads nothing, and only ours may frame it.
SNAPSHOT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)


class Guard:
    """Refuses a ``Host`` that the console does not answer to: a name that an attacker points at this machine reads
    nothing. Refuses changes that pages of other sites ask for. Sets :data:`HEADERS`."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        if (path := scope["path"].removeprefix(scope.get("root_path", ""))) != HEALTH:
            scope["app"].state.is_asked = True
        seconds = STALLED_SECONDS if path.startswith(STREAMS) else None
        stalled = False

        async def guarded(message: Message) -> None:
            nonlocal stalled
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            try:
                await (send(message) if seconds is None else asyncio.wait_for(send(message), seconds))
            except TimeoutError:
                stalled = True
                raise

        try:
            await (self._refusal(scope) or self.app)(scope, receive, guarded)
        except Exception:
            if not stalled:
                raise

    def _refusal(self, scope: Scope) -> Response | None:
        headers, method = Headers(scope=scope), scope["method"]
        if host_of(headers.get("host", "")) not in self.hosts:
            return _WRONG_HOST
        request = Request(scope)
        if is_foreign(method, headers):
            return refusal_of(request, 403, "another site asks for this; only pages of this server may")
        if method == "POST" and is_program(request) and headers.get("content-type", "").split(";")[0] != JSON:
            # no form of another page can send it, and no script of one without asking first
            return refusal_of(request, 415, f"send {JSON}")
        if method == "POST" and is_program(request) and not _is_short(headers.get("content-length", "")):
            # FastAPI reads the whole of it into memory
            return refusal_of(request, 413, f"say how long it is; at most {LONGEST_FORM} bytes are read")
        return None


def host_of(header: str) -> str:
    """The host of a ``Host`` header without its port.

    >>> host_of("LOCALHOST:8800"), host_of("[::1]:8800"), host_of("[::1]")
    ('localhost', '::1', '::1')
    """
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if ":" in header else header.lower()


def _is_short(length: str) -> bool:
    return length.isascii() and length.isdecimal() and len(length) < 10 and int(length) <= LONGEST_FORM


JSON = "application/json"
_WRONG_HOST = PlainTextResponse("This server does not answer to that host name.\n", status_code=421)
