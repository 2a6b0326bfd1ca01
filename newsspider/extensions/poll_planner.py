"""Updates the poll plan while a crawl runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.host_policy import bound_waits
from newsspider.crawl.poll_planner import CORRECT_SECONDS
from newsspider.extensions.periodic import Repeated

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.poll_planner import PollPlanner
    from newsspider.frontier.sql import SqlFrontier
    from newsspider.store.engine.clock import Clock


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
