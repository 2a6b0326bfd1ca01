"""The steps that a crawl repeats: the heartbeat, the poll plan, the delay of its loop; with the base class of such
extensions."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scrapy import signals

from newsspider.core.crawling.internal_errors import one_line
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.host_policy import bound_waits
from newsspider.crawl.poll_planner import CORRECT_SECONDS
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.workers import BEAT_SECONDS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.crawl.poll_planner import PollPlanner
    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.store.engine.clock import Clock


logger = logging.getLogger(__name__)


class Repeated(ABC):
    """Runs a step every ``seconds``, from the start of the engine until the spider closes.

    A failed step does not prevent the next one: nobody would notice a dead task. Of consecutive failures the
    first is logged with its cause, and so is the recovery. Only an exception in :attr:`ended_by` ends the task.
    """

    work: ClassVar[str]  # what a step does, as in "could not ..."
    failure: ClassVar[str]  # the stat that counts the steps that failed
    at_once: ClassVar[bool] = False  # whether the first step does not wait
    ended_by: ClassVar[tuple[type[Exception], ...]] = (StoreFailedError,)

    def __init__(self, seconds: float, stats: StatsCollector | None) -> None:
        assert stats is not None
        self.seconds = seconds
        self.stats = stats
        self.task: asyncio.Task[None] | None = None
        self._failures = 0  # in a row

    def connect(self, crawler: Crawler) -> Self:
        """Start and stop with the crawl; returns the extension."""
        crawler.signals.connect(self.engine_started, signals.engine_started)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        return self

    def engine_started(self) -> None:
        self.task = asyncio.ensure_future(self._repeat())

    def spider_closed(self) -> None:
        if self.task is not None:
            self.task.cancel()

    @abstractmethod
    async def step(self) -> None:
        """Run the step once."""

    async def attempt(self) -> None:
        """Run the step once; only an exception in :attr:`ended_by` is raised."""
        try:
            await self.step()
        except self.ended_by:
            raise
        except Exception as error:  # keep the task alive
            self._failures += 1
            self.stats.inc_value(self.failure)
            if self._failures == 1:
                rest = f"tried every {self.seconds:g} s; further failures are only counted"
                logger.warning("could not %s: %s (%s)", self.work, one_line(error), rest)
            logger.debug("could not %s", self.work, exc_info=True)
        else:
            if self._failures:
                logger.info("could %s again; failed tries: %d", self.work, self._failures)
            self._failures = 0

    async def _repeat(self) -> None:
        if not self.at_once:
            await asyncio.sleep(self.seconds)
        while True:
            try:
                await self.attempt()
            except self.ended_by:
                return
            await asyncio.sleep(self.seconds)


class Heartbeat(Repeated):
    """Tells the other workers every two seconds that this one is alive, and takes part in the host assignment.

    Leases that would expire soon are extended: however long its page takes, a lease belongs to this worker while it
    lives. Setting: ``LEASE_SECONDS``; a quarter of it is the longest time between two beats.
    """

    work = "tell the other workers that this one is alive"
    failure = "frontier/beat_failed"  # stat: heartbeats that failed
    at_once = True

    def __init__(self, pool: LeasePool, stats: StatsCollector | None, lease_seconds: float) -> None:
        super().__init__(min(BEAT_SECONDS, lease_seconds / 4), stats)
        self.pool = pool

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        lease_seconds = crawler.settings.getfloat("LEASE_SECONDS")
        return cls(Crawl.of(crawler).pool, crawler.stats, lease_seconds).connect(crawler)

    async def step(self) -> None:
        await self.pool.beat()


class PollPlannerExtension(Repeated):
    """Corrects the request price towards the budget every ten minutes, and rebuilds the plan every hour
    (:mod:`newsspider.crawl.poll_planner`). Host delays that became too long because the clock was set back are
    shortened.

    A continuous crawl with the policy ``index`` stores its budget multipliers for the next one.
    """

    work = "plan when the lists are polled"
    failure = "lists/replan_failed"  # stat: plans that failed

    def __init__(
        self, planner: PollPlanner, frontier: SqlFrontier, stats: StatsCollector | None, clock: Clock, *, keeps: bool
    ) -> None:
        super().__init__(CORRECT_SECONDS, stats)
        self.planner = planner
        self.frontier = frontier
        self.clock = clock
        self.keeps = keeps

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = Crawl.of(crawler)
        spider: Any = crawler.spider
        keeps = spider.forever and crawl.poll_planner.policy.keeps_time
        extension = cls(crawl.poll_planner, crawl.storage.frontier, crawler.stats, crawl.clock, keeps=keeps)
        return extension.connect(crawler)

    async def step(self) -> None:
        await bound_waits(self.frontier, self.clock)
        await self.planner.replan()
        if self.keeps:
            await self.planner.keep_multipliers()


class RefusedPages(Repeated):
    """Reopens the pages that another topic had refused, a few thousand a second while the crawl goes on: after a change
    of topic there may be millions. A crawl with nothing else to do reopens the rest at once."""

    work = "reopen the pages that another topic refused"
    failure = "frontier/reopen_failed"  # stat: such steps that failed

    def __init__(self, crawl: Crawl, stats: StatsCollector | None) -> None:
        super().__init__(1.0, stats)
        self.crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler), crawler.stats).connect(crawler)

    async def step(self) -> None:
        if not self.crawl.sites.is_adapted:
            await self.crawl.take_over()


EVERY_SECONDS = 0.02  # a delay is measured to this precision


class LoopDelay:
    """Sleeps for short periods and measures how late it wakes up.

    Stat: ``loop/delay_max``, the longest delay in seconds since the start of the engine. A busy machine delays the
    loop, too.
    """

    def __init__(self, stats: StatsCollector) -> None:
        self.stats = stats
        self.longest = 0.0  # since it was last taken
        self.task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assert crawler.stats is not None
        extension = cls(crawler.stats)
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def engine_started(self) -> None:
        self.task = asyncio.ensure_future(self._measure())

    def engine_stopped(self) -> None:
        if self.task is not None:
            self.task.cancel()

    def take(self) -> float:
        """The longest delay in seconds since the last call."""
        longest, self.longest = self.longest, 0.0
        return longest

    async def _measure(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + EVERY_SECONDS
            await asyncio.sleep(EVERY_SECONDS)
            if (delay := loop.time() - due) > self.longest:
                self.longest = delay
                # stat loop/delay_max: longest block of the event loop, in seconds
                self.stats.max_value("loop/delay_max", round(delay, 3))
