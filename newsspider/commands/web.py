"""``scrapy web``: the console."""

from __future__ import annotations

import os
import re
import socket
from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, Failed, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

NAME = re.compile(r"[\w.-]+")
PREFIX = re.compile(r"(?:/[\w.~-]+)+/?")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Command(DataCommand):
    """Today's articles, search, articles with reprints and versions, sites, the crawl, and the story of every URL, in a
    browser; the same as JSON under /api/v1, and any query as a feed under /feeds/atom, rss or json. It may run
    beside crawls; all that it writes are the events of new articles, once a minute. Ctrl-C ends it.

    It listens on this machine alone. To let others read, put a reverse proxy that asks for a password in front of it,
    and say with --name by which host name they reach it, and with --prefix which path of the proxy stands for it, as
    /news; the proxy takes that away."""

    summary = "Serve the console: read, search and follow what the crawl collects, in a browser"
    usage = "[options]"
    examples = """\
  scrapy web
  scrapy web --port 8900 --name news.example.cn --prefix /news
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--host", default="127.0.0.1", help="the loopback address to listen on (127.0.0.1)")
        parser.add_argument("--port", default="8800", help="the port (8800); 0: any free one")
        parser.add_argument("--name", action="append", default=[], help="a name that a proxy passes on; repeatable")
        parser.add_argument("--prefix", default="", help="the path of a proxy that stands for the console, as /news")

    def work(self, args: list[str], opts: Namespace) -> None:
        if args:
            raise wrong_use("scrapy web takes no argument")
        if opts.host not in LOOPBACK:
            raise wrong_use(f"--host {opts.host}: the console has no accounts, so it listens on this machine alone")
        if not (opts.port.isascii() and opts.port.isdecimal() and len(opts.port) <= 5 and int(opts.port) < 65_536):
            raise wrong_use(f"--port {opts.port}: say a number from 0 to 65535")
        if wrong := [name for name in opts.name if not NAME.fullmatch(name)]:
            raise wrong_use(f"--name {wrong[0]!r}: say a host name without a port, as news.example.cn")
        if opts.prefix and not PREFIX.fullmatch(opts.prefix):
            raise wrong_use(f"--prefix {opts.prefix!r}: say a path that begins with one slash, as /news")
        try:
            from newsspider.web.server import serve
        except ModuleNotFoundError as error:
            raise Failed(f"{error.name} is not installed: pip install 'newsspider[web]'") from None
        names = [*LOOPBACK, *(name.lower() for name in opts.name)]
        with self.store() as engine, listening(opts.host, int(opts.port)) as server:
            serve(engine, server, names, opts.prefix.rstrip("/"), print_note)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens on this address."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise Failed(f"{host} port {port} cannot be listened on: {reason}") from None
