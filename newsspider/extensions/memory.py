"""Memory limit: ends a crawl that uses too much memory, and frees memory after large pages."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider, NotConfigured

from newsspider.core.crawling.finish_reasons import Finish
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.freed_memory import give_back, give_memory_back, trim_allocator
from newsspider.download.handler import LOOK_SECONDS
from newsspider.extensions.periodic import Repeated
from newsspider.store.engine.database import shrink_cache

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from newsspider.crawl.ending import CrawlEnding

MB = 1024 * 1024
_TRIM_AFTER = 8 * MB  # that the crawl grew by since its freed memory was last returned: a page leaves holes behind
REST_SECONDS = 60.0  # without a response, after which memory is given back
_STATM = Path("/proc/self/statm")

logger = logging.getLogger(__name__)


class MemoryLimit(Repeated):
    """Differs from Scrapy's memory usage extension in two ways: the limit applies to the current memory, not to its
    peak, and ``scrapy crawl`` restarts a continuous crawl after it.

    At the limit, pages under way are finished and stored, and all other leases are released. A crawl that has another
    reason to end, be it because of these last pages, ends for that one. A crawl over the limit before its first request
    is refused. After a minute without a response, caches, dictionaries and idle connections are given up; the next page
    loads them again.
    Settings: ``MEMUSAGE_ENABLED``, ``MEMUSAGE_LIMIT_MB``, ``MEMUSAGE_WARNING_MB``,
    ``MEMUSAGE_CHECK_INTERVAL_SECONDS``. Stats: ``memusage/startup``, ``memusage/max``, ``memusage/warning_reached``,
    ``memusage/limit_reached``, ``memusage/check_failed``, ``memusage/rests``. Signal: ``memusage_warning_reached``.
    """

    work = "check the memory usage of the crawl"
    failure = "memusage/check_failed"  # stat: checks that failed

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        super().__init__(settings.getfloat("MEMUSAGE_CHECK_INTERVAL_SECONDS"), crawler.stats)
        self.crawler = crawler
        self.limit = settings.getint("MEMUSAGE_LIMIT_MB") * MB
        self.warning = settings.getint("MEMUSAGE_WARNING_MB") * MB
        self.warned = False
        self.trimmed = 0  # bytes in use when freed memory was last returned
        self.responses = 0
        self.responded_at: float | None = None  # of the monotonic clock; None: it rests already
        self.closing: asyncio.Future[Any] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.getbool("MEMUSAGE_ENABLED") or not _STATM.exists():
            raise NotConfigured
        extension = cls(crawler).connect(crawler)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        return extension

    def spider_opened(self) -> None:
        used = resident_bytes()
        self.stats.set_value("memusage/startup", used)  # stat: bytes before the first request
        if self.limit and used > self.limit:
            self.stats.set_value("memusage/limit_reached", 1)
            cause = f"MEMUSAGE_LIMIT_MB={self.limit // MB}: this crawl takes {used // MB} MB before its first request"
            self.stats.set_value("spider/stopped_by", cause)
            logger.error(cause)
            raise CloseSpider(str(Finish.MEMORY))

    async def step(self) -> None:
        await self._rest()
        used = resident_bytes()
        self.stats.max_value("memusage/max", used)  # stat: most bytes used
        if used > self.trimmed + _TRIM_AFTER:
            await asyncio.to_thread(trim_allocator)
            self.trimmed = resident_bytes()
        if self.limit and used > self.limit and self.closing is None:
            give_back()
            used = resident_bytes()
            if used > self.limit:
                self._close(used)
        if self.warning and used > self.warning and not self.warned:
            self.warned = True
            self.stats.set_value("memusage/warning_reached", 1)  # stat: 1: above `MEMUSAGE_WARNING_MB`
            logger.warning("the crawl takes %d MB, more than MEMUSAGE_WARNING_MB=%d", used // MB, self.warning // MB)
            self.crawler.signals.send_catch_log(signals.memusage_warning_reached)

    async def _rest(self) -> None:
        """After a minute without a response, give back what the next page can load again."""
        responses = self.stats.get_value("response_received_count", 0)
        if responses != self.responses:
            self.responses, self.responded_at = responses, time.monotonic()
        elif self.responded_at is not None and time.monotonic() - self.responded_at >= REST_SECONDS:
            self.responded_at = None
            with suppress(NotConfigured):  # a spider without leases
                crawl = Crawl.of(self.crawler)
                crawl.claims.prepared = False
                crawl.storage.writer.submit(shrink_cache)
                await asyncio.to_thread(give_memory_back, crawl.storage.engine)
                self.trimmed = resident_bytes()
                self.stats.inc_value("memusage/rests")  # stat: times that an idle crawl gave its memory back

    def _close(self, used: int) -> None:
        ending = None
        with suppress(NotConfigured):  # a spider without leases claims nothing
            ending = Crawl.of(self.crawler).ending
            if ending.reason is not None:  # a limit was reached: it finishes its pages, and says so
                return
        self.stats.set_value("memusage/limit_reached", 1)  # stat: 1: above `MEMUSAGE_LIMIT_MB`
        logger.warning(
            "the crawl takes %d MB, more than MEMUSAGE_LIMIT_MB=%d: it finishes its pages", used // MB, self.limit // MB
        )
        if ending is not None:
            ending.stop(Finish.MEMORY)  # else it would claim until the engine is closed
        self.closing = asyncio.ensure_future(self._finish(ending))

    async def _finish(self, ending: CrawlEnding | None) -> None:
        """Send no more requests, wait for those under way, and close the spider with the reason that counts then."""
        engine: Any = self.crawler.engine
        engine.pause()
        while engine.downloader.active or not engine.scraper.slot.is_idle():
            await asyncio.sleep(LOOK_SECONDS)
        reason = Finish.MEMORY if ending is None else ending.reason
        if engine.spider is not None:  # else a signal closed it meanwhile
            await engine.close_spider_async(reason=str(reason))


def resident_bytes() -> int:
    """The resident memory of this process in bytes."""
    return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
