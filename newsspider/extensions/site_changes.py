"""Takes changes of the sites up while a crawl runs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured

from newsspider.crawl.crawl import Runtime
from newsspider.extensions.periodic import Repeated
from newsspider.store.engine.writer import StoreFailed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class SitesWatch(Repeated):
    """Looks every ``SITES_WATCH_SECONDS`` whether a site was added, changed, enabled, disabled or removed.

    Only the sites that changed are touched: new channels are offered, channels that are gone are no longer claimed, a
    new weight holds from the next poll on. Stat: ``sites/watch_failed``.
    """

    work = "look for changed sites"
    ended_by = (StoreFailed,)

    def __init__(self, runtime: Runtime, seconds: float) -> None:
        super().__init__(seconds)
        self.runtime = runtime

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("SITES_WATCH_SECONDS")
        if seconds <= 0:
            raise NotConfigured
        return cls(Runtime.of(crawler), seconds).connect(crawler)

    async def step(self) -> None:
        """Take up what changed since the last look."""
        changed = await self.runtime.reload_sites()
        if changed:
            logger.info("sites changed: %s", ", ".join(sorted(changed)))

    def failed(self) -> None:
        self.runtime.stats.inc_value("sites/watch_failed")
