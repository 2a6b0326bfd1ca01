"""What this worker knows of the URLs that have wasted their budget, so that no page of theirs is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.fetching.trap_budget import Account, Budget, idle_of, refused_by, told
from newsspider.core.fetching.url_patterns import patterns_of
from newsspider.core.model import Reason
from newsspider.store.engine import clock
from newsspider.store.ledger import trap_budgets, url_equivalences
from newsspider.store.ledger.submitted import CHANNEL

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.frontier.protocol import Frontier


class Budgets:
    """The accounts of the sites of which a pattern is spent, as the store has them.

    They are read again when a page of ours changes them, and every ``LEDGER_WATCH_SECONDS``, for other workers change
    them, too; then what was refused and is to be tried again waits again. Settings: ``TRAP_FETCHES`` (0: no budgets),
    ``TRAP_SITE_FETCHES``, ``TRAP_RETRY_SECONDS``, ``LEDGER_WATCH_SECONDS``.
    """

    def __init__(self, settings: BaseSettings) -> None:
        self.enabled = settings.getint("TRAP_FETCHES") > 0
        self.budget = Budget(
            settings.getint("TRAP_FETCHES"),
            settings.getint("TRAP_SITE_FETCHES"),
            settings.getfloat("TRAP_RETRY_SECONDS"),
        )
        self.watch_seconds = settings.getfloat("LEDGER_WATCH_SECONDS")
        self.accounts: Mapping[str, Mapping[str, Account]] = {}
        self.read_at: float | None = None

    def of(self, lease: Lease, sites: Iterable[str]) -> Budget | None:
        """The budget of the page of a lease: of one of these sites, of no article that was read, no list, and not
        asked for by a person."""
        if not self.enabled or lease.site not in sites or not lease.alone:
            return None
        again = lease.had_article or (lease.fetch_count and not lease.looked_at)
        return None if again or lease.channel == CHANNEL else self.budget

    def refusal(self, site: str, url: str, key: int) -> str | None:
        """Why a new URL of a site is not to be fetched, if so."""
        known = self.accounts.get(site)
        pattern = refused_by(patterns_of(url), known, key) if known else None
        return None if pattern is None else told(pattern)

    def set_aside(self, lease: Lease, sites: Iterable[str]) -> PageResult | None:
        """The result of a page that is not asked for; ``None`` if it is."""
        if not self.accounts.get(lease.site) or self.of(lease, sites) is None:
            return None
        detail = self.refusal(lease.site, lease.url, lease.key)
        return None if detail is None else _trap(lease, detail)

    async def known(self, frontier: Frontier, leases: Iterable[Lease], sites: Iterable[str]) -> dict[int, PageResult]:
        """By key, the results of pages that are not asked for, because one was read that differs only in what is of
        no matter."""
        asked = [
            (lease.key, lease.site, name, bare)
            for lease in leases
            if lease.site in self.accounts and self.of(lease, sites) is not None
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
