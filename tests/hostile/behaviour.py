"""One behaviour of a hostile host: what it does and what the ledger must say of it; and the parts of its answers."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from tests.hostile.articles import HOSTILE, REAL, article

PAGE = f"/2024/0501/1{HOSTILE:04}.html"  # where the hostile answer stands, if it is that of an article
LIST = "/list/"
ANY = -1  # of the neighbours: those that were asked for before the host asked for patience
LONGEST_SECONDS = 60.0  # no answer goes on for longer, whoever listens


@dataclass
class Call:
    """One request to a hostile host."""

    number: int  # of the host
    base: str  # its URL, without a path
    path: str
    times: int  # that this path was asked for, this one included
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, *pieces: bytes) -> None:
        """These bytes, as they are."""
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()

    async def answer(self, body: bytes, status: str = "200 OK", headers: Iterable[str] = ("Content-Type: text/html",)) -> None:
        """A whole answer as it should be."""
        lines = "".join(f"{line}\r\n" for line in (*headers, f"Content-Length: {len(body)}", "Connection: close"))
        await self.send(f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("utf-8", "surrogateescape"), body)

    async def silence(self) -> None:
        """Nothing, until the other side has had enough."""
        await asyncio.wait_for(self.reader.read(), LONGEST_SECONDS)

    def reset(self) -> None:
        """End the connection with RST."""
        self.writer.transport.abort()

    @property
    def page(self) -> str:
        """The article that the hostile URL would show."""
        return article(self.number, HOSTILE)


Play = Callable[[Call], Awaitable[None]]
Body = bytes | str | Callable[[Call], bytes | str]


@dataclass(frozen=True)
class Behaviour:
    """A hostile host: an article URL, or a channel of its own, that answers so, beside real articles.

    ``state``, ``reason`` and a part of ``detail`` are what the ledger must say of ``path`` in the end; ``neighbours`` of the real
    articles are stored. An article that is stored has the title of the page that was meant. The host is asked ``most`` times at most.
    """

    name: str
    group: str
    does: str
    play: Play
    state: str = "error"
    reason: str = "bad_answer"
    detail: str = ""
    neighbours: int = REAL
    path: str = PAGE
    kind: str = ""  # of the channel that the path is; empty: an article that the list shows
    scheme: str = "http"  # of the path: "https" at the port that speaks TLS, or that ought to
    certificate: str = ""  # with "https": which one; empty: no TLS is spoken
    most: int = 14
    title: str | None = "right"  # None: it is not looked at


def page(
    body: Body = lambda call: call.page, status: str = "200 OK", *headers: str, kind: str = "text/html", of: bytes = b""
) -> Play:
    """A whole answer with this body; ``kind`` is its Content-Type (empty: none), ``of`` stands before a body of text."""

    async def play(call: Call) -> None:
        content = body(call) if callable(body) else body
        encoded = content.encode() if isinstance(content, str) else content
        lines = (*((f"Content-Type: {kind}",) if kind else ()), *headers)
        await call.answer(of + encoded, status, lines)

    return play


def raw(*pieces: bytes, stay: bool = False) -> Play:
    """These bytes, then the end, or silence. ``%PAGE%`` in a piece is the article, ``%LENGTH%`` its length."""

    async def play(call: Call) -> None:
        text = call.page.encode()
        await call.send(*(piece.replace(b"%PAGE%", text).replace(b"%LENGTH%", str(len(text)).encode()) for piece in pieces))
        if stay:
            await call.silence()

    return play


def drops(*pieces: bytes, every: float = 0.0, again: bytes = b"") -> Play:
    """These bytes, then ``again`` for ever, one time each ``every`` seconds."""

    async def play(call: Call) -> None:
        await call.send(*pieces)
        async with asyncio.timeout(LONGEST_SECONDS):
            while True:
                await call.send(again)
                await asyncio.sleep(every)

    return play


def resets(*pieces: bytes) -> Play:
    """These bytes, then RST."""

    async def play(call: Call) -> None:
        await call.send(*pieces)
        await asyncio.sleep(0.05)
        call.reset()

    return play


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n", headers: bytes = b"Content-Type: text/html\r\n") -> bytes:
    """An answer in chunks."""
    head = b"HTTP/1.1 200 OK\r\n" + headers + b"Transfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + end


def moved(target: str, status: str = "302 Found", *headers: str) -> Play:
    """A redirect."""
    return page(b"", status, f"Location: {target}", *headers)


async def nothing(call: Call) -> None:
    """Not a byte."""
    await call.silence()


