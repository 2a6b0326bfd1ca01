"""The components that a spider with leases has, its scheduler first, and those of Scrapy that it does without: one
lease is one fetch, and the frontier decides what follows from a redirect, a failure or a refusal."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.defer import deferred_from_coro

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Reason
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE, OTHER_ITEMS, VISIT
from newsspider.hooks import plugins
from newsspider.pipelines.store import page_of

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.internet.defer import Deferred

    from newsspider.crawl.lease_pool import LeasePool


SPIDER = SETTINGS_PRIORITIES["spider"]
# A buffer of requests whose leases are held. With `REDIS_URL` it is a subclass of scrapy-redis's `Scheduler`.
SCHEDULER = "newsspider.spiders.leased_components.LeaseScheduler"
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


class LeaseScheduler(BaseScheduler):
    """Hands out claimed requests in the order of their claim; the frontier decided everything else already.

    The engine may idle only when the buffer is empty and every lease is settled. On close the leases of this worker
    that are still held go back to the frontier.
    """

    def __init__(self, pool: LeasePool) -> None:
        self.pool = pool
        self.buffer: deque[Request] = deque()  # memory: requests that wait for the downloader: one a lease

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LeaseScheduler:
        """That of a plug-in, as with Redis, or this one."""
        scheduler: LeaseScheduler | None = plugins().hook.scheduler(crawler=crawler)
        return scheduler if scheduler is not None else cls(Crawl.of(crawler).pool)

    def open(self, spider: Spider) -> None:
        """Nothing to open: the crawl opened the store."""

    def close(self, reason: str) -> Deferred[None]:
        return deferred_from_coro(self.pool.release_all())

    def has_pending_requests(self) -> bool:
        return bool(self.buffer) or bool(self.pool.held)

    def enqueue_request(self, request: Request) -> bool:
        if LEASE not in request.meta:
            raise ValueError(f"a request without a lease cannot be scheduled: {request.url}")
        if VISIT in request.meta:  # it was sent: a copy, as retry middlewares make them
            return False
        self.buffer.append(request)
        return True

    def next_request(self) -> Request | None:
        return self.buffer.popleft() if self.buffer else None
