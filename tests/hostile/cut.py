"""Answers that are cut short, and packed ones that are not what they say."""

import gzip
import random
import sys
import zlib
from functools import cache, partial

import brotli

from tests.hostile.behaviour import Behaviour, Call, Play, chunked, page, raw, resets

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PACKERS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd.compress}
BOMB_BYTES = 300_000_000
JUNK = random.Random(1).randbytes(30_000)


def repeated(block: bytes, times: int, head: bytes = b"", tail: bytes = b"") -> bytes:
    """A gzip file of ``block`` so many times, made in the time of one: a block that was flushed fully can be repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    packed_block = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.compress(tail) + packer.flush()
    crc = zlib.crc32(head)
    for _ in range(times):
        crc = zlib.crc32(block, crc)
    size = len(head) + times * len(block) + len(tail)
    footer = zlib.crc32(tail, crc).to_bytes(4, "little") + (size & 0xFFFFFFFF).to_bytes(4, "little")
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + start + packed_block * times + end + footer


@cache
def bomb(coding: str) -> bytes:
    """Few bytes that unpack to many."""
    if coding == "gzip":
        return repeated(b"<p>" + b" " * 999_997, BOMB_BYTES // 1_000_000)
    if coding == "deflate":
        packer = zlib.compressobj(1)
        return b"".join([*(packer.compress(b" " * 1_000_000) for _ in range(BOMB_BYTES // 1_000_000)), packer.flush()])
    return PACKERS[coding](b" " * BOMB_BYTES) if coding == "zstd" else brotli.compress(b" " * BOMB_BYTES, quality=1)


def packed(*codings: str, declared: str | None = None, cut: float = 1.0, after: bytes = b"", flip: int = 0) -> Play:
    """The article, packed by these codings in turn and sent up to the share ``cut``, with the byte ``flip`` (from the end) changed."""

    def body(call: Call) -> bytes:
        content = call.page.encode()
        for coding in codings:
            content = PACKERS[coding](content)
        content = content[: int(len(content) * cut)] + after
        return content[:-flip] + bytes([content[-flip] ^ 255]) + content[len(content) - flip + 1 :] if flip else content

    return page(body, "200 OK", f"Content-Encoding: {', '.join(codings) if declared is None else declared}")


def bare_deflate(call: Call) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(call.page.encode()) + packer.flush()


def members(call: Call) -> bytes:
    text = call.page.encode()
    return b"".join(gzip.compress(text[start : start + 500]) for start in range(0, len(text), 500))


Cut = partial(Behaviour, group="truncated", state="error", reason="truncated")
Packed = partial(Behaviour, group="compressed", state="error", reason="unreadable")

TRUNCATED = (
    Cut("length-too-long", does="announces more than it sends", play=raw(OK + b"Content-Length: 100000\r\n\r\n%PAGE%"), state="done", reason="stored"),
    Cut("page-cut", does="ends within the page", play=raw(OK + b"Content-Length: 100000\r\n\r\n<html><p>")),
    Cut("chunks-cut", does="ends within a chunk", play=raw(chunked(b"<html>", end=b"ffff\r\n<p>"))),
    Cut("chunks-without-end", does="ends before the last chunk", play=raw(chunked(b"<html><p>", end=b""))),
    Cut("gzip-cut", does="two thirds of a gzip body", play=packed("gzip", cut=0.66)),
    Cut("deflate-cut", does="two thirds of a deflate body", play=packed("deflate", cut=0.66)),
    Cut("br-cut", does="two thirds of a Brotli body", play=packed("br", cut=0.66)),
    Cut("zstd-cut", does="two thirds of a Zstandard body", play=packed("zstd", cut=0.66)),
    Cut("reset-in-the-body", does="RST within the body", play=resets(OK + b"Content-Length: 100000\r\n\r\n<html><p>")),
    Cut("reset-before-the-answer", does="RST instead of an answer", play=resets(), reason="connection"),
    Cut("closed-before-the-answer", does="the connection ends without an answer", play=raw(b""), reason="connection"),
    Cut("head-cut", does="ends within the headers", play=raw(OK[:-4]), reason="bad_answer"),
    Cut("status-line-cut", does="ends within the status line", play=raw(b"HTTP/1."), reason="bad_answer"),
    Cut("no-length", does="neither length nor chunks, ended by the end of the connection", play=raw(OK + b"\r\n%PAGE%"), state="done", reason="stored"),
    Cut("empty-body", does="200 with an empty body", play=page(b""), reason="unreadable"),
)
COMPRESSED = (
    *(Packed(f"{coding}-bomb", does=f"{BOMB_BYTES:,} bytes packed by {coding}", play=page(lambda call, c=coding: bomb(c), "200 OK", f"Content-Encoding: {coding}"), reason="too_large") for coding in PACKERS),
    *(Packed(f"{coding}-junk", does=f"junk that is called {coding}", play=page(JUNK, "200 OK", f"Content-Encoding: {coding}")) for coding in PACKERS),
    Packed("gzip-wrong-sum", does="gzip whose checksum is wrong", play=packed("gzip", flip=6)),
    Packed("gzip-twice-told-once", does="gzip within gzip, told once", play=packed("gzip", "gzip", declared="gzip")),
    Packed("gzip-twice", does="gzip within gzip, told twice", play=packed("gzip", "gzip"), state="done", reason="stored"),
    Packed("br-in-zstd", does="Brotli within Zstandard, told so", play=packed("br", "zstd"), state="done", reason="stored"),
    Packed("coding-unknown", does="a coding that nobody knows", play=page(JUNK, "200 OK", "Content-Encoding: x-newest")),
    Packed("coding-fifty-times", does="gzip, told fifty times", play=packed("gzip", declared=", ".join(["gzip"] * 50))),
    Packed("coding-identity", does="identity", play=packed(declared="identity"), state="done", reason="stored"),
    Packed("coding-is-a-charset", does="a charset as coding, and a plain page", play=packed(declared="utf-8"), state="done", reason="stored"),
    Packed("gzip-with-rubbish-behind", does="gzip with zeros behind its end", play=packed("gzip", after=b"\0" * 100), state="done", reason="stored"),
    Packed("gzip-in-members", does="gzip in many members", play=page(members, "200 OK", "Content-Encoding: gzip"), state="done", reason="stored"),
    Packed("deflate-bare", does="deflate without the head of zlib", play=page(bare_deflate, "200 OK", "Content-Encoding: deflate"), state="done", reason="stored"),
    Packed("gzip-of-nothing", does="gzip with an empty body", play=page(b"", "200 OK", "Content-Encoding: gzip")),
)  # fmt: skip
