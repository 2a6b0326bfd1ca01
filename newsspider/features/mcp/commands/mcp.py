"""``scrapy mcp``: the tools of an assistant over standard input and output."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from newsspider.cli.command import CommandError, DataCommand
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(DataCommand):
    """An assistant that speaks the Model Context Protocol (MCP) starts this command and asks it: search, one article,
    events, hot words, sources, health, and why a URL has no article. The assistant can only read; with ``--write``
    it may also submit URLs, label articles and add alerts. Meanwhile new articles are put with their events, as by
    ``scrapy hot``. It may run beside crawls and ends when the assistant closes its input. The console offers the same
    tools at /api/mcp to those who have a token."""

    summary = "Answer an assistant's questions by the Model Context Protocol"
    usage = "[options]"
    examples = """\
  scrapy mcp
  scrapy mcp --write -s DATABASE_URL=sqlite:////srv/news.db
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--write", action="store_true", help="the assistant may submit URLs, label and add alerts")

    def work(self, args: list[str], opts: Namespace) -> None:
        if args:
            raise wrong_use("scrapy mcp takes no argument")
        try:
            from newsspider.features.events.advance import keep_events
            from newsspider.features.mcp.local_console import local_console
            from newsspider.features.mcp.tools import mcp_of
        except ModuleNotFoundError as error:
            raise CommandError(f"{error.name} is not installed: pip install 'newsspider[mcp,web]'") from None
        from newsspider.store.engine.database import writable
        from newsspider.store.engine.threads import start_thread

        ended = Event()
        with self.store() as engine:
            if writable(engine):  # events and hot words follow new articles, as in the console
                start_thread("newsspider-events", partial(keep_events, engine, ended), until=ended)
            console = local_console(engine, self.settings, may_write=opts.write)
            try:
                mcp_of(console, may_write=opts.write).run("stdio")
            finally:
                ended.set()
