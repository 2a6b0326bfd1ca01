"""The Redis scheduler of a fleet: the buffer of claimed leases as a subclass of scrapy-redis's scheduler."""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any, Self

from scrapy_redis import queue, scheduler

from newsspider.crawl.crawl import Crawl
from newsspider.features.fleet.redis_connections import client_of
from newsspider.spiders.leased_components import LeaseScheduler

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from newsspider.crawl.lease_pool import LeasePool


class LocalQueue(queue.Base):
    """A scrapy-redis queue that never leaves the process: requests are made from leases, and leases are in the
    ledger."""

    def __init__(self, server: Any, spider: Spider, key: str, requests: deque[Request]) -> None:
        super().__init__(server, spider, key, serializer=json)  # type: ignore[no-untyped-call] # never used; the default is pickle
        self.requests = requests

    def __len__(self) -> int:
        return len(self.requests)

    def push(self, request: Request) -> None:
        self.requests.append(request)

    def pop(self, timeout: float = 0) -> Request | None:
        """Take the first request, without waiting."""
        return self.requests.popleft() if self.requests else None

    def clear(self) -> None:
        """Drop the requests; Redis holds none."""
        self.requests.clear()


class RedisScheduler(LeaseScheduler, scheduler.Scheduler):
    """A :class:`LeaseScheduler` for programs that expect scrapy-redis's.

    Of scrapy-redis it has the type, the connection settings and the queue's interface, and nothing else: it asks Redis
    for nothing, so that a crawl starts and ends without it; it flushes nothing, filters nothing, pickles nothing. What
    is shared by the fleet is shared by the frontier.
    """

    def __init__(self, pool: LeasePool, server: Any) -> None:
        LeaseScheduler.__init__(self, pool)
        scheduler.Scheduler.__init__(self, server, persist=True, serializer=json)  # type: ignore[no-untyped-call]
        self.queue: LocalQueue

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler).pool, client_of(crawler.settings))

    def open(self, spider: Spider) -> None:
        """Make the queue; no dupefilter, for the ledger knows every URL."""
        self.spider = spider
        self.queue = LocalQueue(self.server, spider, self.queue_key % {"spider": spider.name}, self.buffer)

    def close(self, reason: str) -> Deferred[None]:
        self.server.close()
        return super().close(reason)

    def flush(self) -> None:
        """Nothing to flush in Redis."""
        self.queue.clear()
