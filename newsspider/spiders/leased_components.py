"""The components that a spider with leases has, and those of Scrapy that it does without: one lease is one fetch, and
the frontier decides what follows from a redirect, a failure or a refusal."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.settings import SETTINGS_PRIORITIES

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Reason
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE, OTHER_ITEMS
from newsspider.pipelines.store import page_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings


SPIDER = SETTINGS_PRIORITIES["spider"]
# A buffer of requests whose leases are held. With `REDIS_URL` it is a subclass of scrapy-redis's `Scheduler`.
SCHEDULER = "newsspider.scheduler.LeaseScheduler"
OFF = {
    "DOWNLOADER_MIDDLEWARES_BASE": (
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware",
        "scrapy.downloadermiddlewares.retry.RetryMiddleware",
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware",
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware",
        "scrapy.downloadermiddlewares.cookies.CookiesMiddleware",
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",
    ),
    "SPIDER_MIDDLEWARES_BASE": (
        "scrapy.spidermiddlewares.depth.DepthMiddleware",  # the ledger knows the depth
        "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware",  # every status is an outcome
        "scrapy.spidermiddlewares.referer.RefererMiddleware",
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware",  # see core.fetching.traps
    ),
    "EXTENSIONS_BASE": (
        "scrapy.extensions.logstats.LogStats",  # see `newsspider.extensions.log_line`
    ),
}
ON = {"SPIDER_MIDDLEWARES_BASE": {"newsspider.spiders.leased_components.LostArticleMiddleware": 0}}


def set_leased_components(settings: BaseSettings) -> None:
    """Set the scheduler of leases unless the command line names another, and the other components of such spiders."""
    if (settings.getpriority("SCHEDULER") or 0) < SPIDER:
        settings.set("SCHEDULER", SCHEDULER, SPIDER)
    for setting, components in OFF.items():
        settings.set(setting, settings.getdict(setting) | dict.fromkeys(components) | ON.get(setting, {}), SPIDER)


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
