"""Claims the next pages to fetch."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsspider.store.engine.writer import StoreFailed

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import Lease, PageResult
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.crawl.page_saver import PageSaver
    from newsspider.crawl.selection import Selection


@dataclass(eq=False)
class PageClaims:
    """Fills the lease pool; pages that need no fetch are saved at once."""

    pool: LeasePool
    selection: Selection
    saver: PageSaver

    async def claim(self, revisit_before: float | None) -> list[Lease]:
        """The leases to fetch: as many as there is room for within the limits."""
        if self.pool.room() <= 0:
            return []
        await self.selection.trap_budgets.refresh()
        leases = await self.pool.claim(revisit_before)
        skipped = await self.selection.skipped(leases)
        await asyncio.gather(*map(self._save, skipped.values()))
        return [lease for lease in leases if lease.key not in skipped]

    async def _save(self, result: PageResult) -> None:
        """Save a result; an error with one page does not affect the others of the claim."""
        try:
            await self.saver.save(result)
        except StoreFailed:
            raise
        except Exception as error:  # counted, logged and retried
            await self.saver.save_error(result.lease, error, result.settlement)
