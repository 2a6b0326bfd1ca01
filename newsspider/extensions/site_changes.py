"""Applies changes of the site registry while a crawl runs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.site_reload import SiteReload
from newsspider.extensions.periodic import Repeated
from newsspider.store.engine.writer import StoreFailed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)


class SitesWatch(Repeated):
    """Checks every ``SITES_WATCH_SECONDS`` whether a site was added, changed, enabled, disabled or removed.

    Only changed sites are touched: new channels are offered, removed channels are no longer claimed, a new weight
    applies from the next poll on.
    """

    work = "look for changed sites"
    ended_by = (StoreFailed,)

    def __init__(self, reload: SiteReload, stats: StatsCollector, seconds: float) -> None:
        super().__init__(seconds)
        self.reload = reload
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("SITES_WATCH_SECONDS")
        if seconds <= 0:
            raise NotConfigured
        assert crawler.stats is not None
        return cls(SiteReload.of(Crawl.of(crawler)), crawler.stats, seconds).connect(crawler)

    async def step(self) -> None:
        """Apply the changes since the last check."""
        changed = await self.reload.reload()
        if changed:
            logger.info("sites changed: %s", ", ".join(sorted(changed)))

    def failed(self) -> None:
        self.stats.inc_value("sites/watch_failed")  # stat: checks that failed
