"""Saves pages: stores what they brought and settles their leases, in one transaction each."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from newsspider.store.engine.writer import StoreFailed

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.visit import Lease, PageResult, Settlement
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.ending import CrawlEnding
    from newsspider.crawl.internal_errors import PageErrors
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.crawl.trap_budgets import TrapBudgets
    from newsspider.frontier.protocol import Frontier
    from newsspider.store.engine.clock import Clock
    from newsspider.store.pages import Saved

logger = logging.getLogger(__name__)


class PageSaver:
    """Stats: ``store/late`` pages whose lease had ended, ``store/settle_failed``, ``pool/storing_max``."""

    def __init__(
        self, frontier: Frontier, sites: CrawlSites, trap_budgets: TrapBudgets, errors: PageErrors, ending: CrawlEnding,
        pool: LeasePool, stats: StatsCollector, clock: Clock,
    ) -> None:  # fmt: skip
        self.waiting = 0  # pages that were read and wait for the writer
        self.errors = errors
        self._frontier = frontier
        self._sites = sites
        self._trap_budgets = trap_budgets
        self._ending = ending
        self._pool = pool
        self._stats = stats
        self._clock = clock

    async def save(self, result: PageResult) -> Saved:
        """Store a page and settle its lease in one transaction; returns when both are on disk."""
        lease, scope = result.lease, self._sites.scope
        result.awaited = lease.site in self._sites and lease.awaited
        result.budget = self._trap_budgets.of(lease)
        self.waiting += 1
        self._stats.max_value("pool/storing_max", self.waiting)
        try:
            saved = await self._frontier.run(scope.saving(result, self._clock.now()))
        finally:
            self.waiting -= 1
        if saved.settled:
            if not result.settlement.faults:
                self.errors.log.page_read(lease.host)
            scope.saved(result)
            if saved.budgets:
                self._trap_budgets.changed()
            self._ending.counters.add(result, saved)
            self._ending.check_limits()
        else:
            self._stats.inc_value("store/late")
        self._pool.drop(lease)
        return saved

    async def save_error(self, lease: Lease, error: BaseException, visit: Settlement) -> None:
        """Settle a lease over whose page a pipeline or the writer's job failed; nothing else of the page is written."""
        result = self.errors.result(lease, error, visit)
        try:
            await self.save(result)
        except StoreFailed as failed:
            self._ending.store_failed(failed)
        except Exception as again:  # a fence: it may be the rest of the save that fails
            self.errors.log.note(again, lease)
            await self._settle(lease, result.settlement)

    async def _settle(self, lease: Lease, settlement: Settlement) -> None:
        try:
            await self._frontier.settle(lease, settlement)
        except StoreFailed as error:
            self._ending.store_failed(error)
        except Exception:  # the fence of last resort: the lease ends by itself
            logger.exception("could not settle %s", lease.url)
            self._stats.inc_value("store/settle_failed")
        self._pool.drop(lease)
