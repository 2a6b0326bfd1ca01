"""Completes the settlement of a page that was read: its validators for the next request, and its next visit."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsspider.core.fetching.validators import Ask, Known, WrongNotModified, learned
from newsspider.core.model import PageType, Reason
from newsspider.core.scheduling.revisit_schedule import pace_of

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.visit import PageResult, Settlement
    from newsspider.core.scheduling.revisit_schedule import RevisitSchedule
    from newsspider.crawl.counters import Counters
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.poll_planner import PollPolicy
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)

VISITED = frozenset({Reason.STORED, Reason.UNCHANGED, Reason.NOT_AN_ARTICLE, Reason.MISSED, Reason.REDIRECT})


@dataclass(frozen=True, slots=True)
class PageCompletion:
    """What a settlement says beyond its outcome: the validators of the page, and what the visit says of those of the
    host; the next visit of an article by its schedule (nothing else is revisited because of its age: no page without an
    article, no off-topic or further page, and nothing in an explore crawl); and by what the store decides when a list
    is polled next (:mod:`newsspider.store.ledger.polls`)."""

    sites: CrawlSites
    polls: PollPolicy
    schedule: RevisitSchedule
    counters: Counters
    stats: StatsCollector
    clock: Clock

    def complete(self, page: PageResult) -> None:
        """Add what a fetched page teaches, and when it is due again."""
        if page.lease.kind is not PageType.ROBOTS and _proves_something(page.settlement):
            note_validators(page, self.stats)
        if page.lease.kind.polled or page.lease.update_cycle is not None:
            _, channel = self.sites.place(page.lease)
            if channel is not None:
                page.add(self.polls.polling(channel.weight))
        elif self.schedule.steps and page.settlement.reason in VISITED and (page.lease.had_article or page.article):
            page.settlement = replace(page.settlement, due_at=self._next_visit(page))

    def _next_visit(self, page: PageResult) -> float | None:
        lease, now = page.lease, self.clock.now()
        published = page.article.published_at if page.article else None
        return self.schedule.next_visit(
            now if lease.stored_at is None else lease.stored_at,
            lease.published_at if published is None else published.timestamp(),
            max(now, lease.due_at) if lease.revisit else now,
            pace_of(*self.counters.visits.get(lease.site, (0, 0))),
        )


def note_validators(page: PageResult, stats: StatsCollector) -> None:
    """Give the settlement the validators of the page, as :func:`newsspider.core.fetching.validators.learned` decides; a
    host whose 304 cannot be trusted is an effect."""
    lease, settlement = page.lease, page.settlement
    was_read = page.article is not None or lease.kind.polled
    content = settlement.body_hash if was_read else None
    now = Known(settlement.etag, settlement.last_modified, content, came=settlement.bytes_hash)
    if lease.had_article and not was_read and settlement.status == 200:
        now = Known()  # of a page that replaces the article: its 304 would seem to confirm the article
    known, is_wrong = learned(lease.known, now, page.asked, settlement.status or 0)
    page.settlement = replace(settlement, etag=known.etag, last_modified=known.last_modified, proving=known.proving)
    if page.asked is Ask.IF_CHANGED:
        stats.inc_value("conditional/asked")  # stat: requests with validators
    if page.asked is Ask.TO_CHECK:
        stats.inc_value("conditional/checked")  # stat: checks without validators
    if is_wrong:
        page.add(WrongNotModified())
        stats.inc_value("conditional/lies")  # stat: hosts whose 304 cannot be believed
        message = "%s answers 304 for pages that have changed: no conditional requests to it for a month (%s)"
        logger.warning(message, lease.host, lease.url)
    elif settlement.status == 304:
        stats.inc_value("conditional/not_modified")  # stat: answers with 304 to them


def _proves_something(settlement: Settlement) -> bool:
    return settlement.status == 200 or (settlement.status == 304 and settlement.reason is Reason.UNCHANGED)
