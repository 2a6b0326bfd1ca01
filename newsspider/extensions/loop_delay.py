"""Measures how long the event loop is blocked, when nothing else can be read, sent or stopped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

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
