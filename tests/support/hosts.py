"""Many hosts on the loopback network, played by one server that notes who asked for what, and when."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from tests.support.serving import Answer, article

AWAKE_SECONDS = 0.01
AGENT = "fleet/"  # before the worker's name, in its USER_AGENT
SITE = """
name = "{name}"
home = "{base}/"
weight = 5
media_class = "portal"
delay_seconds = {delay}
delay_reason = "a test"
[[channels]]
name = "c"
url = "{base}/list/"
weight = 5
kind = "list"
"""


class Hit(NamedTuple):
    """A request that arrived, between these two moments: on a busy machine what arrives is read later."""

    since: float
    at: float
    host: str  # by the name that was asked for, without the port
    worker: str
    path: str


Play = Callable[[str, str], Answer | None]  # host, path; None: as every host answers


class Hosts:
    """Each has a list of as many articles, of its own; ``play`` may answer instead.

    The lists are held back until :meth:`open`: so many workers can start before there is work that the first could do alone.
    """

    def __init__(self, articles: int, play: Play = lambda host, path: None) -> None:
        self.articles = articles
        self.play = play
        self.port = 0
        self.hits: list[Hit] = []
        self.lists_open = asyncio.Event()  # a list is not answered before
        self.loop = asyncio.new_event_loop()
        self.awake = 0.0, 0.0  # the last two moments at which the loop went round
        self._numbers: dict[str, int] = {}

    def sites(self, folder: Path, hosts: list[str], delay: float) -> Path:
        """A folder of site files, one a host."""
        folder.mkdir()
        for host in hosts:
            text = SITE.format(name=host.replace(".", "-"), base=f"http://{host}:{self.port}", delay=delay)
            (folder / f"{host}.toml").write_text(text, encoding="utf-8")
        return folder

    def open(self) -> None:
        """Answer those who ask for lists."""
        self.loop.call_soon_threadsafe(self.lists_open.set)

    def of(self, host: str) -> list[float]:
        """When a host was asked, whatever the page."""
        return sorted(hit.at for hit in self.hits if hit.host == host)

    def gaps(self, *hosts: str) -> list[float]:
        """The seconds that can lie at most between each two requests of these hosts together that follow each other."""
        hits = sorted((hit for hit in self.hits if hit.host in hosts), key=attrgetter("at"))
        return [later.at - earlier.since for earlier, later in pairwise(hits)]

    async def stay_awake(self) -> None:
        """Note when the loop goes round: what had arrived at the last but one of these moments is read."""
        while True:
            self.awake = self.awake[1], time.time()
            await asyncio.sleep(AWAKE_SECONDS)

    def answer(self, host: str, path: str) -> Answer:
        """What a host says."""
        number = self._numbers.setdefault(host, len(self._numbers))
        played = self.play(host, path)
        if played is not None:
            return played
        if path == "/list/":
            items = "".join(_item(number * 1000 + n) for n in range(self.articles))
            return 200, f"<html><head><meta charset=utf-8><title>教育新闻</title></head><body><ul>{items}</ul></body></html>", {}
        return article(int(path[-10:-5])) if path.startswith("/2024/") else (404, "", {})

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        # one that is cancelled ends as any other: asyncio 3.11 shows a traceback for a cancelled task
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
                at, path = time.time(), head.split(" ", 2)[1]
                fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
                host = fields["Host"].partition(":")[0]
                self.hits.append(Hit(self.awake[0], at, host, fields["User-Agent"].removeprefix(AGENT), path))
                if path == "/list/":
                    await self.lists_open.wait()
                status, text, headers = self.answer(host, path)
                body = text if isinstance(text, bytes) else text.encode()
                response_headers = {"Content-Type": "text/html", "Content-Length": str(len(body)), **headers}
                lines = "".join(f"{name}: {value}\r\n" for name, value in response_headers.items())
                writer.write(f"HTTP/1.1 {status} OK\r\n{lines}\r\n".encode() + body)
                await writer.drain()
        writer.close()


def _item(number: int) -> str:
    return f'<li><a href="/2024/0501/1{number:05}.html">学校教育改革座谈会第{number}场举行</a></li>'


@contextmanager
def served(hosts: Hosts) -> Iterator[Hosts]:
    """The hosts, while the block runs, on every loopback address."""
    loop, ready = hosts.loop, threading.Event()

    async def listen() -> None:
        server = await asyncio.start_server(hosts.serve, "0.0.0.0", 0)
        hosts.port = server.sockets[0].getsockname()[1]
        ready.set()

    def run() -> None:
        loop.create_task(listen())
        loop.create_task(hosts.stay_awake())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(60)
    try:
        yield hosts
    finally:
        asyncio.run_coroutine_threadsafe(_end_all(), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _end_all() -> None:
    """End what is still under way: answers that nobody waits for any more, lists that were held back."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
