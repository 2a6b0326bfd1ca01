"""Turns an exception in the spider into an outcome of the lease, so that no URL is left leased."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import lease_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsspider.core.crawling.visit import PageResult
    from newsspider.crawl.internal_errors import PageErrors


class OutcomeMiddleware:
    """Catches exceptions of a callback: the page is retried later
    (:meth:`~newsspider.crawl.internal_errors.PageErrors.result`)."""

    def __init__(self, errors: PageErrors) -> None:
        self.errors = errors

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler).saver.errors)

    def process_spider_exception(self, response: Response, exception: Exception) -> list[PageResult]:
        assert response.request is not None
        return [self.errors.result_of(response.request, lease_of(response.request), exception)]
