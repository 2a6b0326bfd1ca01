"""Ends the lease of a page whose article never reaches the pipelines, since a spider middleware of a user's dropped it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Reason
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE, OTHER_ITEMS
from newsspider.pipelines.store import page_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

DETAIL = "a spider middleware dropped its article"


class LostArticleMiddleware:
    """The spider middleware nearest to the engine: it sees what the others let through.

    A page without an article is saved by its callback. So a page whose lease is still held, and of which no article
    comes, has lost it: its URL ends as ``dropped``, else its lease would be extended for ever.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        has_article = False
        async for output in result:
            if page_of(output) is not None:
                has_article = True
            elif not isinstance(output, Request):
                response.meta[OTHER_ITEMS] = True
            yield output
        lease = response.meta.get(LEASE)
        if lease is None or has_article:
            return
        crawl = Crawl.of(self.crawler)
        if crawl.pool.holds(lease):
            assert response.request is not None
            visit = crawl.saver.errors.visit(response.request, lease)
            dropped = outcome.read(lease, Reason.DROPPED, crawl.clock.now(), detail=DETAIL)
            await crawl.saver.finish(PageResult(lease, outcome.after(dropped, visit)))
