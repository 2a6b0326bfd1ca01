"""All hostile hosts in one server, each at a loopback address of its own, with real articles beside what it does."""

import asyncio
import threading
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.hostile.articles import HOSTILE, REAL, article, listing, title_of
from tests.hostile.behaviour import LIST, PAGE, Behaviour, Call
from tests.hostile.certificates import context_of

NETWORK = "127.66"
SITE = 'name = "{name}"\nhome = "{base}/"\nweight = 5\nmedia_class = "portal"\ndelay_seconds = 0.01\ndelay_reason = "a test"\n'
CHANNEL = '[[channels]]\nname = "{name}"\nurl = "{url}"\nweight = 5\nkind = "{kind}"\n'
GOOD = {f"/2024/0501/1{number:04}.html": number for number in range(1, REAL + 1)}


class HostileWeb:
    """The hosts of these behaviours; what they were asked for."""

    def __init__(self, behaviours: Sequence[Behaviour], folder: Path) -> None:
        self.behaviours = {address_of(number): (number, behaviour) for number, behaviour in enumerate(behaviours)}
        self.folder = folder
        self.ports = {"http": 0, "https": 0}
        self.asked: Counter[tuple[str, str]] = Counter()  # by address and path
        self.broken: list[str] = []  # what a behaviour failed at that is no part of it
        self.loop = asyncio.new_event_loop()

    def base(self, address: str, scheme: str = "http") -> str:
        """The URL of a host, without a path."""
        return f"{scheme}://{address}:{self.ports[scheme]}"

    def url(self, address: str) -> str:
        """The hostile URL of a host."""
        _, behaviour = self.behaviours[address]
        return self.base(address, behaviour.scheme) + behaviour.path

    def sites(self) -> Path:
        """A folder of site files, one a host."""
        folder = self.folder / "sites"
        folder.mkdir()
        for address, (_, behaviour) in self.behaviours.items():
            text = SITE.format(name=behaviour.name, base=self.base(address))
            text += CHANNEL.format(name="list", url=self.base(address) + LIST, kind="list")
            if behaviour.kind:
                text += CHANNEL.format(name="hostile", url=self.url(address), kind=behaviour.kind)
            (folder / f"{behaviour.name}.toml").write_text(text, encoding="utf-8")
        return folder

    async def listen(self) -> None:
        """Take connections on every loopback address."""
        for scheme, serve in (("http", self._plain), ("https", self._secure)):
            server = await asyncio.start_server(serve, "0.0.0.0", 0, limit=1 << 20, backlog=1024)
            self.ports[scheme] = server.sockets[0].getsockname()[1]

    async def _plain(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._serve(reader, writer, "http")

    async def _secure(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """TLS, if the host speaks it; what else it says there is its own."""
        address = writer.get_extra_info("sockname")[0]
        if address not in self.behaviours:
            writer.close()
            return
        number, behaviour = self.behaviours[address]
        if behaviour.certificate:
            with suppress(OSError):
                await writer.start_tls(context_of(behaviour.certificate, address, self.folder))
                await self._serve(reader, writer, "https")
        else:
            call = Call(number, self.base(address, "https"), "", 0, reader, writer)
            await self._play(behaviour, call)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, scheme: str) -> None:
        address = writer.get_extra_info("sockname")[0]
        with suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            while address in self.behaviours and not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ", 2)[1].decode("latin-1")
                self.asked[address, path] += 1
                if not await self._answered(address, scheme, path, reader, writer):
                    break
        writer.close()

    async def _answered(
        self, address: str, scheme: str, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; whether the connection may be used again."""
        number, behaviour = self.behaviours[address]
        call = Call(number, self.base(address, scheme), path, self.asked[address, path], reader, writer)
        good = self._good(number, behaviour, path)
        hostile = (scheme, path) == (behaviour.scheme, behaviour.path)
        if good is not None and not hostile:
            await call.answer(good.encode())
        elif path == "/robots.txt" and not hostile:
            await call.answer(b"", "404 Not Found")
        else:
            await self._play(behaviour, call)
        return False

    async def _play(self, behaviour: Behaviour, call: Call) -> None:
        try:
            await behaviour.play(call)
        except (OSError, TimeoutError):
            pass  # the crawl has had enough
        except Exception as error:
            self.broken.append(f"{behaviour.name}: {error!r}")

    def _good(self, number: int, behaviour: Behaviour, path: str) -> str | None:
        """The page that is what it seems."""
        if path in GOOD:
            return article(number, GOOD[path])
        if path != LIST:
            return None
        links = {good: title_of(number, n) for good, n in GOOD.items()}
        if behaviour.scheme == "https":
            links[self.base(address_of(number), "https") + PAGE] = title_of(number, HOSTILE)
        elif behaviour.path == PAGE:
            links[PAGE] = title_of(number, HOSTILE)
        return listing(links)


def address_of(number: int) -> str:
    """Where a host lies."""
    return f"{NETWORK}.{number // 200}.{number % 200 + 1}"


@contextmanager
def served(web: HostileWeb) -> Iterator[HostileWeb]:
    """The hosts, while the block runs."""
    thread = threading.Thread(target=web.loop.run_forever, daemon=True)
    thread.start()
    _run(web, web.listen())
    try:
        yield web
    finally:
        _run(web, _end_all())
        web.loop.call_soon_threadsafe(web.loop.stop)
        thread.join()
        web.loop.close()


def _run(web: HostileWeb, work: Coroutine[Any, Any, None]) -> None:
    asyncio.run_coroutine_threadsafe(work, web.loop).result(30)


async def _end_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
