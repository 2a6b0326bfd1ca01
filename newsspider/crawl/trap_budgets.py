"""Trap budgets of a crawl: skips URLs whose pattern has wasted its fetch budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.fetching.traps import Budget, PatternAccount, idle_of, reason_text, refused_by
from newsspider.core.model import PageType, Reason
from newsspider.store.ledger import trap_budgets

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.store.engine.clock import Clock


class TrapBudgets:
    """The accounts of sites with a spent pattern (in an explore crawl, of domains), from the store.

    They are refreshed when a page changes them, and every ``LEDGER_WATCH_SECONDS``, because other workers change
    them, too; URLs whose pattern is to be retried then become due again. Settings: ``TRAP_FETCHES`` (0: no budgets),
    ``TRAP_SITE_FETCHES``, ``TRAP_RETRY_SECONDS``, ``LEDGER_WATCH_SECONDS``.
    """

    def __init__(self, settings: BaseSettings, frontier: SqlFrontier, sites: CrawlSites, clock: Clock) -> None:
        self.enabled = settings.getint("TRAP_FETCHES") > 0
        self.budget = Budget(
            settings.getint("TRAP_FETCHES"),
            settings.getint("TRAP_SITE_FETCHES"),
            settings.getfloat("TRAP_RETRY_SECONDS"),
            by_domain=sites.scope.explores,
        )
        # memory accounts: patterns of a site, or of a domain of an explore crawl, of which one is spent: as the store
        #   has them; a pattern is cut with its URL
        self.accounts: Mapping[str, Mapping[str, PatternAccount]] = {}
        self._watch_seconds = settings.getfloat("LEDGER_WATCH_SECONDS")
        self._read_at: float | None = None
        self._frontier = frontier
        self._sites = sites
        self._clock = clock

    def of(self, lease: Lease) -> Budget | None:
        """The budget of a page; ``None`` if it was read before, was submitted by a person, or is polled as a list of
        the registry."""
        if not self.enabled or lease.submitted or lease.kind is PageType.ROBOTS:
            return None
        if lease.site not in self._sites.budgeted():
            return None
        requested = (
            lease.depth == 0
            if self.budget.by_domain
            else not (lease.alone or (lease.hops and lease.update_cycle is None))
        )
        is_proven = lease.had_article or (lease.fetch_count and not lease.rechecked)
        return None if requested or is_proven else self.budget

    def refusal(self, site: str, url: str, key: int, kind: PageType = PageType.ARTICLE) -> str | None:
        """Why a new URL of a site is not fetched, if so."""
        accounts = self.accounts.get(self.budget.owner(site, url)) if self.accounts else None
        pattern = refused_by(self.budget.accounts_of(url, kind), accounts, key) if accounts else None
        return None if pattern is None else reason_text(pattern)

    def skip(self, lease: Lease) -> PageResult | None:
        """The result of a claimed page whose pattern is spent; ``None``: fetch it."""
        if not self.accounts or self.of(lease) is None:
            return None
        detail = self.refusal(lease.site, lease.url, lease.key, lease.kind)
        return None if detail is None else self._trap(lease, detail)

    async def equivalents(self, leases: Iterable[Lease]) -> dict[int, PageResult]:
        """By key, the results of claimed pages whose URLs differ only in irrelevant parts from one already read."""
        places = [
            (lease.key, lease.site, name, bare)
            for lease in leases
            if lease.site in self.accounts and not lease.kind.polled and self.of(lease) is not None
            for name, bare in idle_of(lease.url, self.accounts[lease.site], lease.key)
        ]
        names = await self._frontier.run(partial(trap_budgets.read_before, places=places)) if places else {}
        return {lease.key: self._trap(lease, reason_text(names[lease.key])) for lease in leases if lease.key in names}

    def changed(self) -> None:
        """Refresh the accounts before the next page is fetched."""
        self._read_at = None

    async def refresh(self) -> None:
        """Read the accounts again if they are due."""
        now = self._clock.now()
        if not self.enabled or (self._read_at is not None and abs(now - self._read_at) < self._watch_seconds):
            return
        self._read_at = now
        sites = self._sites.budgeted()
        self.accounts = await self._frontier.run(
            partial(trap_budgets.probe_due, sites=sites, budget=self.budget, now=now)
        )

    def _trap(self, lease: Lease, detail: str) -> PageResult:
        return PageResult(lease, replace(outcome.read(lease, Reason.TRAP, self._clock.now()), detail=detail))
