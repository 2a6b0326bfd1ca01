"""Settings of a crawl that leaks: an extension keeps 400 MB as soon as 110 pages were settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy import signals

from newsspider.crawl.crawl import Crawl
from newsspider.settings import *  # noqa: F403 -- the project's, and one extension more

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

PAGES, BYTES = 110, 400 * 1024 * 1024


class Hoard:
    """What leaks."""

    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl
        self.kept = b""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        hoard = cls(Crawl.of(crawler))
        crawler.signals.connect(hoard.response_received, signals.response_received)
        return hoard

    def response_received(self) -> None:
        if self.crawl.ending.counters.settled >= PAGES and not self.kept:
            self.kept = b"x" * BYTES


EXTENSIONS = {"tests.crawl.hoarding.Hoard": 900}
MEMUSAGE_LIMIT_MB = 500
MEMUSAGE_CHECK_INTERVAL_SECONDS = 0.1
