"""The progress line of a crawl on a terminal: pages, articles, queue and rate; nothing in a pipe. One of several
workers (``-a workers=N``) writes its figures to the process that started it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from io import FileIO
from typing import TYPE_CHECKING, Self, TextIO

from scrapy.exceptions import NotConfigured

from newsspider.core.crawling.finish_reasons import Finish
from newsspider.core.model import State
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import Repeated

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.ending import CrawlEnding
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.frontier.sql_frontier import SqlFrontier

PIPE = "NEWSSPIDER_PROGRESS_PIPE"  # environment: the descriptor to which a worker writes its figures
PIPE_SECONDS = 1.0  # between two lines there
USUAL_WIDTH = 80  # columns of a terminal of unknown width
COUNT_SECONDS = 1.0  # for which the counts are waited for
COUNTING_SHARE = 0.01  # of the writer's time at most goes into counting the queue


class QueueCounts:
    """The numbers of URLs by state. Counting a large ledger takes time, so counts are reused for a hundred times that
    long, and while the store fails or does not answer."""

    def __init__(self, frontier: SqlFrontier) -> None:
        self.frontier = frontier
        self.counts: Mapping[State, int] = Counter()  # empty until they are counted
        self.count_again_at = 0.0  # of the monotonic clock
        self._counting: asyncio.Future[None] | None = None

    async def renew(self) -> None:
        """Count again unless it is too soon; a count that takes longer than :data:`COUNT_SECONDS` goes on meanwhile."""
        if self._counting is None and time.monotonic() >= self.count_again_at:
            self._counting = asyncio.ensure_future(self._count())
        if self._counting is not None:
            done, _ = await asyncio.wait((self._counting,), timeout=COUNT_SECONDS)
            if done:
                counting, self._counting = self._counting, None
                counting.result()

    async def _count(self) -> None:
        began = time.monotonic()
        try:
            self.counts = await self.frontier.counts()
        finally:
            ended = time.monotonic()
            self.count_again_at = ended + (ended - began) / COUNTING_SHARE


@dataclass(frozen=True, slots=True)
class CrawlFigures:
    """The progress of a crawl: its seconds, pages, articles and leases, and the waiting and given-up URLs of the
    queue."""

    seconds: float = 0.0
    pages: int = 0
    articles: int = 0
    in_flight: int = 0
    waiting: int = 0
    errors: int = 0

    def line(self) -> str:
        """The figures as one line for people."""
        rate = self.pages / max(self.seconds, 0.001)
        return (
            f"{self.seconds:5.0f} s  pages {self.pages}  articles {self.articles}  waiting {self.waiting}"
            f"  in flight {self.in_flight}  errors {self.errors}  {rate:.1f} pages/s"
        )


class ProgressLine(Repeated):
    """Rewrites one line on stderr every ``PROGRESS_SECONDS``, if stderr is a terminal."""

    work = "show the progress line"
    failure = "progress/failed"  # stat: failures to write it
    ended_by = ()

    def __init__(
        self,
        frontier: SqlFrontier,
        pool: LeasePool,
        ending: CrawlEnding,
        stats: StatsCollector | None,
        seconds: float,
        out: TextIO | FileIO,
    ) -> None:
        super().__init__(seconds, stats)
        self.queue = QueueCounts(frontier)
        self.pool = pool
        self.ending = ending
        self.out = out

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if PIPE in os.environ:
            pipe = FileIO(int(os.environ.pop(PIPE)), "w")  # for this process alone, not for those that it starts
            os.set_blocking(pipe.fileno(), False)
            return cls.to(pipe, crawler, PIPE_SECONDS).connect(crawler)
        seconds = crawler.settings.getfloat("PROGRESS_SECONDS")
        if seconds <= 0 or not sys.stderr.isatty():
            raise NotConfigured
        return cls.to(sys.stderr, crawler, seconds).connect(crawler)

    @classmethod
    def to(cls, out: TextIO | FileIO, crawler: Crawler, seconds: float) -> Self:
        """The progress line of a crawl on another stream; to a pipe it writes JSON."""
        crawl = Crawl.of(crawler)
        return cls(crawl.storage.frontier, crawl.pool, crawl.ending, crawler.stats, seconds, out)

    def spider_closed(self) -> None:
        super().spider_closed()
        if isinstance(self.out, FileIO):
            self._report(self.out)
        else:
            erase_line(self.out)

    async def step(self) -> None:
        """Write the line once, with counts as fresh as their cost allows."""
        try:
            await self.queue.renew()
        finally:
            if isinstance(self.out, FileIO):
                self._report(self.out)
            else:
                rewrite_line(self.out, self.figures().line())

    def figures(self) -> CrawlFigures:
        """How far the crawl is."""
        counters, counts = self.ending.counters, self.queue.counts
        return CrawlFigures(
            self.ending.seconds(),
            counters.pages,
            counters.articles,
            len(self.pool.held),
            counts[State.WAITING],
            counts[State.ERROR],
        )

    def _report(self, pipe: FileIO) -> None:
        """Write the figures to the process that started this one, if it reads; stop if it has ended."""
        try:
            pipe.write(f"{json.dumps(asdict(self.figures()))}\n".encode())
        except BrokenPipeError:
            self.ending.stop(Finish.SHUTDOWN)


def keep_pipe(crawler: Crawler) -> None:
    """Leave the pipe of a worker to the process that takes its place."""
    progress = crawler.get_extension(ProgressLine)
    if progress is not None and isinstance(progress.out, FileIO):
        os.environ[PIPE] = str(progress.out.fileno())


def rewrite_line(out: TextIO, line: str) -> None:
    """Write a line over the one before it on a terminal."""
    columns = width(out)
    out.write(f"\r{line[:columns]:<{columns}}")
    out.flush()


def erase_line(out: TextIO) -> None:
    """Take the line away from the terminal."""
    out.write(f"\r{'':{width(out)}}\r")


def width(out: TextIO) -> int:
    """The columns that a line may fill in the current terminal; some terminals wrap at the last column."""
    try:
        columns = os.get_terminal_size(out.fileno()).columns
    except (OSError, ValueError):  # io.UnsupportedOperation is both
        columns = 0
    return (columns or USUAL_WIDTH) - 1
