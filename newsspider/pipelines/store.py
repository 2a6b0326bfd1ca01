"""Hands a page to the one writer and lets go of it only when it is on disk."""

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
    """The store failed, which is said once for all pages: this one was not committed, so it will be fetched again."""


class StorePipeline:
    """Commits the article, the links and the new state of a page in one transaction; only then is the lease settled.

    Waiting here is the back-pressure. The pool between download and reading is Scrapy's scraper, bounded by
    ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` bytes; the pool between reading and writer is what waits here, bounded by the
    leases that may be held (``CONCURRENT_REQUESTS`` x ``LEASES_AHEAD``); a full one pauses the claim loop. Stats:
    ``pool/leases_max``, ``pool/storing_max``, ``pool/leases_full_seconds``, ``writer/longest_wait_seconds``. A store
    that failed ends the crawl: :exc:`NotStored`. An item of another type passes.
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
