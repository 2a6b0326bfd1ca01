"""Saves pages: stores their results and settles their leases, in one transaction per page."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsspider.core.crawling.visit import Awaited
from newsspider.store import pages
from newsspider.store.engine.batch import GroupedJob
from newsspider.store.engine.errors import StoreFailedError

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.visit import Lease, PageResult, Settlement
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.ending import CrawlEnding
    from newsspider.crawl.internal_errors import PageErrors
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.crawl.page_completion import PageCompletion
    from newsspider.crawl.trap_budgets import TrapBudgets
    from newsspider.frontier.sql import SqlFrontier
    from newsspider.store.engine.clock import Clock
    from newsspider.store.saved import Saved

logger = logging.getLogger(__name__)


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
            saved = await self.frontier.run(GroupedJob(pages.save_all, (result, self.clock.now())))
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
        self.pool.drop(lease, followed=followed and saved.settled)
        return saved

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
