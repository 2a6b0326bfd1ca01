"""The progress line on a terminal: pages, articles, queue and rate; quiet in a pipe."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self, TextIO

from scrapy.exceptions import NotConfigured

from newsspider.core.model import State
from newsspider.crawl.crawl import Runtime
from newsspider.extensions.periodic import Repeated
from newsspider.store.engine import clock

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

USUAL_WIDTH = 80  # columns of a terminal that does not tell
COUNTING_SHARE = 0.01  # of the writer's time at most goes into counting the queue


class ProgressLine(Repeated):
    """Rewrites one line on stderr every ``PROGRESS_SECONDS``, if stderr is a terminal.

    Counting the queue takes the longer the larger the ledger is, so the last counts stand until a hundred times the
    time has passed that they took; while the store fails they stand as well. Stat: ``progress/failed``.
    """

    work = "show the progress line"

    def __init__(self, runtime: Runtime, seconds: float, out: TextIO) -> None:
        super().__init__(seconds)
        self.runtime = runtime
        self.out = out
        self.counts: Mapping[State, int] = dict.fromkeys(State, 0)
        self.count_again_at = 0.0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("PROGRESS_SECONDS")
        if seconds <= 0 or not sys.stderr.isatty():
            raise NotConfigured
        return cls(Runtime.of(crawler), seconds, sys.stderr).connect(crawler)

    def spider_closed(self) -> None:
        super().spider_closed()
        self.out.write(f"\r{'':{width(self.out)}}\r")

    async def step(self) -> None:
        """Write the line once, with counts as fresh as their cost allows."""
        try:
            await self._count()
        finally:
            columns = width(self.out)
            self.out.write(f"\r{progress_line(self.runtime, self.counts, clock.time())[:columns]:<{columns}}")
            self.out.flush()

    def failed(self) -> None:
        self.runtime.stats.inc_value("progress/failed")

    async def _count(self) -> None:
        began = time.monotonic()
        if began >= self.count_again_at:
            try:
                self.counts = await self.runtime.frontier.counts()
            finally:
                ended = time.monotonic()
                self.count_again_at = ended + (ended - began) / COUNTING_SHARE


def width(out: TextIO) -> int:
    """How many columns of the terminal a line may fill, as wide as it is now: in the last one, some begin a new
    line."""
    try:
        columns = os.get_terminal_size(out.fileno()).columns
    except (OSError, ValueError):  # io.UnsupportedOperation is both
        columns = 0
    return (columns or USUAL_WIDTH) - 1


def progress_line(runtime: Runtime, counts: Mapping[State, int], now: float) -> str:
    """One line that tells how far the crawl is."""
    seconds = max(now - runtime.started_at, 0.001)
    return (
        f"{seconds:5.0f} s  pages {runtime.counters.pages}  articles {runtime.counters.articles}  waiting {counts[State.WAITING]}"
        f"  in flight {len(runtime.held)}  errors {counts[State.ERROR]}  {runtime.counters.pages / seconds:.1f} pages/s"
    )
