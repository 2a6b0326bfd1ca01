"""Recomputes the link ranks of pages (PageRank, hubs and authorities) while a crawl runs."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.threads import trim
from newsspider.extensions.periodic import Repeated
from newsspider.store.engine.database import reading
from newsspider.store.engine.writer import StoreFailed
from newsspider.store.exploring import ranks
from newsspider.store.exploring.ranks import Ranked

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.storage import Storage
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)

LOOK_SECONDS = 600.0
AT_ONCE = 2000  # rows per job: pages are stored between two jobs
HOUR = 3600.0


class Stopped(Exception):  # noqa: N818 -- reads as what it says
    """The crawl ends while the links are read."""


class Ranks(Repeated):
    """Checks at the start of a crawl and every ten minutes whether the ranks are older than ``RANK_HOURS``, whoever
    computed them.

    A round that ends earlier leaves it to the next one, and so does a store without links. A thread with its own
    connection reads the links from one state of the store and computes the ranks; the writer stores them in small
    batches. Setting: ``RANK_HOURS``.
    """

    work = "compute the ranks of the pages"
    failure = "graph/rank_failed"  # stat: failures to compute them
    at_once = True
    ended_by = (StoreFailed, Stopped)

    def __init__(self, storage: Storage, stats: StatsCollector | None, clock: Clock, hours: float) -> None:
        super().__init__(LOOK_SECONDS, stats)
        self.storage = storage
        self.clock = clock
        self.age_seconds = hours * HOUR
        self.stopping = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        hours = crawler.settings.getfloat("RANK_HOURS")
        if not hours:
            raise NotConfigured
        crawl = Crawl.of(crawler)
        return cls(crawl.storage, crawler.stats, crawl.clock, hours).connect(crawler)

    def spider_closed(self) -> None:
        self.stopping = True
        super().spider_closed()

    async def step(self) -> None:
        """Recompute the ranks if they are too old."""
        now = self.clock.now()
        ranked = await asyncio.to_thread(self._found, now)
        if ranked is None or not len(ranked.keys):
            return
        for step in ranks.writing(ranked, now, AT_ONCE, self.clock):
            await self.storage.writer.run(step)
        self.stats.inc_value("graph/ranked")  # stat: ranks computed
        logger.info(
            "ranks of %d pages by %d links computed in %.1f s", len(ranked.keys), ranked.links, self.clock.now() - now
        )

    def _found(self, now: float) -> Ranked | None:
        with reading(self.storage.engine) as conn:
            made = ranks.ranked_at(conn)
        if made is not None and now - made < self.age_seconds:
            return None
        try:
            return ranks.rank(self.storage.engine, self._note)
        finally:
            trim()  # rows of all URLs and links were read

    def _note(self, links: int) -> None:
        if self.stopping:
            raise Stopped
