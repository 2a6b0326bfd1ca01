"""``python -m bench.fleet_server PORT``: sixteen hosts on the loopback address whose pages take 50 ms and have 60 links each.

``/many/N.html`` leads to ever more pages: of its links 6 are new to a breadth-first crawl. ``/few/N.html`` leads to the same
:data:`FEW` pages over and over, so that a whole crawl of them is soon done.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys

HOSTS = tuple(f"127.0.0.{n}" for n in range(2, 18))
LINKS = 60
NEW_LINKS = 6
FEW = 600
ANSWER_SECONDS = 0.05
WORDS = "<p>教育部发布通知，要求各地做好今年的招生工作。</p>" * 100

_PAGE = re.compile(rb"GET /(many|few)/(\d+)\.html")


def url_of(kind: str, number: int, port: int) -> str:
    """The URL of a page."""
    return f"http://{HOSTS[number % len(HOSTS)]}:{port}/{kind}/{number}.html"


def links_of(kind: str, number: int) -> list[int]:
    """The pages that a page links to; the same ones whenever it is asked."""
    drawn = random.Random(number)
    children = [NEW_LINKS * number + n for n in range(1, NEW_LINKS + 1)]
    others = [drawn.randrange(max(children[-1], LINKS)) for _ in range(LINKS - NEW_LINKS)]
    pages = children + others
    return pages if kind == "many" else [page % FEW for page in pages]


async def serve(port: int) -> None:
    """Answer until the process ends."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                match = _PAGE.match(head)
                body = b""
                if match is not None:
                    await asyncio.sleep(ANSWER_SECONDS)
                    kind = match[1].decode()
                    urls = (url_of(kind, page, port) for page in links_of(kind, int(match[2])))
                    body = (WORDS + "".join(f'<a href="{url}">教育部发布通知</a>\n' for url in urls)).encode()
                status = b"200 OK" if match else b"404 Not Found"
                writer.write(
                    b"HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
                    % (status, len(body))
                )
                writer.write(body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "0.0.0.0", port)
    port = server.sockets[0].getsockname()[1]
    print(port, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
