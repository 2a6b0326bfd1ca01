"""Scrapy's scheduler over the frontier: a small buffer of the requests of claimed leases."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from scrapy.core.scheduler import BaseScheduler
from scrapy.utils.defer import deferred_from_coro

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE, VISIT
from newsspider.hooks import plugins

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from newsspider.crawl.lease_pool import LeasePool


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
