"""Upkeep of the store during a crawl: merges the search index by night, deletes snapshots of vanished articles."""

from __future__ import annotations

import logging
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Self

from newsspider.core.query.query_dates import ZONE
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import Repeated
from newsspider.store.articles import revisits
from newsspider.store.index import entries

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.writer import Writer


logger = logging.getLogger(__name__)

MERGED_EVERY_SECONDS = 600.0
HOURS = range(2, 6)  # of China's time, when little is published


class IndexMerge(Repeated):
    """Works once a night: phrases are found faster in an index of one part. Pages are stored between its transactions.

    Stats: ``search/merged``, ``search/merge_failed``.
    """

    work = "join the parts of the search index"
    failure = "search/merge_failed"  # stat: failed tries to join the parts of the search index
    at_once = True

    def __init__(self, writer: Writer, stats: StatsCollector | None, clock: Clock) -> None:
        super().__init__(MERGED_EVERY_SECONDS, stats)
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


PRUNED_EVERY_SECONDS = 600.0
ARTICLES_AT_ONCE = 50  # articles a transaction
DAY = 86_400.0


class VanishedSnapshots(Repeated):
    """Checks at the start of a crawl and every ten minutes; the extracted articles stay.

    Setting: ``VANISHED_DELETE_DAYS``. Stats: ``articles/snapshots_deleted``, the number of articles;
    ``articles/snapshots_failed``.
    """

    work = "remove the snapshots of vanished articles"
    failure = "articles/snapshots_failed"  # stat: deletions that failed
    at_once = True

    def __init__(self, writer: Writer, stats: StatsCollector | None, clock: Clock, days: float) -> None:
        super().__init__(PRUNED_EVERY_SECONDS, stats)
        self.writer = writer
        self.clock = clock
        self.kept_seconds = days * DAY

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl, days = Crawl.of(crawler), crawler.settings.getfloat("VANISHED_DELETE_DAYS")
        return cls(crawl.storage.writer, crawler.stats, crawl.clock, days).connect(crawler)

    async def step(self) -> None:
        """Delete what is due, a few articles at a time."""
        deleted = ARTICLES_AT_ONCE
        while deleted == ARTICLES_AT_ONCE:
            now = self.clock.now()
            deleted = await self.writer.run(
                partial(
                    revisits.delete_vanished_snapshots, until=now - self.kept_seconds, now=now, most=ARTICLES_AT_ONCE
                )
            )
            if deleted:
                logger.info("the snapshots of %d articles were removed, which vanished long ago", deleted)
                # stat articles/snapshots_deleted: vanished articles whose snapshots were deleted
                self.stats.inc_value("articles/snapshots_deleted", deleted)
