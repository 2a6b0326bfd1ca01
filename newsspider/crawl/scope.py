"""What a crawl may claim and how its pages are saved: the watched sites, or the URLs of one explore crawl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from newsspider.core.url import host_of, site_domain
from newsspider.store import sites as registry
from newsspider.store.exploring import crawls, starts

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from newsspider.core.crawling.visit import Lease, PageResult
    from newsspider.core.strategies.strategy import Strategy
    from newsspider.sites.model import Site
    from newsspider.store.engine.batch import Job
    from newsspider.store.exploring.seen import SeenFilter
    from newsspider.store.exploring.starts import Seed
    from newsspider.store.pages import Saved


class Scope(Protocol):
    """Every method with a connection is a step of a job on the store."""

    explores: bool  # it leads anywhere, so the budgets are those of domains instead of sites

    def begin(self, conn: Connection, now: float) -> dict[str, Site]:
        """The sites whose settings hold for this crawl, by name."""

    def take_over(self, conn: Connection, topic: str, links: str, now: float) -> None:
        """Bring what earlier crawls left into line with this one."""

    def changed(self, conn: Connection) -> tuple[int, dict[str, Site]] | None:
        """The version of the sites and the sites by name, if that is not the version that was taken up."""

    def took_up(self, version: int) -> None:
        """Remember that all of this crawl knows the sites of a version; no step of a job, which may be done again."""

    def claimed(self, sites: Mapping[str, Site]) -> frozenset[str]:
        """The names that stand as ``site`` of the URLs that this crawl may claim."""

    def site_of(self, lease: Lease, sites: Mapping[str, Site]) -> Site | None:
        """The site whose delay holds for a lease."""

    def saving(self, result: PageResult, now: float) -> Job[Saved]:
        """The job that writes what a page brought and settles its lease."""

    def saved(self, result: PageResult) -> None:
        """Take into account that this was committed; no step of a job."""


class ExploreScope:
    """One explore crawl: it claims nothing but its own URLs; a host that is watched too keeps the delay of its site."""

    explores = True

    def __init__(self, site: str, strategy: Strategy, seen: SeenFilter | None = None) -> None:
        self.site = site
        self.strategy = strategy
        self.seen = seen  # instead of asking the ledger whether a link is known
        self._domains: dict[str, Site] = {}

    def begin(self, conn: Connection, now: float) -> dict[str, Site]:
        registry.sync_shipped(conn, now)
        sites = registry.enabled_sites(conn)
        self._domains = {site_domain(host_of(site.home)): site for site in sorted(sites, key=_delay)}
        return {}

    def start(self, conn: Connection, name: str, seeds: Sequence[Seed], now: float) -> int:
        """Start a run of the crawl, or go on with it, by the strategy of this name; how many URLs that gave it that
        it had not."""
        return starts.begin(conn, self.site, name, self.strategy, seeds, now)

    def take_over(self, conn: Connection, topic: str, links: str, now: float) -> None:
        if self.seen is not None:
            self.seen.fill(conn, self.site)

    def changed(self, conn: Connection) -> tuple[int, dict[str, Site]] | None:
        return None

    def took_up(self, version: int) -> None:
        pass

    def claimed(self, sites: Mapping[str, Site]) -> frozenset[str]:
        return frozenset({self.site})

    def site_of(self, lease: Lease, sites: Mapping[str, Site]) -> Site | None:
        return self._domains.get(site_domain(lease.host))

    def saving(self, result: PageResult, now: float) -> Job[Saved]:
        return partial(crawls.save, result=result, now=now, site=self.site, strategy=self.strategy)

    def saved(self, result: PageResult) -> None:
        if self.seen is not None and result.explored is not None:
            self.seen.add(candidate.offer.key for candidate in result.explored.links)


def _delay(site: Site) -> float:
    """Of the sites of one domain the slowest counts: it comes last."""
    return site.delay_seconds or 0.0
