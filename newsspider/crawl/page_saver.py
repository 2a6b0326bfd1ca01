"""Completes the settlements of read pages (validators, next visit) and saves the pages: their results, and the ends of
their leases, in one transaction per page."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsspider.core.crawling.visit import Awaited
from newsspider.core.fetching.politeness import Ask, KnownResponse, WrongNotModified, learned_validators
from newsspider.core.model import PageType, Reason
from newsspider.core.scheduling.article_revisits import pace_of
from newsspider.store import pages
from newsspider.store.engine.batch import GroupedJob
from newsspider.store.engine.errors import StoreFailedError

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.visit import Lease, PageResult, Saved, Settlement
    from newsspider.core.scheduling.article_revisits import RevisitSchedule
    from newsspider.crawl.counters import Counters
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.ending import CrawlEnding, PageErrors
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.crawl.poll_planner import PollPolicy
    from newsspider.crawl.trap_budgets import TrapBudgets
    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)

LONGEST_PATIENCE_SECONDS = 1.0
VISITED = frozenset({Reason.STORED, Reason.UNCHANGED, Reason.NOT_AN_ARTICLE, Reason.MISSED, Reason.REDIRECT})


@dataclass(eq=False)
class PageSaver:
    """Stats: ``store/late`` pages whose lease had ended, ``store/settle_failed``, ``pool/storing_max``."""

    frontier: SqlFrontier
    sites: CrawlSites
    trap_budgets: TrapBudgets
    errors: PageErrors
    ending: CrawlEnding
    pool: LeasePool
    stats: StatsCollector
    clock: Clock
    completion: PageCompletion

    async def finish(self, page: PageResult) -> None:
        """Complete and save a page that was read; if that fails, its lease ends with the error."""
        try:
            self.completion.complete(page)
            await self.save(page)
        except StoreFailedError as error:
            self.ending.store_failed(error)
        except Exception as error:  # a fence: the page is tried again later
            await self.save_error(page.lease, error, page.settlement)

    async def save(self, result: PageResult) -> Saved:
        """Store a page and settle its lease in one transaction; returns after the commit."""
        lease, scope = result.lease, self.sites.scope
        if lease.awaited and lease.site in self.sites:
            result.add(Awaited())
        if (budget := self.trap_budgets.of(lease)) is not None:
            result.add(budget)
        scope.before_save(result)
        self.ending.counters.saving += 1
        saving = self.ending.counters.saving
        self.stats.max_value("pool/storing_max", saving)  # stat: most pages that waited for the writer
        followed = self.pool.follow(lease, result.settlement)  # the claim loop wakes once the writer has this page
        try:
            job = GroupedJob(pages.save_all, (result, self.clock.now()), self._patience(result.settlement))
            saved = await self.frontier.run(job)
        finally:
            self.ending.counters.saving -= 1
        if saved.settled:
            if not result.settlement.faults:
                self.errors.log.page_read(lease.host)
            scope.saved(result)
            if saved.budgets:
                self.trap_budgets.changed()
            self.ending.counters.add(result, saved)
            self.ending.check_limits()
        else:
            self.stats.inc_value("store/late")  # stat: pages read after their lease had ended; not stored
        self.pool.drop(lease, followed=followed and saved.settled, opens_at=_opens_at(result))
        return saved

    def _patience(self, settlement: Settlement) -> float:
        """The seconds for which a page may wait for others to share its commit: half the time until its host may be
        asked again, if other hosts can be asked meanwhile."""
        if settlement.host_next_at is None or self.pool.room() <= 0:
            return 0.0
        return min(LONGEST_PATIENCE_SECONDS, max(0.0, settlement.host_next_at - self.clock.now()) / 2)

    async def save_error(self, lease: Lease, error: BaseException, visit: Settlement) -> None:
        """Settle the lease of a page for which a pipeline or the writer failed; nothing else of the page is written."""
        result = self.errors.result(lease, error, visit)
        try:
            await self.save(result)
        except StoreFailedError as failed:
            self.ending.store_failed(failed)
        except Exception as again:  # perhaps the rest of the save fails
            self.errors.log.note(again, lease)
            await self._settle(lease, result.settlement)

    async def _settle(self, lease: Lease, settlement: Settlement) -> None:
        try:
            await self.frontier.settle(lease, settlement)
        except StoreFailedError as error:
            self.ending.store_failed(error)
        except Exception:  # last resort: the lease expires by itself
            logger.exception("could not settle %s", lease.url)
            self.stats.inc_value("store/settle_failed")  # stat: outcomes that could not be written
        self.pool.drop(lease)


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
        status, reason = page.settlement.status, page.settlement.reason
        was_answered = status == 200 or (status == 304 and reason is Reason.UNCHANGED)
        if page.lease.kind is not PageType.ROBOTS and was_answered:
            note_validators(page, self.stats)
        if page.lease.kind.polled or page.lease.update_cycle is not None:
            _, channel = self.sites.place(page.lease)
            if channel is not None:
                page.add(self.polls.polling(channel.weight))
        elif self.schedule.steps and page.settlement.reason in VISITED and (page.lease.had_article or page.article):
            lease, now = page.lease, self.clock.now()
            published = page.article.published_at if page.article else None
            due_at = self.schedule.next_visit(
                now if lease.stored_at is None else lease.stored_at,
                lease.published_at if published is None else published.timestamp(),
                max(now, lease.due_at) if lease.revisit else now,
                pace_of(*self.counters.visits.get(lease.site, (0, 0))),
            )
            page.settlement = replace(page.settlement, due_at=due_at)


def note_validators(page: PageResult, stats: StatsCollector) -> None:
    """Give the settlement the validators of the page, as :func:`learned_validators` decides; a host whose 304 cannot
    be trusted is an effect."""
    lease, settlement = page.lease, page.settlement
    was_read = page.article is not None or lease.kind.polled
    content = settlement.body_hash if was_read else None
    now = KnownResponse(settlement.etag, settlement.last_modified, content, came=settlement.bytes_hash)
    if lease.had_article and not was_read and settlement.status == 200:
        now = KnownResponse()  # of a page that replaces the article: its 304 would seem to confirm the article
    known, is_wrong = learned_validators(lease.known, now, page.asked, settlement.status or 0)
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


def _opens_at(page: PageResult) -> float | None:
    """When what a page makes claimable may be requested; ``None``: perhaps at once."""
    settlement = page.settlement
    if settlement.host_next_at is None or any(offer.host != page.lease.host for offer in page.offers):
        return None
    return min(settlement.host_next_at, settlement.address_next_at or settlement.host_next_at)
