"""The name under which a crawl runs, so that no second one starts (``-a job=NAME``)."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from newsspider.core.crawling.finish_reasons import Finish
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.storage import died_here
from newsspider.extensions.periodic import Repeated
from newsspider.store import jobs
from newsspider.store.engine.errors import StoreFailedError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)


class NamedJob(Repeated):
    """Holds the name in the store while the crawl lives."""

    work = "go on holding the name of the job"
    failure = "frontier/job_failed"  # stat: failures to go on holding the name of the job

    def __init__(self, name: str, crawl: Crawl, stats: StatsCollector | None) -> None:
        super().__init__(jobs.LEASE_SECONDS / 3, stats)
        self.name, self.storage, self.clock, self.ending = name, crawl.storage, crawl.clock, crawl.ending
        self.holder = crawl.storage.frontier.worker
        self.held = False

    @classmethod
    def of(cls, crawler: Crawler) -> Self | None:
        """The job of a crawler; ``None`` if its crawl has no name."""
        spider: Any = crawler.spider
        name = spider.arguments.given.get("job")
        return cls(name, Crawl.of(crawler), crawler.stats).connect(crawler) if name else None

    async def take(self) -> bool:
        """Whether the crawl may run: no other one has the name."""
        taking = partial(jobs.take, name=self.name, holder=self.holder, now=self.clock.now(), died=died_here)
        self.held = await self.storage.writer.run(taking)
        return self.held

    async def release(self, *, restarts: bool) -> None:
        """Release the name; for a crawl that restarts another run may take it at once."""
        if self.held:
            quiet = 0.0 if restarts else jobs.SAME_TRIGGER_SECONDS
            releasing = partial(jobs.release, name=self.name, holder=self.holder, now=self.clock.now(), quiet=quiet)
            await self.storage.writer.run(releasing)

    async def step(self) -> None:
        if self.held:
            extending = partial(jobs.extend, name=self.name, holder=self.holder, now=self.clock.now())
            self.held = await self.storage.writer.run(extending)
            if not self.held:
                logger.warning("another run has taken the job %s, for the store was away for too long", self.name)
                self.ending.stop(Finish.ALREADY_RUNS)


async def let_go(job: NamedJob | None, reason: str) -> None:
    """Release the name of a job, if there is one and the store has not failed."""
    if job is not None:
        try:
            await job.release(restarts=reason == Finish.MEMORY)
        except StoreFailedError:  # the name is free when its time is over
            return
