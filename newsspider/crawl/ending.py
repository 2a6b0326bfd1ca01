"""Ends a crawl: why it stops (a limit, memory, a failed store, too many internal errors), and why one that ended badly
read nothing. Each kind of internal error is logged once, all are counted, and their pages are retried."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from scrapy.utils.datatypes import LocalCache

from newsspider.core.crawling import outcome
from newsspider.core.crawling.finish_reasons import Finish
from newsspider.core.crawling.internal_errors import (
    AT_ONCE,
    RECENT_PAGES,
    Shortage,
    one_line,
    outage_of,
    place_of,
    shortage_advice,
    shortage_of,
)
from newsspider.core.crawling.visit import Lease, PageResult, Settlement
from newsspider.core.model import Reason
from newsspider.crawl.fetch_notes import visit_of
from newsspider.store import ledger

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.finish_reasons import CrawlLimits
    from newsspider.crawl.counters import Counters
    from newsspider.crawl.crawl import Crawl
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.host_policy import HostPolicy
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.crawl.storage import Storage
    from newsspider.store.engine.clock import Clock


logger = logging.getLogger(__name__)

REMEDY = "name the addresses in ALLOWED_ADDRESSES, or in the variable NEWSSPIDER_ALLOWED_ADDRESSES, if they are meant"
PAGES_KEPT = 10_000  # failed pages, and kinds of errors, in memory
LONGEST_DETAIL = 200  # characters of an exception in the ledger


class CrawlEnding:
    """Why a crawl is to end; ``reason`` is ``None`` while it continues."""

    def __init__(self, limits: CrawlLimits, counters: Counters, pool: LeasePool, clock: Clock) -> None:
        self.limits = limits
        self.counters = counters
        self.started_at = clock.now()
        self.reason: Finish | None = None
        self.taking = asyncio.Lock()  # held while start URLs are taken, which use the store: it closes afterwards
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

    def limits_left(self) -> CrawlLimits | None:
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


class ErrorLog:
    """The internal errors of a process, and the cause for which it must stop, if any."""

    def __init__(self, stats: StatsCollector) -> None:
        self.stats = stats
        self.cause: str | None = None
        self._kinds: Counter[str] = Counter()
        # memory _recent: the last pages, by host, and whether they failed: RECENT_PAGES
        self._recent: deque[tuple[str, bool]] = deque(maxlen=RECENT_PAGES)

    def page_read(self, host: str) -> None:
        """Note that a page of this host was saved without an internal error."""
        self._recent.append((host, False))

    def note(self, error: BaseException, lease: Lease) -> None:
        """Count an error with a page, and decide whether the crawl must stop."""
        self._recent.append((lease.host, True))
        self._log(error, lease.url)
        outage = None if self.must_stop(error) else outage_of(self._recent)
        if outage is not None:
            shortage = shortage_of(error)
            why = shortage_advice(shortage) if shortage else f"most often {self._kinds.most_common(1)[0][0]}"
            self.stop(f"internal errors affected {outage[0]} of the last {outage[1]} pages: {why}")

    def must_stop(self, error: BaseException) -> bool:
        """Whether an error shows that the machine has run out of something, so that the crawl must stop at once."""
        shortage = shortage_of(error)
        if shortage not in AT_ONCE:
            return False
        self.stop(shortage_advice(shortage, _most_files() if shortage is Shortage.FILES else None))
        return True

    def close(self) -> None:
        """Log the count of each kind of error that occurred more than once."""
        for kind, times in self._kinds.most_common():
            if times > 1:
                logger.error("%s: %d times", kind, times)

    def stop(self, cause: str) -> None:
        """Record why the crawl must stop; the first cause counts."""
        if self.cause is None:
            self.cause = cause
            logger.error("the crawl stops: %s", cause)
            self.stats.set_value("spider/stopped_by", cause)  # stat: text: what stopped the crawl

    def _log(self, error: BaseException, url: str) -> None:
        kind = place_of(error)
        is_recorded = kind in self._kinds
        if is_recorded or len(self._kinds) < PAGES_KEPT:
            self._kinds[kind] += 1
        if not is_recorded:
            logger.error("an internal error with %s; others of its kind are only counted", url, exc_info=error)
        self.stats.inc_value("spider/internal_error")  # stat: pages not read because of an internal error


def _most_files() -> int | None:
    """How many files the process may have open; ``None`` where the system does not say."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


@dataclass(eq=False)
class PageErrors:
    """The outcome of pages that failed because of internal errors.

    They are retried later (:func:`~newsspider.core.crawling.outcome.internal`). If the crawl stops because of such
    errors, they are released, and its earlier failures are not counted against its pages.
    """

    log: ErrorLog
    storage: Storage
    sites: CrawlSites
    host_policy: HostPolicy
    ending: CrawlEnding
    stats: StatsCollector
    clock: Clock
    # memory _tries: how often we failed over a page, by its key: PAGES_KEPT pages
    _tries: LocalCache[int, int] = field(default_factory=lambda: LocalCache(PAGES_KEPT), init=False)

    def result(self, lease: Lease, error: BaseException, visit: Settlement) -> PageResult:
        """The result of a page that failed internally; ``visit`` is the effect of its fetch on the host."""
        self.log.note(error, lease)
        detail = one_line(error)[:LONGEST_DETAIL]
        if self.log.cause is not None:
            self.ending.stop(Finish.INTERNAL_OUTAGE)
            settlement = outcome.put_back(lease, Reason.RELEASED, lease.due_at, detail=detail)
        else:
            tries = self._tries[lease.key] = self._tries.get(lease.key, 0) + 1
            base = self.host_policy.retries.base_seconds
            settlement = outcome.internal(lease, self.clock.now(), base, tries, detail)
        return PageResult(lease, outcome.after(settlement, visit))

    def result_of(self, request: Request, lease: Lease, error: BaseException) -> PageResult:
        """The same, with the effect of the fetch taken from the request."""
        return self.result(lease, error, self.visit(request, lease))

    def visit(self, request: Request, lease: Lease) -> Settlement:
        """The effect of a fetch on the host, as a settlement that changes nothing else."""
        released = outcome.put_back(lease, Reason.RELEASED, lease.due_at)
        return self.host_policy.visited(lease, visit_of(request), released)

    async def left(self) -> bool:
        """Whether internal errors left work undone: pages are waiting because of them, or this crawl gave some up."""
        if self.log.cause is not None:
            failed = tuple(self._tries)
            await self.storage.frontier.run(partial(ledger.forgive, keys=failed, now=self.clock.now()))
        waiting = await self.storage.writer.run(partial(ledger.faulty, sites=self.sites.claimable()))
        self.stats.set_value("spider/internal_left", waiting)  # stat: pages that wait because of such errors
        return waiting > 0 or bool(self.stats.get_value(f"outcome/{Reason.INTERNAL}"))
