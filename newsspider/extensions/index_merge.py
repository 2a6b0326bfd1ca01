"""Joins the parts of the search index at night."""

from __future__ import annotations

import logging
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Self

from newsspider.core.query.moments import ZONE
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import Repeated
from newsspider.store.index import entries

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.writer import Writer

logger = logging.getLogger(__name__)

EVERY_SECONDS = 600.0
HOURS = range(2, 6)  # of China's time, when little is published


class IndexMerge(Repeated):
    """Works once a night: phrases are found faster in an index of one part. Pages are stored between its transactions.

    Stats: ``search/merged``, ``search/merge_failed``.
    """

    work = "join the parts of the search index"
    failure = "search/merge_failed"  # stat: failed tries to join the parts of the search index
    at_once = True

    def __init__(self, writer: Writer, stats: StatsCollector | None, clock: Clock) -> None:
        super().__init__(EVERY_SECONDS, stats)
        self.writer = writer
        self.clock = clock
        self.merged_on: date | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = Crawl.of(crawler)
        return cls(crawl.storage.writer, crawler.stats, crawl.clock).connect(crawler)

    async def step(self) -> None:
        """Join them if it is night and this was not done yet."""
        now = datetime.fromtimestamp(self.clock.now(), ZONE)
        if now.hour not in HOURS or self.merged_on == now.date():
            return
        more = await self.writer.run(partial(entries.merge, begin=True))
        while more:
            more = await self.writer.run(partial(entries.merge, begin=False))
        self.merged_on = now.date()
        self.stats.inc_value("search/merged")  # stat: nights on which the parts of the search index were joined
        logger.info("the parts of the search index are joined")
