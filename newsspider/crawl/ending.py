"""Ends a crawl: why it stops (a limit, memory, a failed store), and why one that ended badly read nothing."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from newsspider.core.crawling.finish_reasons import Finish
from newsspider.store import ledger

if TYPE_CHECKING:
    from newsspider.core.crawling.finish_reasons import Limits
    from newsspider.crawl.counters import Counters
    from newsspider.crawl.crawl import Crawl
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)

REMEDY = "name the addresses in ALLOWED_ADDRESSES, or in the variable NEWSSPIDER_ALLOWED_ADDRESSES, if they are meant"


class CrawlEnding:
    """Why a crawl is to end; ``reason`` is ``None`` while it continues."""

    def __init__(self, limits: Limits, counters: Counters, pool: LeasePool, clock: Clock) -> None:
        self.limits = limits
        self.counters = counters
        self.started_at = clock.now()
        self.reason: Finish | None = None
        self._pool = pool
        self._clock = clock

    def stop(self, reason: Finish) -> None:
        """Claim no more, and end with this reason once the held leases are settled. The first reason counts, but any
        other one counts more than the memory limit: a crawl that has ended for it must not restart."""
        if self.reason in (None, Finish.MEMORY):
            self.reason = reason
        self._pool.changed.set()

    def store_failed(self, error: Exception) -> None:
        """Stop and drop all leases, since none can be settled; logged once."""
        if self.reason is not Finish.STORE_FAILED:
            logger.error("the store failed: %s", error)
            self.counters.stats.set_value("spider/stopped_by", str(error))
        self.reason = Finish.STORE_FAILED
        for lease in list(self._pool.held.values()):
            self._pool.drop(lease)
        self._pool.changed.set()

    def check_limits(self) -> None:
        limit = self.limits.reached(self.counters.pages, self.counters.articles, self.seconds())
        if limit is not None:
            self.stop(limit)

    def seconds(self) -> float:
        """Seconds since the crawl started."""
        return self._clock.now() - self.started_at

    def seconds_left(self) -> float:
        """Seconds until the limit of minutes."""
        if self.limits.minutes is None:
            return float("inf")
        return max(0.0, 60 * self.limits.minutes - self.seconds())

    def limits_left(self) -> Limits | None:
        """The remaining limits for a crawl that continues this one; ``None`` if one is reached."""
        return self.limits.left(self.counters.pages, self.counters.articles, self.seconds())


async def name_cause(crawl: Crawl) -> None:
    """Put into the stats what failed in this run, or in an earlier one if everything still waits."""
    counters = crawl.ending.counters
    cause = counters.failures.summary() or _refused(counters.stats.get_value("addresses/refused", 0))
    if cause is None:
        failed = await crawl.storage.writer.run(partial(ledger.last_failure, sites=crawl.sites.claimable()))
        cause = failed and f"nothing may be asked again yet after earlier failures, such as {failed}"
    if cause:
        counters.stats.set_value("spider/stopped_by", cause)


def _refused(requests: int) -> str | None:
    """What to do where requests were not made, because their hosts are at addresses that are not public."""
    return f"{requests} requests would go to addresses that are not public: {REMEDY}" if requests else None
