"""A Scrapy extension that writes every minute what a crawl is doing, from the inside: one JSON object a line."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Self

from newsspider.core.model import State
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import LoopDelay, Repeated

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class SoakMeter(Repeated):
    """Settings: ``SOAK_REPORT``, the file; ``SOAK_SECONDS`` between two lines."""

    work = "measure"
    failure = "soak/failed"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler.settings.getfloat("SOAK_SECONDS", 60.0), crawler.stats)
        self.crawl = Crawl.of(crawler)
        self.crawler = crawler
        self.path = Path(crawler.settings["SOAK_REPORT"])

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler).connect(crawler)

    async def step(self) -> None:
        """Write a line."""
        counts = await self.crawl.storage.frontier.counts()
        delays = self.crawler.get_extension(LoopDelay)
        counters, delay = self.crawl.ending.counters, delays.take() if delays else 0.0
        line = {
            "pages": counters.pages,
            "articles": counters.articles,
            "queue": counts[State.WAITING],
            "delay": round(delay, 3),
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
