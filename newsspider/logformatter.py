"""What Scrapy logs of each page."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy.logformatter import LogFormatter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class PageLogFormatter(LogFormatter):
    """Scrapy's lines on fetched and scraped pages only where ``LOG_LEVEL`` shows them: the ledger keeps what became of a page.

    Scrapy makes these lines for every page whatever the level, which costs 1 % of a crawl.
    """

    def __init__(self, level: str | int) -> None:
        number = logging.getLevelName(level) if isinstance(level, str) else level
        self.shown = not isinstance(number, int) or number <= logging.DEBUG

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler.settings["LOG_LEVEL"])

    def crawled(self, *args: Any, **kwargs: Any) -> Any:
        return super().crawled(*args, **kwargs) if self.shown else None

    def scraped(self, *args: Any, **kwargs: Any) -> Any:
        return super().scraped(*args, **kwargs) if self.shown else None
