"""``scrapy web``: the console."""

from __future__ import annotations

import os
import re
import socket
from argparse import Namespace
from ipaddress import ip_address
from typing import TYPE_CHECKING

from newsspider.cli.command import CommandError, DataCommand, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sqlalchemy import Engine

HOST_NAME = re.compile(r"[\w.-]+|(?=.*:.*:)[\da-fA-F:]+")  # a name, or an address of IPv6, which has two colons
PATH_PREFIX = re.compile(r"(?:/[\w.~-]+)+/?")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY = ("0.0.0.0", "::")


class Command(DataCommand):
    """Shows today's articles, search, articles with reprints and versions, sites, the crawl, and the history of every
    URL in a browser; the same as JSON under /api/v1, and any query as a feed under /feeds/atom, rss or json. It may run
    beside crawls. Ctrl-C ends it.

    Without accounts the console asks nobody to log in and listens on this machine only. Once ``scrapy accounts add``
    has made an account, everybody logs in, and --host may be any address. --name is the host name or address by which
    others reach the console. Put a reverse proxy with a certificate in front of it; --prefix is the path under which
    the proxy serves it, as /news, and which the proxy strips. Both options need an account, or the setting OIDC."""

    summary = "Serve the console: read, search and follow what the crawl collects, in a browser"
    usage = "[options]"
    examples = """\
  scrapy web
  scrapy web --port 8900 --name news.example.cn --prefix /news
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
        parser.add_argument("--port", default="8800", help="the port (8800); 0: any free one")
        name = "a host name or address by which others reach it; repeatable"
        parser.add_argument("--name", action="append", default=[], help=name)
        parser.add_argument("--prefix", default="", help="the path under which a proxy serves the console, as /news")

    def work(self, args: list[str], opts: Namespace) -> None:
        if args:
            raise wrong_use("scrapy web takes no argument")
        if opts.host not in LOOPBACK and not is_address(opts.host):
            raise wrong_use(f"--host {opts.host!r}: say an address of this machine, as 127.0.0.1 or 0.0.0.0")
        if not (opts.port.isascii() and opts.port.isdecimal() and len(opts.port) <= 5 and int(opts.port) < 65_536):
            raise wrong_use(f"--port {opts.port}: say a number from 0 to 65535")
        if wrong := [name for name in opts.name if not HOST_NAME.fullmatch(name)]:
            raise wrong_use(f"--name {wrong[0]!r}: say a host name without a port, as news.example.cn")
        if opts.prefix and not PATH_PREFIX.fullmatch(opts.prefix):
            raise wrong_use(f"--prefix {opts.prefix!r}: say a path that begins with one slash, as /news")
        try:
            from newsspider.features.console.server import serve_console
        except ModuleNotFoundError as error:
            raise CommandError(f"{error.name} is not installed: pip install 'newsspider[web]'") from None
        names = [*LOOPBACK, opts.host, *(name.lower() for name in opts.name)]
        opening = opening_of(opts)
        with self.store() as engine:
            self._check_accounts(engine, opts, opening)
            with listening(opts.host, int(opts.port)) as server:
                serve_console(
                    engine,
                    server,
                    names,
                    opts.prefix.rstrip("/"),
                    print_note,
                    self.settings,
                    accounts_needed=bool(opening),
                )

    def _check_accounts(self, engine: Engine, opts: Namespace, opening: str) -> None:
        """Nobody without an account reaches the console from elsewhere."""
        from newsspider.features.console import accounts
        from newsspider.store.engine.database import reading

        with reading(engine) as conn:
            if opening and not self.settings.getdict("OIDC") and not accounts.exist(conn):
                raise wrong_use(
                    f"{opening}: others reach the console by it, and there are no accounts; "
                    "make one first: scrapy accounts add NAME"
                )
        if opts.host in ANY and not opts.name:
            raise wrong_use(f"--host {opts.host}: say with --name by which host name or address others reach it")


def opening_of(opts: Namespace) -> str:
    """The first option that lets others reach the console; empty: it is for this machine alone. A proxy reaches it on
    loopback, so its name and its path count, too."""
    if opts.host not in LOOPBACK and not ip_address(opts.host).is_loopback:
        return f"--host {opts.host}"
    if opts.name:
        return f"--name {opts.name[0]}"
    return f"--prefix {opts.prefix}" if opts.prefix else ""


def is_address(host: str) -> bool:
    """Whether this is an IP address.

    >>> is_address("0.0.0.0"), is_address("::"), is_address("news.example.cn")
    (True, True, False)
    """
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens on this address."""
    try:
        server = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a body waits for nobody's delayed ACK
        return server
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise CommandError(f"{host} port {port} cannot be listened on: {reason}") from None
