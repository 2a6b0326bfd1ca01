"""Thinks over when the lists are polled while a crawl runs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from newsspider.clock import CORRECT_SECONDS
from newsspider.extensions.repeated import Repeated
from newsspider.runtime import Runtime
from newsspider.store.writer import StoreFailed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class ClockExtension(Repeated):
    """Every ten minutes moves the price of a request towards the budget, and every hour makes the plan anew (:mod:`newsspider.clock`).

    Stat: ``lists/think_failed``.
    """

    ended_by = (StoreFailed,)

    def __init__(self, runtime: Runtime, seconds: float = CORRECT_SECONDS) -> None:
        super().__init__(seconds)
        self.runtime = runtime

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Runtime.of(crawler)).connect(crawler)

    async def step(self) -> None:
        """Think once."""
        await self.runtime.think()

    def failed(self) -> None:
        logger.warning("could not think over when the lists are polled", exc_info=True)
        self.runtime.stats.inc_value("lists/think_failed")
