"""The progress line of a crawl on a terminal: pages, articles, queue and rate; silent in a pipe."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self, TextIO

from scrapy.exceptions import NotConfigured

from newsspider.core.model import State
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import Repeated

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.ending import CrawlEnding
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.frontier.sql import SqlFrontier

USUAL_WIDTH = 80  # columns of a terminal of unknown width
COUNTING_SHARE = 0.01  # of the writer's time at most goes into counting the queue


class QueueCounts:
    """The URLs by state. Counting those of a large ledger takes time, so counts are reused for a hundred times the time
    that they took, and while the store fails."""

    def __init__(self, frontier: SqlFrontier) -> None:
        self.frontier = frontier
        self.counts: Mapping[State, int] = Counter()  # empty until they are counted
        self.count_again_at = 0.0  # of the monotonic clock

    async def renew(self) -> None:
        """Count again unless it is too soon."""
        began = time.monotonic()
        if began >= self.count_again_at:
            try:
                self.counts = await self.frontier.counts()
            finally:
                ended = time.monotonic()
                self.count_again_at = ended + (ended - began) / COUNTING_SHARE


class ProgressLine(Repeated):
    """Rewrites one line on stderr every ``PROGRESS_SECONDS``, if stderr is a terminal."""

    work = "show the progress line"
    failure = "progress/failed"  # stat: failures to write it
    ended_by = ()

    def __init__(
        self, frontier: SqlFrontier, pool: LeasePool, ending: CrawlEnding, stats: StatsCollector | None, seconds: float,
        out: TextIO,
    ) -> None:  # fmt: skip
        super().__init__(seconds, stats)
        self.queue = QueueCounts(frontier)
        self.pool = pool
        self.ending = ending
        self.out = out

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("PROGRESS_SECONDS")
        if seconds <= 0 or not sys.stderr.isatty():
            raise NotConfigured
        return cls.to(sys.stderr, crawler, seconds).connect(crawler)

    @classmethod
    def to(cls, out: TextIO, crawler: Crawler, seconds: float) -> Self:
        """The progress line of a crawl on another stream."""
        crawl = Crawl.of(crawler)
        return cls(crawl.storage.frontier, crawl.pool, crawl.ending, crawler.stats, seconds, out)

    def spider_closed(self) -> None:
        super().spider_closed()
        self.out.write(f"\r{'':{width(self.out)}}\r")

    async def step(self) -> None:
        """Write the line once, with counts as fresh as their cost allows."""
        try:
            await self.queue.renew()
        finally:
            columns = width(self.out)
            line = progress_line(self.ending, len(self.pool.held), self.queue.counts)
            self.out.write(f"\r{line[:columns]:<{columns}}")
            self.out.flush()


def width(out: TextIO) -> int:
    """The columns that a line may fill in the current terminal; some terminals wrap at the last column."""
    try:
        columns = os.get_terminal_size(out.fileno()).columns
    except (OSError, ValueError):  # io.UnsupportedOperation is both
        columns = 0
    return (columns or USUAL_WIDTH) - 1


def progress_line(ending: CrawlEnding, in_flight: int, counts: Mapping[State, int]) -> str:
    """One line about the state of the crawl."""
    seconds, counters = max(ending.seconds(), 0.001), ending.counters
    return (
        f"{seconds:5.0f} s  pages {counters.pages}  articles {counters.articles}  waiting {counts[State.WAITING]}"
        f"  in flight {in_flight}  errors {counts[State.ERROR]}  {counters.pages / seconds:.1f} pages/s"
    )
