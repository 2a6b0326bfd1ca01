"""What the extensions share that do one thing again and again while the spider runs."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Repeated(ABC):
    """Does a step every so many seconds, from the start of the engine to the end of the spider.

    A step that fails is told to :meth:`failed`, and the next one is tried: a task that died would be seen by nobody. Only an
    exception of :attr:`ended_by` is the last.
    """

    at_once: ClassVar[bool] = False  # whether the first step does not wait
    ended_by: ClassVar[tuple[type[Exception], ...]] = ()

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.task: asyncio.Task[None] | None = None

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
        """Count and log the exception of a step, which is being handled."""

    async def _repeat(self) -> None:
        if not self.at_once:
            await asyncio.sleep(self.seconds)
        while True:
            try:
                await self.step()
            except self.ended_by:
                return
            except Exception:  # the fence of the task
                self.failed()
            await asyncio.sleep(self.seconds)
