"""Serves the portal over HTTP on the loopback addresses, with the bad behaviour that some pages have."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import socket
import struct
import time
from collections import Counter
from typing import Any

from demo import control
from demo.chrome import SESSION
from demo.makes import MAKES
from demo.portal import Fate, Portal
from demo.routes import Page, Routes

SLOW_SECONDS, TOO_SLOW_SECONDS = 2.5, 8.0
FAST_SLOW_SECONDS = 0.2
RETRY_AFTER_SECONDS, FAST_RETRY_AFTER_SECONDS = 2, 1
LONGEST_REQUEST = 64 * 1024
REASONS = {
    200: "OK",
    301: "Moved Permanently",
    302: "Found",
    304: "Not Modified",
    400: "Bad Request",
    404: "Not Found",
    410: "Gone",
    429: "Too Many Requests",
    500: "Internal Server Error",
}
ADDRESSES = tuple(sorted({"127.0.0.1" if make.host == "localhost" else make.host for make in MAKES}))
WITH_ETAG = frozenset(("html5", "div", "blog"))
_SESSION = SESSION.encode()


class Server:
    """The portal at work: its pages rendered once, what was asked for, and how often a page has failed."""

    def __init__(self, portal: Portal, routes: Routes, latency: float = 0.0, fast: bool = False) -> None:
        self.portal, self.routes, self.latency, self.fast = portal, routes, latency, fast
        self.hits: list[tuple[float, str, str, int, str]] = []
        self.failed: Counter[Page] = Counter()
        self._cache: dict[tuple[Page, bool], tuple[int, int, bytes, bytes, str]] = {}
        self._sessions = 0

    def answer(self, page: Page | None, compressed: bool, if_none_match: str) -> tuple[int, bytes, bytes]:
        """Status, head and body of what a page says now, its fate aside."""
        if page is None:
            return 404, *_message(404)
        if page.moved_to:
            status = 301 if page.post and page.post.fate is Fate.MOVED else 302
            target = page.outlet.base + page.moved_to if status == 301 else page.moved_to
            return status, *_message(status, f"Location: {target}\r\n")
        status, head, body, etag = self._rendered(page, compressed and page.outlet.make.compressed)
        if etag and if_none_match == etag:
            return 304, f"HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n".encode(), b""
        if page.outlet.make.sessions and _SESSION in body:
            self._sessions += 1
            body = body.replace(_SESSION, hashlib.md5(b"%d" % self._sessions).hexdigest()[:26].encode())
        return status, head, body

    def _rendered(self, page: Page, compressed: bool) -> tuple[int, bytes, bytes, str]:
        edition = self.portal.edition if page.changing else 0
        cached = self._cache.get((page, compressed))
        if cached is None or cached[0] != edition:
            cached = self._cache[(page, compressed)] = (edition, *_render(page, compressed))
        return cached[1:]


class Connection(asyncio.Protocol):
    """One client's connection; one request after the other."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.buffer = b""
        self.busy = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Collects what arrives and answers each whole request."""
        self.buffer += data
        if len(self.buffer) > LONGEST_REQUEST:
            self._send(400, *_message(400), close=True)
        else:
            self._next()

    def _next(self) -> None:
        while not self.busy and (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            lines = self.buffer[:end].decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            announced = headers.get("content-length", "")
            length = int(announced) if announced.isdecimal() else 0
            if len(self.buffer) < end + 4 + length:
                return
            body = self.buffer[end + 4 : end + 4 + length]
            self.buffer = self.buffer[end + 4 + length :]
            parts = lines[0].split(" ")
            if len(parts) != 3:
                self._send(400, *_message(400), close=True)
                return
            self._request(parts[0], parts[1], headers, body)

    def _request(self, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        close = headers.get("connection", "").lower() == "close"
        if target.startswith("/__"):
            status, answer = control.answer(self.server, method, target, body)
            self._send(status, *_json(status, answer), close=close)
            return
        host = headers.get("host", "")
        page = self.server.routes.find(host.partition(":")[0].lower(), target)
        gzipped = "gzip" in headers.get("accept-encoding", "")
        status, head, content = self.server.answer(page, gzipped, headers.get("if-none-match", ""))
        fate = page.fate if page and status == 200 else Fate.FINE
        if page and fate in (Fate.ERROR_ONCE, Fate.LIMITED_ONCE, Fate.ERROR_ALWAYS):
            status, head, content = self._failure(page, fate, status, head, content)
        if fate is Fate.RESET:
            status = 0
        hit = (time.time(), host, target, status, headers.get("user-agent", ""))
        self.server.hits.append(hit)
        if method == "HEAD":
            head, content = head + f"Content-Length: {len(content)}\r\n".encode(), b""
        wait = self._wait(fate)
        if fate is Fate.RESET:
            self._reset()
        elif fate is Fate.TRUNCATED:
            self._send(status, head, content, close=True, part=0.6)
        elif wait:
            self.busy = True
            asyncio.get_running_loop().call_later(wait, self._late, status, head, content, close)
        else:
            self._send(status, head, content, close=close)

    def _failure(self, page: Page, fate: Fate, status: int, head: bytes, content: bytes) -> tuple[int, bytes, bytes]:
        self.server.failed[page] += 1
        if fate is not Fate.ERROR_ALWAYS and self.server.failed[page] > 1:
            return status, head, content
        if fate is Fate.LIMITED_ONCE:
            seconds = FAST_RETRY_AFTER_SECONDS if self.server.fast else RETRY_AFTER_SECONDS
            return 429, *_message(429, f"Retry-After: {seconds}\r\n")
        return 500, *_message(500)

    def _wait(self, fate: Fate) -> float:
        if fate is Fate.SLOW:
            return FAST_SLOW_SECONDS if self.server.fast else SLOW_SECONDS
        return TOO_SLOW_SECONDS if fate is Fate.TOO_SLOW else self.server.latency

    def _late(self, status: int, head: bytes, content: bytes, close: bool) -> None:
        self.busy = False
        if not self.transport.is_closing():
            self._send(status, head, content, close)
            self._next()

    def _send(self, status: int, head: bytes, content: bytes, close: bool, part: float = 1.0) -> None:
        if b"Content-Length" not in head and status != 304:
            head += b"Content-Length: %d\r\n" % len(content)
        ending = b"Connection: close\r\n\r\n" if close else b"\r\n"
        self.transport.write(head + ending + (content if part == 1.0 else content[: int(len(content) * part)]))
        if close:
            self.transport.close()

    def _reset(self) -> None:
        raw = self.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


def bound(port: int) -> list[socket.socket]:
    """A listening socket on each address of the portal, all on one port; :exc:`OSError` if it is taken."""
    sockets: list[socket.socket] = []
    try:
        for address in ADDRESSES:
            listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            sockets.append(listening)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((address, port))
            listening.listen(256)
            port = listening.getsockname()[1]
    except OSError:
        for opened in sockets:
            opened.close()
        raise
    return sockets


async def serve(server: Server, sockets: list[socket.socket], stop: asyncio.Event) -> None:
    """Answers until ``stop`` is set."""
    loop = asyncio.get_running_loop()
    for listening in sockets:
        await loop.create_server(lambda: Connection(server), sock=listening, backlog=256)
    await stop.wait()


def _render(page: Page, compressed: bool) -> tuple[int, bytes, bytes, str]:
    body = page.render()
    if body is None:
        status = 410 if page.fate in (Fate.GONE, Fate.VANISHING) else 404
        return status, *_message(status), ""
    head = f"HTTP/1.1 200 OK\r\nServer: sample\r\nContent-Type: {page.content_type}\r\n"
    etag = ""
    if page.outlet.make.template in WITH_ETAG:
        etag = f'"{hashlib.md5(body).hexdigest()[:16]}"'
        head += f"ETag: {etag}\r\n"
    if compressed:
        body = gzip.compress(body, 6, mtime=0)
        head += "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n"
    return 200, head.encode(), body, etag


def _message(status: int, headers: str = "") -> tuple[bytes, bytes]:
    text = f"<html><head><title>{status} {REASONS[status]}</title></head><body><h1>{REASONS[status]}</h1></body></html>"
    return f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: text/html\r\n{headers}".encode(), text.encode()


def _json(status: int, value: Any) -> tuple[bytes, bytes]:
    head = f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: application/json\r\n"
    return head.encode(), json.dumps(value, ensure_ascii=False).encode()
