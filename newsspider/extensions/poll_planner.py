"""Thinks over when the lists are polled while a crawl runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from newsspider.crawl.crawl import Runtime
from newsspider.crawl.poll_planner import CORRECT_SECONDS
from newsspider.extensions.periodic import Repeated
from newsspider.store.engine.writer import StoreFailed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class PollPlannerExtension(Repeated):
    """Every ten minutes moves the price of a request towards the budget, and every hour makes the plan anew
    (:mod:`newsspider.crawl.poll_planner`); then, too, no host is left waiting because the system clock was set back.

    A crawl around the clock whose lists have prices keeps them for the next one; one of a single round asks its lists
    whatever they cost, and does not.

    Stat: ``lists/think_failed``.
    """

    work = "think over when the lists are polled"
    ended_by = (StoreFailed,)

    def __init__(self, runtime: Runtime, *, keeps: bool, seconds: float = CORRECT_SECONDS) -> None:
        super().__init__(seconds)
        self.runtime = runtime
        self.keeps = keeps

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        spider: Any = crawler.spider
        runtime = Runtime.of(crawler)
        return cls(runtime, keeps=spider.forever and runtime.clock.keeps_time).connect(crawler)

    async def step(self) -> None:
        """Think once."""
        await self.runtime.bound_waits()
        await self.runtime.think()
        if self.keeps:
            await self.runtime.keep_prices()

    def failed(self) -> None:
        self.runtime.stats.inc_value("lists/think_failed")
