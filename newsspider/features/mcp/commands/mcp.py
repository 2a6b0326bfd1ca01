"""``scrapy mcp``: the tools of an assistant over standard input and output."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from threading import Event
from typing import TYPE_CHECKING

from newsspider.cli.command import CommandError, DataCommand, forget_output, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from fastapi import FastAPI
    from sqlalchemy import Engine


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
        for package in ("mcp", "fastapi"):
            if find_spec(package) is None:
                raise CommandError(f"{package} is not installed: pip install 'newsspider[mcp,web]'")
        from newsspider.features.mcp.tools import mcp_of

        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the package would wait for another line of input
        if sys.stdin.isatty():
            print_note("an assistant starts this command and speaks to it; Ctrl-C ends it")
        ended = Event()
        with self.store() as engine, ThreadPoolExecutor(1) as builder:
            console = builder.submit(self._console, engine, opts.write, ended)
            try:
                mcp_of(console.result, may_write=opts.write).run("stdio")
            except* BrokenPipeError:  # the assistant was killed while it was answered
                forget_output()
            finally:
                ended.set()

    def _console(self, engine: Engine, may_write: bool, ended: Event) -> FastAPI:
        """The console, which takes seconds to import: meanwhile the assistant is told the tools."""
        from newsspider.features.events.detection_run import keep_events
        from newsspider.features.mcp.local_console import local_console
        from newsspider.store.engine.database import writable
        from newsspider.store.engine.watched_threads import start_thread

        console = local_console(engine, self.settings, may_write=may_write)
        if writable(engine):  # events and hot words follow new articles, as in the console
            start_thread("newsspider-events", partial(keep_events, engine, ended), until=ended)
        return console
