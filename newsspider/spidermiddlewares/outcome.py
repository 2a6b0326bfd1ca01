"""Turns an exception of the spider into the outcome of its lease: nothing a page does may leave its URL hanging."""

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
    """Catches what a callback raises: the page is tried again later
    (:meth:`~newsspider.crawl.internal_errors.PageErrors.result`)."""

    def __init__(self, errors: PageErrors) -> None:
        self.errors = errors

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler).saver.errors)

    def process_spider_exception(self, response: Response, exception: Exception) -> list[PageResult]:
        assert response.request is not None
        return [self.errors.result_of(response.request, lease_of(response.request), exception)]
