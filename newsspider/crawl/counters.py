"""The counters of a crawl and the log of its failures, updated when its pages are committed; and the stats collector,
which counts also where a page is read in a thread."""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any

from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.datatypes import LocalCache

from newsspider.core.crawling.outcome import failure_of
from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.model import PageType, Reason
from newsspider.store import ledger

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.visit import Saved, Settlement

logger = logging.getLogger(__name__)

HOSTS_KEPT = 1_000
KINDS_KEPT = 10_000  # kinds of failures, times hosts, in memory
LAG_BOUNDS = (60, 300, 900, 3600, 6 * 3600, 86_400, 7 * 86_400)  # seconds: upper bounds of the lags that are counted


class Counters:
    """The counts for limits, progress and the end of a crawl.

    Stats: ``outcome/REASON`` settled leases, ``store/*`` committed rows, ``articles/*`` results of revisits.
    """

    def __init__(self, stats: StatsCollector) -> None:
        self.stats = stats
        self.failures = FailureLog(stats)
        self.articles = 0  # new ones
        self.pages = 0  # requested
        self.settled = 0  # leases on pages, whatever the outcome
        self.pages_read = 0
        self.lag = PublicationLag()
        self.lists_read = 0
        self.saving = 0  # pages that were read and wait for the writer
        self.visits: dict[str, tuple[int, int]] = {}  # memory: revisits, and those that found a change: one a site

    def add(self, result: PageResult, saved: Saved) -> None:
        """Count a page that was saved and its settled lease."""
        settlement = result.settlement
        self.stats.inc_value(f"outcome/{saved.reason}")
        self.failures.note(result.lease, settlement)
        self.stats.inc_value("store/offered_new", saved.offered)  # stat: new URLs in the ledger
        self.stats.inc_value("store/moved", saved.moved)  # stat: waiting links that got another priority
        if result.lease.kind is not PageType.ROBOTS:
            self.settled += 1
            self.pages += settlement.fetched_at is not None
            self.pages_read += settlement.reason in ledger.ANSWERED
        if settlement.reason in (Reason.POLLED, Reason.UNCHANGED) and result.lease.kind.polled:
            self.lists_read += 1
        if result.lease.had_article and not result.lease.kind.polled:
            self._add_visit(result.lease, saved)
        if saved.corrected and result.article is not None:
            self.stats.inc_value("articles/corrected")  # stat: a callback or an XPath gives a field another value
            logger.info("corrected (%s): %s", ", ".join(saved.corrected), result.article.url)
        if saved.new_article:
            self.articles += 1
            self.lag.add(result.article.published_at if result.article else None, saved.now)
            self.stats.inc_value("store/articles")  # stat: new articles

    def _add_visit(self, lease: Lease, saved: Saved) -> None:
        """Count a revisit of a stored article."""
        self.stats.inc_value("articles/revisited")  # stat: revisits, whatever came back
        if saved.visited:
            visits, changes = self.visits.get(lease.site, (0, 0))
            self.visits[lease.site] = visits + 1, changes + ("text" in saved.changed)
        if saved.changed:
            self.stats.inc_value("articles/changed")  # stat: text, title or time changed
            logger.info("changed (%s): %s", ", ".join(saved.changed), lease.url)
        if saved.reason is Reason.MISSED:
            self.stats.inc_value("articles/missed")  # stat: not there; it is looked for again
        if saved.vanished:
            self.stats.inc_value("articles/vanished")  # stat: taken to have vanished
            logger.info("vanished: %s", lease.url)
        if saved.returned:
            self.stats.inc_value("articles/returned")  # stat: back after it had vanished
            logger.info("back after it had vanished: %s", lease.url)


class FailureLog:
    """Stats: ``errors/REASON``. ``recent`` and ``latencies`` are of the time since :meth:`start_again`."""

    def __init__(self, stats: StatsCollector) -> None:
        self.stats = stats
        self.recent: Counter[str] = Counter()  # failures by reason
        # memory _delays: seconds between two requests to a host: HOSTS_KEPT
        self._delays: LocalCache[str, float] = LocalCache(HOSTS_KEPT)
        # memory latencies: smoothed seconds of an answer, since the last line of figures: HOSTS_KEPT
        self.latencies: LocalCache[str, float] = LocalCache(HOSTS_KEPT)
        self._logged: set[tuple[str, str]] = set()  # memory: kind and host of failures that were logged: KINDS_KEPT
        self._causes: Counter[str] = Counter()  # memory: failures by kind and cause: KINDS_KEPT

    def note(self, lease: Lease, settlement: Settlement) -> None:
        """Count a visit, and log the first failure of its kind and host."""
        if settlement.host_delay is not None:
            self._delays[lease.host] = settlement.host_delay
        if settlement.host_latency is not None:
            self.latencies[lease.host] = settlement.host_latency
        failed = failure_of(settlement)
        if failed is None:
            return
        self.stats.inc_value(f"errors/{failed.reason}")
        self.recent[failed.reason] += 1
        cause = f"{failed.kind}: {failed.cause}"
        if cause in self._causes or len(self._causes) < KINDS_KEPT:
            self._causes[cause] += 1
        if (failed.kind, lease.host) not in self._logged and len(self._logged) < KINDS_KEPT:
            self._logged.add((failed.kind, lease.host))
            rest = "further ones of this kind and host are only counted"
            logger.warning("%s failed: %s, at %s; %s", lease.host, cause, lease.url, rest)

    def delays(self) -> Iterable[tuple[str, float]]:
        """The seconds between two requests to each host visited lately."""
        return self._delays.items()

    def start_again(self) -> None:
        """Forget the recent failures and latencies."""
        self.recent.clear()
        self.latencies.clear()

    def summary(self) -> str | None:
        """How many visits failed and the most frequent cause; ``None`` if none did."""
        if not self._causes:
            return None
        cause, times = self._causes.most_common(1)[0]
        return f"{self._causes.total()} visits failed, {times} of them with {cause}"


class PublicationLag:
    """Counts of new articles by the time from publication to store."""

    def __init__(self) -> None:
        self.counts = [0] * (len(LAG_BOUNDS) + 1)
        self.sum = 0.0  # seconds
        self.last_article_at = 0.0

    def add(self, published_at: datetime | None, now: float) -> None:
        """Count a new article; one whose page gives no hour has no lag."""
        self.last_article_at = now
        if published_at is not None and (published_at.hour or published_at.minute):
            lag = max(0.0, now - published_at.timestamp())
            self.counts[bisect_left(LAG_BOUNDS, lag)] += 1
            self.sum += lag


class ThreadStatsCollector(MemoryStatsCollector):
    """Loses no increment, whichever thread makes it: Scrapy's own reads a count and writes it back."""

    __getattribute__ = object.__getattribute__  # Scrapy's warns of an old argument, at 1 % of the time of a crawl

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._counting = Lock()

    def inc_value(self, key: str, count: int = 1, start: int = 0, spider: Any = None) -> None:
        """Raise a count; whose spider it is does not matter."""
        with self._counting:
            self._stats[key] = self._stats.get(key, start) + count
