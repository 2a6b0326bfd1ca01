"""Decodes pages for spiders without leases as the reader decodes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from newsspider.crawl.fetch_notes import LEASE
from newsspider.pages.article_item import decoded

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class DecodingMiddleware:
    """Sets the encoding of a response, which Scrapy takes wrongly where a header contradicts the bytes. The readers of
    pages with a lease decode the bytes themselves. Setting: ``DEFAULT_CHARSET``.
    """

    def __init__(self, default_charset: str) -> None:
        self.default_charset = default_charset

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler.settings["DEFAULT_CHARSET"])

    def process_response(self, request: Request, response: Response) -> Response:
        return response if LEASE in request.meta else decoded(response, self.default_charset)
