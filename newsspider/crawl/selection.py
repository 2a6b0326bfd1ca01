"""Selects the claimed pages that are settled without a fetch: their URL pattern is spent, or their link is off
topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.model import Reason

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import Lease, PageResult
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.internal_errors import PageErrors
    from newsspider.crawl.link_filter import LinkFilter
    from newsspider.crawl.trap_budgets import TrapBudgets


@dataclass(eq=False)
class Selection:
    """The link filter and the trap budgets together."""

    link_filter: LinkFilter
    trap_budgets: TrapBudgets
    sites: CrawlSites
    errors: PageErrors

    async def skipped(self, leases: Sequence[Lease]) -> dict[int, PageResult]:
        """By key, the results of the pages that are not fetched."""
        results = {lease.key: result for lease in leases if (result := self._skip(lease)) is not None}
        return results | await self.trap_budgets.equivalents([lease for lease in leases if lease.key not in results])

    def _skip(self, lease: Lease) -> PageResult | None:
        try:
            spent = self.trap_budgets.skip(lease)
            return self.link_filter.skip(lease) if spent is None and lease.site in self.sites else spent
        except Exception as error:  # one page must not end the claim
            return self.errors.result(lease, error, outcome.put_back(lease, Reason.RELEASED, lease.due_at))
