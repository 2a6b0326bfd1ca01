"""What this worker knows of the URLs that have wasted their budget, so that no page of theirs is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.fetching.trap_budget import Account, Budget, idle_of, refused_by, told
from newsspider.core.model import PageType, Reason
from newsspider.store.engine import clock
from newsspider.store.ledger import trap_budgets, url_equivalences
from newsspider.store.ledger.submitted import CHANNEL

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.frontier.protocol import Frontier


class Budgets:
    """The accounts of the sites, or of the domains of an explore crawl, of which a pattern is spent, as the store has
    them.

    They are read again when a page of ours changes them, and every ``LEDGER_WATCH_SECONDS``, for other workers change
    them, too; then what was refused and is to be tried again waits again. Settings: ``TRAP_FETCHES`` (0: no budgets),
    ``TRAP_SITE_FETCHES``, ``TRAP_RETRY_SECONDS``, ``LEDGER_WATCH_SECONDS``.
    """

    def __init__(self, settings: BaseSettings, *, by_domain: bool = False) -> None:
        self.enabled = settings.getint("TRAP_FETCHES") > 0
        self.budget = Budget(
            settings.getint("TRAP_FETCHES"),
            settings.getint("TRAP_SITE_FETCHES"),
            settings.getfloat("TRAP_RETRY_SECONDS"),
            by_domain,
        )
        self.watch_seconds = settings.getfloat("LEDGER_WATCH_SECONDS")
        self.accounts: Mapping[str, Mapping[str, Account]] = {}
        self.read_at: float | None = None

    def of(self, lease: Lease, sites: Iterable[str]) -> Budget | None:
        """The budget of the page of a lease: of one of these sites, that was not read, and neither asked for by a
        person nor polled as a list of the registry."""
        if not self.enabled or lease.site not in sites or lease.channel == CHANNEL or lease.kind is PageType.ROBOTS:
            return None
        asked_for = (
            lease.depth == 0
            if self.budget.by_domain
            else not (lease.alone or (lease.hops and lease.update_cycle is None))
        )
        again = lease.had_article or (lease.fetch_count and not lease.looked_at)
        return None if asked_for or again else self.budget

    def refusal(self, site: str, url: str, key: int, kind: PageType = PageType.ARTICLE) -> str | None:
        """Why a new URL of a site is not to be fetched, if so."""
        known = self.accounts.get(self.budget.owner(site, url)) if self.accounts else None
        pattern = refused_by(self.budget.accounts_of(url, kind), known, key) if known else None
        return None if pattern is None else told(pattern)

    def set_aside(self, lease: Lease, sites: Iterable[str]) -> PageResult | None:
        """The result of a page that is not asked for; ``None`` if it is."""
        if not self.accounts or self.of(lease, sites) is None:
            return None
        detail = self.refusal(lease.site, lease.url, lease.key, lease.kind)
        return None if detail is None else _trap(lease, detail)

    async def known(self, frontier: Frontier, leases: Iterable[Lease], sites: Iterable[str]) -> dict[int, PageResult]:
        """By key, the results of pages that are not asked for, because one was read that differs only in what is of
        no matter."""
        asked = [
            (lease.key, lease.site, name, bare)
            for lease in leases
            if lease.site in self.accounts and not lease.kind.polled and self.of(lease, sites) is not None
            for name, bare in idle_of(lease.url, self.accounts[lease.site], lease.key)
        ]
        found = await frontier.run(partial(url_equivalences.read_before, asked=asked)) if asked else {}
        return {lease.key: _trap(lease, told(found[lease.key])) for lease in leases if lease.key in found}

    def changed(self) -> None:
        """Read the accounts before the next page is asked for."""
        self.read_at = None

    async def refresh(self, frontier: Frontier, sites: Set[str]) -> None:
        """Read the accounts again, if it is time for that."""
        now = clock.time()
        if not self.enabled or (self.read_at is not None and abs(now - self.read_at) < self.watch_seconds):
            return
        self.read_at = now
        self.accounts = await frontier.run(partial(trap_budgets.looked_at, sites=sites, budget=self.budget, now=now))


def _trap(lease: Lease, detail: str) -> PageResult:
    return PageResult(lease, replace(outcome.read(lease, Reason.TRAP, clock.time()), detail=detail))
