"""What the extensions share that do one thing again and again while the spider runs."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from scrapy import signals

from newsspider.core.crawling.internal_errors import one_line

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class Repeated(ABC):
    """Does a step every so many seconds, from the start of the engine to the end of the spider.

    After a step that fails the next one is tried: a task that died would be seen by nobody. Of failures in a row the
    first is logged, with its cause, and so is their end. Only an exception of :attr:`ended_by` is the last.
    """

    work: ClassVar[str]  # what a step does, as in "could not ..."
    at_once: ClassVar[bool] = False  # whether the first step does not wait
    ended_by: ClassVar[tuple[type[Exception], ...]] = ()

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.task: asyncio.Task[None] | None = None
        self._failures = 0  # in a row

    def connect(self, crawler: Crawler) -> Self:
        """Begin and end with the crawl; the extension itself."""
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
        """Do it once."""

    @abstractmethod
    def failed(self) -> None:
        """Count a step that failed."""

    async def attempt(self) -> None:
        """Do it once; only an exception of :attr:`ended_by` is raised."""
        try:
            await self.step()
        except self.ended_by:
            raise
        except Exception as error:  # the fence of the task
            self._failures += 1
            self.failed()
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
