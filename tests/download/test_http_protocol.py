"""What one connection makes of the bytes of a server, piece by piece."""

import asyncio
import time

from newsspider.download.http_protocol import MOST_HEAD_BYTES, GuardedProtocol

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
SECONDS = 2.0  # 0.1 s; 5 s and more where every piece is looked at again with each further one


async def answered(*pieces: bytes) -> tuple[int | None, str]:
    """The status that is read from these pieces, or what is wrong with them."""
    protocol = GuardedProtocol(asyncio.get_running_loop())
    protocol.set_response_params()
    for piece in pieces:
        protocol.data_received(piece)
        if (error := protocol.exception()) is not None:
            return None, str(error)
    return (await protocol.read())[0].code if protocol._buffer else None, ""


def test_line_ends_before_a_head_are_dropped() -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\n\r\n"
    for pieces in ((b"\r\n\r", b"\n\r\n", HEAD), (b"\n" + HEAD,), (b"\r\n", b"HT", HEAD[2:]), (b"\r\n" + hints + b"\r\n", b"\n", HEAD)):
        assert asyncio.run(answered(*pieces)) == (200, ""), pieces


def test_line_ends_before_a_head_count_as_its_bytes() -> None:
    room = MOST_HEAD_BYTES - len(HEAD)
    assert asyncio.run(answered(b"\n" * room, HEAD)) == (200, "")
    for pieces in ((b"\n" * (room + 1), HEAD), (b"\n" * (MOST_HEAD_BYTES + 1),)):
        assert "bytes of headers" in asyncio.run(answered(*pieces))[1]


def test_line_ends_that_come_one_by_one_take_linear_time() -> None:
    began = time.process_time()
    assert asyncio.run(answered(*[b"\n"] * (MOST_HEAD_BYTES - len(HEAD)), HEAD)) == (200, "")
    assert time.process_time() - began < SECONDS
