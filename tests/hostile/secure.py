"""Hosts whose TLS is the trouble, and URLs of ports that are not what they say."""

import asyncio
from functools import partial

from tests.hostile.behaviour import Behaviour, Call, nothing, page, raw, resets

Secure = partial(Behaviour, group="tls", scheme="https", path="/robots.txt", state="error", reason="connection")  # without it no page is asked for
Answered = partial(Behaviour, group="tls", scheme="https")
ALERT = b"\x15\x03\x03\x00\x02\x02\x28"  # fatal: handshake failure


async def alert(call: Call) -> None:
    await call.reader.read(1)
    await call.send(ALERT)


async def stalls_after_hello(call: Call) -> None:
    await call.reader.read(1)
    await call.send(b"\x16\x03\x03\x40\x00\x02")
    await call.silence()


async def record_endless(call: Call) -> None:
    await call.reader.read(1)
    async with asyncio.timeout(30):
        while True:
            await call.send(b"\x16\x03\x03\x40\x00" + b"\x02" * 0x4000)


ROWS = (
    *(Answered(f"certificate-{name}", does=f"a certificate: {name}", play=page(lambda call: call.page), certificate=name, state="done", reason="stored")
      for name in ("self-signed", "expired", "not-yet-valid", "another-name")),
    Answered("old-key-exchange", does="a key exchange over 1,024 bits", play=page(lambda call: call.page), certificate="old-key-exchange", state="done", reason="stored"),
    Secure("handshake-silent", does="takes the connection and says nothing", play=nothing, reason="timeout"),
    Secure("handshake-stalls", does="stalls within the first record", play=stalls_after_hello, reason="timeout"),
    Secure("handshake-alert", does="an alert instead of a hello", play=alert),
    Secure("handshake-reset", does="RST instead of a hello", play=resets()),
    Secure("handshake-closed", does="the end instead of a hello", play=raw(b"")),
    Secure("handshake-junk", does="records without sense, without end", play=record_endless),
    Secure("plain-at-the-tls-port", does="plain HTTP where TLS ought to be", play=raw(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")),
    Answered("tls-body-cut", does="less than announced, over TLS", play=raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n<html>"), certificate="self-signed", reason="truncated"),
    Behaviour("tls-at-the-plain-port", "tls", "TLS where plain HTTP ought to be", raw(b"\x16\x03\x03\x00\x05hello\x15\x03\x03\x00\x02\x02\x28")),
)  # fmt: skip
