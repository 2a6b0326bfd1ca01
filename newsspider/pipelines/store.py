"""Passes a page to the single writer and waits for the commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import DropItem

from newsspider.core.crawling.visit import PageResult
from newsspider.crawl.crawl import Crawl
from newsspider.store.engine.writer import StoreFailed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from newsspider.crawl.page_saver import PageSaver


class NotStored(DropItem):
    """The store failed, which is logged once for all pages: this one was not committed and will be fetched again."""


class StorePipeline:
    """Commits article, links and new state of a page in one transaction; only then is the lease settled.

    Waiting here is the back-pressure. Between download and reading, Scrapy's scraper is bounded by
    ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` bytes; between reading and writer, the waiting pages are bounded by the number of
    leases (``CONCURRENT_REQUESTS`` x ``LEASES_AHEAD``), and a full pool pauses the claim loop. Stats:
    ``pool/leases_max``, ``pool/storing_max``, ``pool/leases_full_seconds``, ``writer/longest_wait_seconds``. A failed
    store ends the crawl: :exc:`NotStored`. Other items pass unchanged.
    """

    def __init__(self, saver: PageSaver) -> None:
        self.saver = saver

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler).saver)

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageResult):
            try:
                await self.saver.save(item)
            except StoreFailed as error:
                raise NotStored(str(error), log_level="DEBUG") from error
        return item
