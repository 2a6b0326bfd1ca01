"""The counters of a crawl, updated when its pages are committed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.model import PageType, Reason
from newsspider.crawl.failure_log import FailureLog
from newsspider.crawl.publication_lag import PublicationLag
from newsspider.store import ledger

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.store.saved import Saved

logger = logging.getLogger(__name__)


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
