"""Takes changes of the sites up while a crawl runs."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsspider.runtime import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class SitesWatch:
    """Looks every ``SITES_WATCH_SECONDS`` whether a site was added, changed, enabled, disabled or removed.

    Only the sites that changed are touched: new channels are offered, channels that are gone are no longer claimed, a new weight
    holds from the next poll on.
    """

    def __init__(self, runtime: Runtime, seconds: float) -> None:
        self.runtime = runtime
        self.seconds = seconds
        self.task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("SITES_WATCH_SECONDS")
        if seconds <= 0:
            raise NotConfigured("SITES_WATCH_SECONDS is 0")
        extension = cls(Runtime.of(crawler), seconds)
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def engine_started(self) -> None:
        self.task = asyncio.ensure_future(self._watch())

    def spider_closed(self) -> None:
        if self.task is not None:
            self.task.cancel()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self.seconds)
            try:
                changed = await self.runtime.reload_sites()
            except Exception:  # a store that is briefly away must not end the watch; the writer counts and logs its own troubles
                logger.warning("could not look for changed sites", exc_info=True)
                self.runtime.stats.inc_value("sites/watch_failed")
                continue
            if changed:
                logger.info("sites changed: %s", ", ".join(sorted(changed)))
