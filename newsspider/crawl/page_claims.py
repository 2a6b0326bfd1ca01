"""Claims the pages that are fetched next."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from newsspider.store.engine.writer import StoreFailed

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import Lease, PageResult
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.crawl.page_saver import PageSaver
    from newsspider.crawl.selection import Selection


class PageClaims:
    """Fills the lease pool; pages that need no fetch are saved at once."""

    def __init__(self, pool: LeasePool, selection: Selection, saver: PageSaver) -> None:
        self._pool = pool
        self._selection = selection
        self._saver = saver

    async def claim(self, revisit_before: float | None) -> list[Lease]:
        """The leases to fetch: as many as there is room for and the limits allow."""
        if self._pool.room() <= 0:
            return []
        await self._selection.trap_budgets.refresh()
        leases = await self._pool.claim(revisit_before)
        skipped = await self._selection.skipped(leases)
        await asyncio.gather(*map(self._save, skipped.values()))
        return [lease for lease in leases if lease.key not in skipped]

    async def _save(self, result: PageResult) -> None:
        """Save it; an error over this page costs no other page of the claim its turn."""
        try:
            await self._saver.save(result)
        except StoreFailed:
            raise
        except Exception as error:  # a fence: it is counted, logged and tried again
            await self._saver.save_error(result.lease, error, result.settlement)
