"""Conditional requests: stores the validators of a page for its next request, and checks whether a host's 304 can be
trusted."""

from __future__ import annotations

import dataclasses
import logging
from typing import TYPE_CHECKING

from newsspider.core.fetching.validators import Ask, Known, WrongNotModified, learned
from newsspider.core.model import PageType, Reason

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.visit import PageResult, Settlement

logger = logging.getLogger(__name__)


class ValidatorLearning:
    """Gives the settlement the validators of the page, and tells the store what the visit says of those of the host.

    Decides by :func:`newsspider.core.fetching.validators.learned`.
    """

    def __init__(self, stats: StatsCollector) -> None:
        self.stats = stats

    def complete(self, page: PageResult) -> None:
        """Add what a fetched page teaches."""
        if page.lease.kind is not PageType.ROBOTS and _proves_something(page.settlement):
            self._learn(page)

    def _learn(self, page: PageResult) -> None:
        lease, settlement = page.lease, page.settlement
        was_read = page.article is not None or lease.kind.polled
        now = Known(
            settlement.etag,
            settlement.last_modified,
            settlement.body_hash if was_read else None,
            came=settlement.bytes_hash,
        )
        if lease.had_article and not was_read and settlement.status == 200:
            now = Known()  # of a page that replaces the article: its 304 would seem to confirm the article
        known, is_wrong = learned(lease.known, now, page.asked, settlement.status or 0)
        page.settlement = dataclasses.replace(
            settlement, etag=known.etag, last_modified=known.last_modified, proving=known.proving
        )
        if page.asked is Ask.IF_CHANGED:
            self.stats.inc_value("conditional/asked")  # stat: requests with validators
        if page.asked is Ask.TO_CHECK:
            self.stats.inc_value("conditional/checked")  # stat: checks without validators
        if is_wrong:
            page.add(WrongNotModified())
            self.stats.inc_value("conditional/lies")  # stat: hosts whose 304 cannot be believed
            message = "%s answers 304 for pages that have changed: no conditional requests to it for a month (%s)"
            logger.warning(message, lease.host, lease.url)
        elif settlement.status == 304:
            self.stats.inc_value("conditional/not_modified")  # stat: answers with 304 to them


def _proves_something(settlement: Settlement) -> bool:
    return settlement.status == 200 or (settlement.status == 304 and settlement.reason is Reason.UNCHANGED)
