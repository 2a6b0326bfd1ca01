"""Decompresses a response body by its ``Content-Encoding`` (RFC 9110, section 8.4), and detects decompression
bombs and truncated bodies."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import brotli  # type: ignore[import-untyped] # ships no types

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHUNK_BYTES = 64 * 1024  # bytes decompressed at a time, so that no body grows far beyond its limit
HEAD_BYTES = 512  # bytes that distinguish text from compressed data
MOST_CONTROL = 0.01  # share of control characters in a text
MOST_PADDING = 64  # bytes after a brotli stream
MOST_MEMBERS = 1000  # gzip members or zstd frames: each one copies the rest of the body
TOO_MANY = f"more than {MOST_MEMBERS} members"
WINDOW_LOG = 23  # 8 MiB: the largest window of a zstd frame on the web (RFC 9659)

_FRAME = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")  # zstd data frame or skippable frame
_CONTROL = bytes({*range(32)} - {9, 10, 12, 13})  # every ninth byte of compressed data, none of a page


class DamagedBodyError(ValueError):
    """The compressed body is truncated or corrupt after a valid beginning."""


class NotPackedError(ValueError):
    """The body is not in the declared encoding; browsers do not show it either."""


class TooLongError(ValueError):
    """The decompressed body exceeds the limit."""


def decode_content(body: bytes, codings: Iterable[str], limit: int, *, cut: bool = False) -> bytes:
    """Decode ``body`` by the codings in reverse order; raises :exc:`DamagedBodyError`, :exc:`NotPackedError` or
    :exc:`TooLongError`.

    With ``cut`` a body of more than ``limit`` bytes is truncated instead, and text that was never compressed is
    returned unchanged. So is a body of an unknown coding: the reader detects what it is.

    >>> decode_content(zlib.compress("教育".encode()), ["deflate"], 100).decode()
    '教育'
    >>> decode_content(b"User-agent: *", ["gzip"], 100, cut=True)
    b'User-agent: *'
    """
    for coding in reversed([name.strip().lower() for name in codings]):
        if coding not in CODINGS:
            return body
        body = _decoded(body, CODINGS[coding], limit, cut)
    return body


def _decoded(body: bytes, pieces: Callable[[bytes], Iterator[bytes]], limit: int, cut: bool) -> bytes:
    pieces_read: list[bytes] = []
    size = 0
    try:
        for piece in pieces(body):
            pieces_read.append(piece)
            size += len(piece)
            if size > limit and cut:
                return b"".join(pieces_read)[:limit]
            if size > limit:
                raise TooLongError(f"{len(body)} bytes unpack to more than {limit}")
    except (DamagedBodyError, zlib.error, brotli.error, zstd.ZstdError) as error:
        if cut and _is_text(body):
            return body
        if size or isinstance(error, DamagedBodyError):
            raise DamagedBodyError(str(error)) from error
        raise NotPackedError(str(error)) from error
    return b"".join(pieces_read)


def _is_text(body: bytes) -> bool:
    """Whether this was never compressed: no control characters in its head, and hardly any in the rest."""
    head = body[:HEAD_BYTES]
    controls = len(body) - len(body.translate(None, _CONTROL))
    return len(head.translate(None, _CONTROL)) == len(head) and controls <= len(body) * MOST_CONTROL


def _inflated(body: bytes, wbits: int) -> Iterator[bytes]:
    """The pieces of a zlib or gzip stream; what follows its end is another member, or padding."""
    for _ in range(MOST_MEMBERS):
        unpacker = zlib.decompressobj(wbits)
        while not unpacker.eof:
            piece = unpacker.decompress(body, CHUNK_BYTES)
            body = unpacker.unconsumed_tail
            if not piece and not unpacker.eof:
                raise DamagedBodyError("the packed data ends too early")
            yield piece
        body = unpacker.unused_data
        if wbits != _GZIP or not body.startswith(b"\x1f\x8b"):
            return
    raise DamagedBodyError(TOO_MANY)


def _deflated(body: bytes) -> Iterator[bytes]:
    """``deflate`` means the zlib format; some servers send the raw stream."""
    try:
        zlib.decompressobj().decompress(body[:2])
    except zlib.error:
        return _inflated(body, -zlib.MAX_WBITS)
    return _inflated(body, zlib.MAX_WBITS)


def _unbrotlied(body: bytes) -> Iterator[bytes]:
    """The pieces of a brotli stream; the library takes no byte after its end, so the last ones are fed singly."""
    unpacker = brotli.Decompressor()
    end = max(0, len(body) - MOST_PADDING)
    for part in (body[:end], *(body[at : at + 1] for at in range(end, len(body)))):
        piece = unpacker.process(part, output_buffer_limit=CHUNK_BYTES)
        while piece:
            yield piece
            piece = b"" if unpacker.is_finished() else unpacker.process(b"", output_buffer_limit=CHUNK_BYTES)
        if unpacker.is_finished():
            return
    raise DamagedBodyError("the packed data ends too early")


def _unzstded(body: bytes) -> Iterator[bytes]:
    """The pieces of zstd frames; what follows the last frame is padding."""
    for _ in range(MOST_MEMBERS):
        unpacker = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: WINDOW_LOG})
        while not unpacker.eof:
            piece = unpacker.decompress(body, CHUNK_BYTES)
            body = b""
            if not piece and not unpacker.eof:
                raise DamagedBodyError("the packed data ends too early")
            yield piece
        body = unpacker.unused_data
        if not _FRAME.match(body):
            return
    raise DamagedBodyError(TOO_MANY)


_GZIP = 16 + zlib.MAX_WBITS
gunzipped = partial(_inflated, wbits=_GZIP)
CODINGS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": gunzipped,
    "x-gzip": gunzipped,
    "deflate": _deflated,
    "br": _unbrotlied,
    "zstd": _unzstded,
    "identity": lambda body: iter((body,)),
}
