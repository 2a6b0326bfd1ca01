"""The protocol of one connection: limits heads and everything else that is not a body, and repairs heads that violate
HTTP as browsers do."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Any, NamedTuple

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.helpers import set_exception
from aiohttp.http_exceptions import HttpProcessingError

# of all headers; some hosts send cookies and policies beyond the usual limit of 8 KiB
MOST_HEAD_BYTES = 64 * 1024
MOST_HEADERS = 256
MOST_DIGITS = 18  # of a length; parsers use 64 bits

_STATUS_LINE = re.compile(rb"HTTP/(\d)(?:\.(\d))?[ \t]+(\d{3})(?!\d)[ \t]*(.*)", re.DOTALL | re.IGNORECASE)
_LINE_END = re.compile(rb"\r?\n")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_HTTP = b"HTTP/"
_MOST_OVERHEAD = 16  # bytes that are no body for each one that is; 5 where every chunk holds one


class ResponseHead(NamedTuple):
    """The head of a response; ``length`` is the Content-Length in bytes, if that determines the end of the body."""

    status: int
    text: bytes  # with the empty line at its end
    length: int | None


def read_head(head: bytes) -> ResponseHead:
    """Parse the head of a response, dropping lines that are no headers; :exc:`ValueError` says why it is invalid.

    Values are kept byte for byte, but NUL and bare CR become spaces. Folded lines are joined. Equal lengths count
    once; chunked coding overrides a length (RFC 9112, section 6.3); the coding ``identity`` is ignored.

    >>> read_head(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\nwhat is this\\r\\nContent-Length: 4\\r\\n\\r\\n")
    ResponseHead(status=200, text=b'HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\n', length=4)
    """
    first, *lines = _LINE_END.split(head.strip(b"\r\n"))
    status_line = _STATUS_LINE.fullmatch(first)
    if status_line is None:
        raise ValueError(f"no status line: {first[:60].decode('latin-1')!r}")
    if len(lines) > MOST_HEADERS:
        raise ValueError(f"{len(lines)} header lines, more than {MOST_HEADERS}")
    major, minor, status, reason = status_line.groups()
    version = b"1.0" if (major, minor or b"1") <= (b"1", b"0") else b"1.1"
    headers, length = _framed(_fields(lines))
    text = b"HTTP/%s %s %s\r\n" % (version, status, reason.replace(b"\r", b" "))
    return ResponseHead(int(status), text + b"".join(b"%s: %s\r\n" % header for header in headers) + b"\r\n", length)


def _fields(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    """The names and values of the header lines."""
    fields: list[tuple[bytes, bytes]] = []
    for raw in lines:
        line = raw.replace(b"\0", b" ").replace(b"\r", b" ")
        if line[:1] in b" \t":
            if fields:
                fields[-1] = fields[-1][0], (fields[-1][1] + b" " + line.strip()).strip()
            continue
        name, colon, value = line.partition(b":")
        if colon and _NAME.fullmatch(name := name.rstrip()):
            fields.append((name, value.strip(b" \t")))
    return fields


def _framed(fields: list[tuple[bytes, bytes]]) -> tuple[list[tuple[bytes, bytes]], int | None]:
    """The headers with at most one framing header, and the length if that frames the body."""
    lengths = {
        value.strip() for name, values in fields if name.lower() == b"content-length" for value in values.split(b",")
    } - {b""}
    listed = b",".join(value for name, value in fields if name.lower() == b"transfer-encoding").lower()
    codings = [
        coding for coding_name in listed.split(b",") if (coding := coding_name.strip()) not in (b"", b"identity")
    ]
    others = [(name, value) for name, value in fields if name.lower() not in (b"content-length", b"transfer-encoding")]
    if codings:
        return [*others, (b"Transfer-Encoding", b", ".join(dict.fromkeys(codings)))], None
    if not lengths:
        return others, None
    if len(lengths) > 1:
        raise ValueError(f"{len(lengths)} lengths that differ")
    [length] = lengths
    if not length.isdigit():
        raise ValueError(f"no length: {length[:60].decode('latin-1')!r}")
    length = length.lstrip(b"0") or b"0"
    length = length if len(length) <= MOST_DIGITS else b"9" * MOST_DIGITS
    return [*others, (b"Content-Length", length)], int(length)


class EndlessAnswerError(aiohttp.ClientError):
    """The server keeps sending bytes that do not belong to a body."""


class GuardedConnector(aiohttp.TCPConnector):
    """Connections, those through proxies included, that speak :class:`GuardedProtocol`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = partial(GuardedProtocol, loop=self._loop)  # type: ignore[assignment]  # it is one


class GuardedProtocol(ResponseHandler):
    """Hands a head to aiohttp's parser when it is whole, rewritten where it breaks the rules, and the bytes of its body
    as they come.

    An answer fails that has more than ``MOST_HEAD_BYTES`` before its body, those of informational answers included, or
    as many bytes that are no body (chunk extensions, trailers) and ``_MOST_OVERHEAD`` times its body. What comes behind
    the end of a body is dropped, and its connection with it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._begin()

    def _begin(self) -> None:
        self._in_head = True
        self._held = b""  # memory: a head that is not whole: MOST_HEAD_BYTES bytes a connection
        self._head_bytes = 0
        self._received = 0  # bytes behind the head
        self._left: int | None = None  # of the body, where that is known

    def set_response_params(self, **options: Any) -> None:
        self._begin()
        limits = {"max_line_size": MOST_HEAD_BYTES, "max_field_size": MOST_HEAD_BYTES, "max_headers": MOST_HEADERS}
        super().set_response_params(**{**options, **limits})

    def data_received(self, data: bytes) -> None:
        if self._parser is None or self._upgraded:
            super().data_received(data)
        elif self._in_head:
            self._take_head(data)
        else:
            self._take_body(data)

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._in_head and self._held:
            self._refuse("the connection ended within the headers")
        super().connection_lost(exc)

    def _take_head(self, data: bytes) -> None:
        search_from = max(0, len(self._held) - 3)
        self._held += data
        while self._in_head:
            if self._held[:1] in (b"\r", b"\n"):  # blank lines count as bytes of the head: they cannot go on for ever
                head_bytes = len(self._held)
                self._held = self._held.lstrip(b"\r\n")
                self._head_bytes += head_bytes - len(self._held)
            end = _HEAD_END.search(self._held, search_from)
            size = end.end() if end else len(self._held)
            if self._head_bytes + size > MOST_HEAD_BYTES:
                return self._refuse(f"more than {MOST_HEAD_BYTES} bytes of headers")
            start = self._held[: len(_HTTP)].upper()
            if start != _HTTP[: len(start)]:
                return self._refuse(f"no status line: {self._held[:60].decode('latin-1')!r}")
            if end is None:
                return None
            text, self._held, search_from = self._held[:size], self._held[size:], 0
            self._head_bytes += size
            try:
                head = read_head(text)
            except ValueError as error:
                return self._refuse(str(error))
            if head.status == 101:
                return self._refuse("it changes to another protocol, which nobody asked for")
            if not 100 <= head.status < 200:  # behind an informational answer another head follows
                self._in_head, self._left = False, head.length
                rest, self._held = self._held, b""
                super().data_received(head.text)
                if rest and self.transport is not None:
                    self._take_body(rest)
        return None

    def _take_body(self, data: bytes) -> None:
        payload = self._payload
        if data and (payload is None or payload.is_eof()):
            self._drop_connection()
            return
        if self._left is not None:
            if len(data) > self._left:
                self.force_close()
            data = data[: self._left]
            self._left -= len(data)
        self._received += len(data)
        super().data_received(data)
        if payload is not None and (broken := self.exception()) is not None and not payload.is_eof():
            # aiohttp leaves it waiting
            set_exception(payload, aiohttp.ClientPayloadError(f"no body that can be read: {broken}"))
        if payload is None or payload.is_eof() or self._reading_paused:
            return
        if self._received - payload.total_bytes > MOST_HEAD_BYTES + _MOST_OVERHEAD * payload.total_bytes:
            set_exception(payload, EndlessAnswerError(f"more than {MOST_HEAD_BYTES} bytes that are no body"))
            self._drop_connection()

    def _refuse(self, why: str) -> None:
        self._held = b""
        self._drop_connection()
        self.set_exception(HttpProcessingError(code=400, message=why))

    def _drop_connection(self) -> None:
        self.force_close()
        if self.transport is not None:
            self.transport.close()
