"""The base class of extensions that repeat a step while the spider runs."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from scrapy import signals

from newsspider.core.crawling.internal_errors import one_line
from newsspider.store.engine.errors import StoreFailedError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

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
