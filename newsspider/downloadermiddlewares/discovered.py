"""Answers the requests of an indexing with the pages that the discovery kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Self

from scrapy.http import HtmlResponse

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE
from newsspider.store.exploring.discovered import INDEX, page_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class DiscoveredPagesMiddleware:
    """Nothing is sent for a page that ``rbse`` kept with ``stage=discover``; one that it did not keep is fetched."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> HtmlResponse | None:
        lease = request.meta.get(LEASE)
        if lease is None or not lease.site.endswith(INDEX):
            return None
        page = await Crawl.of(self.crawler).storage.writer.run(partial(page_of, lease=lease))
        if page is None:
            return None
        headers = {"Content-Type": f"text/html; charset={page.charset}"}
        return HtmlResponse(request.url, headers=headers, body=page.content, request=request)
