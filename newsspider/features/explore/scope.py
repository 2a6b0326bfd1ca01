"""The scope of an explore crawl."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING

from newsspider.core.url import host_of, site_domain
from newsspider.crawl.crawl_sites import CrawlScope
from newsspider.features.explore import crawl_starts
from newsspider.features.explore.effects import Explored, Placing
from newsspider.store import sites as registry

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from newsspider.core.crawling.start_url_message import StartUrl
    from newsspider.core.crawling.visit import Lease, PageResult
    from newsspider.core.fetching.address_guard import AllowedAddresses
    from newsspider.features.explore.bloom_filter import SeenFilter
    from newsspider.features.explore.rules.strategy import Strategy
    from newsspider.sites.model import Site
    from newsspider.store.ledger.submitted import Submitted


class ExploreScope(CrawlScope):
    """One explore crawl: it claims only its own URLs; a host that is also watched keeps the delay of its site."""

    explores = True

    def __init__(self, site: str, strategy: Strategy, seen_filter: SeenFilter | None = None) -> None:
        self.site = site
        self.strategy = strategy
        self.seen = seen_filter  # replaces the ledger for checking whether a link is known
        self._domains: dict[str, Site] = {}

    def begin(self, conn: Connection, now: float) -> dict[str, Site]:
        registry.sync_shipped(conn, now)
        sites = registry.enabled_sites(conn)
        self._domains = {site_domain(host_of(site.home)): site for site in sorted(sites, key=_delay)}
        return {}

    def take_over(self, conn: Connection, topic: str, links: str, now: float) -> int:
        if self.seen is not None:
            self.seen.fill(conn, self.site)
        return 0

    def claimed(self, sites: Mapping[str, Site]) -> frozenset[str]:
        return frozenset({self.site})

    def site_of(self, lease: Lease, sites: Mapping[str, Site]) -> Site | None:
        return self._domains.get(site_domain(lease.host))

    def before_save(self, result: PageResult) -> None:
        result.add(Placing(self.site, self.strategy))

    def submit(
        self, conn: Connection, urls: Iterable[StartUrl], now: float, suffixes: Set[str], allowed: AllowedAddresses
    ) -> Submitted:
        return crawl_starts.submit(conn, self.site, self.strategy, urls, now, suffixes, allowed)

    def saved(self, result: PageResult) -> None:
        explored = result.effect(Explored)
        if self.seen is not None and explored is not None:
            self.seen.add(candidate.offer.key for candidate in explored.links)


def _delay(site: Site) -> float:
    """The site of a domain with the longest delay comes last, and counts."""
    return site.delay_seconds or 0.0
