"""The failed visits of a crawl: the first of each kind and host is logged with its cause, all are counted."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from scrapy.utils.datatypes import LocalCache

from newsspider.core.crawling.failures import failure_of

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.visit import Lease, Settlement

HOSTS_KEPT = 1_000
KINDS_KEPT = 10_000  # kinds of failures, times hosts, in memory

logger = logging.getLogger(__name__)


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
