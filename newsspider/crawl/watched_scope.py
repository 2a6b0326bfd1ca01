"""The watched sites of a crawl: the registry in the store, restricted by ``-a sites=...``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from pathlib import Path

from sqlalchemy import Connection

from newsspider.core.crawling.message import StartUrl
from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.fetching.addresses import Exceptions
from newsspider.sites.loader import load_sites, site_toml
from newsspider.sites.model import Site
from newsspider.store import ledger
from newsspider.store import sites as registry
from newsspider.store.ledger.submitted import Submitted, submit

GIVEN = "given:"  # prefix of the path in the origin of a site from -a sites=...


class WatchedScope:
    """The sites of one crawl of the education spider: its :class:`~newsspider.crawl.scope.Scope`.

    Without a path: every enabled site of the registry, including the shipped ones. With a path: the sites of that
    file or folder, which are imported, and those that people add while the crawl runs.
    """

    explores = False

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.others: frozenset[str] = frozenset()  # sites of the registry that this crawl ignores
        self.version = -1

    def begin(self, conn: Connection, now: float) -> dict[str, Site]:
        """Update the registry and return the enabled sites by name."""
        if self.path is None:
            registry.sync_shipped(conn, now)
        else:
            given = load_sites(Path(self.path))
            origin = GIVEN + str(Path(self.path).resolve())
            rows = [(site, site_toml(site), f"{origin}#{site.name}") for site in given]
            registry.import_sites(conn, rows, now, take_over=True)
            names = {site.name for site in given}
            self.others = frozenset(site.name for site in registry.sites(conn)) - names
        self.version = registry.version(conn)
        return self._enabled(conn)

    def take_over(self, conn: Connection, topic: str, links: str, now: float) -> None:
        """Retire channels that were removed, and recheck what another topic rejected."""
        ledger.retire_channels(conn, now)
        ledger.refused_by_other_topic(conn, topic, now, links=links)

    def changed(self, conn: Connection) -> tuple[int, dict[str, Site]] | None:
        """The version of the registry and its enabled sites by name, if changed; else ``None``."""
        version = registry.version(conn)
        return None if version == self.version else (version, self._enabled(conn))

    def took_up(self, version: int) -> None:
        """Report only later changes from now on."""
        self.version = version

    def claimed(self, sites: Mapping[str, Site]) -> frozenset[str]:
        """The watched sites; the empty name is for submitted URLs without a site."""
        return frozenset(sites) | {""}

    def site_of(self, lease: Lease, sites: Mapping[str, Site]) -> Site | None:
        """The site that the page was found on."""
        return sites.get(lease.site)

    def before_save(self, result: PageResult) -> None:
        """Nothing to add."""

    def submit(
        self, conn: Connection, urls: Iterable[StartUrl], now: float, suffixes: Set[str], allowed: Exceptions
    ) -> Submitted:
        """Have URLs that somebody pushed fetched now, as those of ``scrapy submit``."""
        return submit(conn, urls, now, suffixes, allowed)

    def saved(self, result: PageResult) -> None:
        """Nothing to update."""

    def _enabled(self, conn: Connection) -> dict[str, Site]:
        others = self.others if self.path is None else self.others | registry.shipped_names(conn)
        return {site.name: site for site in registry.enabled_sites(conn) if site.name not in others}
