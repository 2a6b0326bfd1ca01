"""The heartbeat of a worker, which also extends its leases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import Repeated
from newsspider.frontier.members import BEAT_SECONDS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.lease_pool import LeasePool


class Heartbeat(Repeated):
    """Tells the other workers every two seconds that this one is alive, and takes part in the host assignment.

    Leases that would expire soon are extended: however long its page takes, a lease belongs to this worker while it
    lives. Setting: ``LEASE_SECONDS``; a quarter of it is the longest time between two beats.
    """

    work = "tell the other workers that this one is alive"
    failure = "frontier/beat_failed"  # stat: heartbeats that failed
    at_once = True

    def __init__(self, pool: LeasePool, stats: StatsCollector | None, lease_seconds: float) -> None:
        super().__init__(min(BEAT_SECONDS, lease_seconds / 4), stats)
        self.pool = pool

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        lease_seconds = crawler.settings.getfloat("LEASE_SECONDS")
        return cls(Crawl.of(crawler).pool, crawler.stats, lease_seconds).connect(crawler)

    async def step(self) -> None:
        await self.pool.beat()
