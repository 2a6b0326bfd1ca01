"""Settings of a crawl that leaks: an extension keeps 400 MB as soon as ``HOARD_AFTER_PAGES`` pages were settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy import signals

from newsspider.crawl.crawl import Crawl
from newsspider.settings import *  # noqa: F403 -- the project's, and one extension more

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

BYTES = 400 * 1024 * 1024


class Hoard:
    """What leaks."""

    def __init__(self, crawl: Crawl, pages: int) -> None:
        self.crawl = crawl
        self.pages = pages
        self.kept = b""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        hoard = cls(Crawl.of(crawler), crawler.settings.getint("HOARD_AFTER_PAGES"))
        crawler.signals.connect(hoard.request_sent, signals.request_reached_downloader)
        return hoard

    def request_sent(self) -> None:
        if self.crawl.ending.counters.settled >= self.pages and not self.kept:
            self.kept = b"x" * BYTES


EXTENSIONS = {"tests.crawl.hoarding.Hoard": 900}
HOARD_AFTER_PAGES = 110
MEMUSAGE_LIMIT_MB = 500
MEMUSAGE_CHECK_INTERVAL_SECONDS = 0.1
