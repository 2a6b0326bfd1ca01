"""``python -m bench.soak_hosts``: many loopback sites that go on publishing; their pages are like those of the sample portal."""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

from demo import lists, pages
from demo.articles import Newsroom
from demo.clock import Clock
from demo.makes import MAKES, Column, Make, Pager
from demo.portal import Outlet, Post
from demo.sitefiles import site_file

SEED = 7
MADE_LIKE = ("qiming", "chenbao", "ligong", "zhijiao")  # no sessions, no calendar: each page has one URL
COLUMNS = (
    Column("jy", "教育", 0.7, ("/jy/", "/jy/index_{page}.html"), Pager.NEXT, weight=8, per_page=20),
    Column("sh", "社会", 0.2, ("/sh/", "/sh/index_{page}.html"), Pager.NEXT, weight=3, per_page=20),
)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


class Newspaper:
    """A site: its articles by path, those of before and one more every so many seconds, written when somebody looks."""

    def __init__(
        self,
        number: int,
        make: Make,
        base: str,
        newsroom: Newsroom,
        clock: Clock,
        published_before: int,
        seconds: float,
    ) -> None:
        self.number, self.newsroom, self.before, self.seconds = number, newsroom, published_before, seconds
        self.outlet = Outlet(make, base, clock, crowded=True)
        self.columns = {column.path(1): column for column in make.columns}
        self.posts: dict[str, Post] = {}

    def answer(self, path: str) -> str | None:
        """A page, if there is one."""
        self._publish()
        post = self.posts.get(path)
        if post is not None:
            return pages.article(post, SEED)
        if path == "/":
            return lists.home(self.outlet, SEED)
        folder, _, name = path.rpartition("/")
        column = self.columns.get(f"{folder}/")
        if column is None:
            return None
        page = 1 if not name else int(name.removeprefix("index_").removesuffix(".html"))
        return lists.column_page(self.outlet, column, page, SEED)

    def _publish(self) -> None:
        clock = self.outlet.clock
        due = self.before + int((clock.seconds + self.number * 0.1) / self.seconds)
        while len(self.posts) < due:
            column = COLUMNS[len(self.posts) % len(COLUMNS)]
            number = self.number * 100_000 + len(self.posts)
            relevant = Random(f"{SEED} {number}").random() < column.education
            when = None if len(self.posts) < self.before else clock.now.replace(second=0, microsecond=0)
            post = Post(number, self.outlet, column, self.newsroom.story(number, relevant, when), number, number)
            self.outlet.posts.append(post)
            self.posts[post.path] = post


class Hosts:
    """All of them, behind one port."""

    def __init__(self, hosts: int, port: int, published_before: int, seconds: float) -> None:
        clock = Clock(running=True)
        newsroom = Newsroom(SEED, clock.start)
        makes = [make for make in MAKES if make.key in MADE_LIKE]
        self.papers: dict[str, Newspaper] = {}
        for number in range(hosts):
            address = address_of(number)
            like = makes[number % len(makes)]
            make = replace(
                like,
                key=f"s{number:03}",
                host=address,
                name=f"{like.name}{number}",
                columns=COLUMNS,
                home="/",
                robots=None,
                feed=None,
                news_sitemap=None,
                sitemap_index=None,
                tracking=False,
                calendar=False,
                codec="utf-8",
                header="utf-8",
                meta="utf-8",
                article_url=None,
                regions=(),
                compressed=False,
            )
            self.papers[address] = Newspaper(
                number, make, f"http://{address}:{port}", newsroom, clock, published_before, seconds
            )

    def write(self, folder: Path) -> None:
        """The site files."""
        folder.mkdir(parents=True, exist_ok=True)
        for paper in self.papers.values():
            (folder / f"{paper.outlet.make.key}.toml").write_text(site_file(paper.outlet), "utf-8")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
                path = head.split(" ", 2)[1]
                host = next((line[6:] for line in head.split("\r\n") if line.lower().startswith("host: ")), "")
                paper = self.papers.get(host.partition(":")[0])
                text = paper.answer(path) if paper else None
                if text is None:
                    writer.write(NOT_FOUND)
                else:
                    body = text.encode()
                    writer.write(HEAD % len(body) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def address_of(number: int) -> str:
    """The address of a host."""
    return f"127.40.{number // 200}.{number % 200 + 1}"


async def _serve(options: argparse.Namespace) -> None:
    listening = socket.create_server(("0.0.0.0", 0))
    port = listening.getsockname()[1]
    hosts = Hosts(options.hosts, port, options.before, options.seconds)
    hosts.write(options.sites_dir)
    server = await asyncio.start_server(hosts.serve, sock=listening)
    print(port, flush=True)
    await server.serve_forever()


def main() -> int:
    """Serve until a signal comes."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak_hosts", description=__doc__)
    parser.add_argument("--sites-dir", type=Path, required=True)
    parser.add_argument("--hosts", type=int, default=120)
    parser.add_argument("--before", type=int, default=100, help="articles of each host when it starts")
    parser.add_argument("--seconds", type=float, default=15.0, help="between two new articles of a host")
    try:
        asyncio.run(_serve(parser.parse_args()))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
