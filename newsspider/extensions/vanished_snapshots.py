"""Deletes the snapshots of articles that vanished long ago."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Self

from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import Repeated
from newsspider.store.articles import vanished as absences

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.writer import Writer

logger = logging.getLogger(__name__)

EVERY_SECONDS = 600.0
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
        super().__init__(EVERY_SECONDS, stats)
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
                partial(absences.delete_snapshots, until=now - self.kept_seconds, now=now, most=ARTICLES_AT_ONCE)
            )
            if deleted:
                logger.info("the snapshots of %d articles were removed, which vanished long ago", deleted)
                # stat articles/snapshots_deleted: vanished articles whose snapshots were deleted
                self.stats.inc_value("articles/snapshots_deleted", deleted)
