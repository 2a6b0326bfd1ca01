"""Which sites a crawl watches: the registry in the store, seen through the crawl's ``-a sites=...``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.sites.loader import load_sites, site_toml
from newsspider.sites.model import Site
from newsspider.store import ledger, pages
from newsspider.store import sites as registry
from newsspider.store.engine.batch import Job, Together
from newsspider.store.pages import Saved

GIVEN = "given:"  # before the path, in the origin of a site that came by -a sites=...


class WatchedScope:
    """The sites of one crawl of the topic spider: its :class:`~newsspider.crawl.scope.Scope`.

    Without a path: every enabled site of the registry, the shipped ones included. With one: the sites of that file or
    folder, which go into the registry, and those that people add while the crawl runs.
    """

    explores = False

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.others: frozenset[str] = frozenset()  # sites of the registry that this crawl leaves alone
        self.version = -1

    def begin(self, conn: Connection, now: float) -> dict[str, Site]:
        """Bring the registry up to date and return the enabled sites by name."""
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
        """Poll no channel that is gone, and read again what another topic refused."""
        ledger.retire_channels(conn, now)
        ledger.refused_by_other_topic(conn, topic, now, links=links)

    def changed(self, conn: Connection) -> tuple[int, dict[str, Site]] | None:
        """The version of the registry and its enabled sites by name, if that is not the version that was taken up;
        else ``None``."""
        version = registry.version(conn)
        return None if version == self.version else (version, self._enabled(conn))

    def took_up(self, version: int) -> None:
        """Look for later changes from now on."""
        self.version = version

    def claimed(self, sites: Mapping[str, Site]) -> frozenset[str]:
        """The watched sites; the empty name is that of submitted URLs of no site."""
        return frozenset(sites) | {""}

    def site_of(self, lease: Lease, sites: Mapping[str, Site]) -> Site | None:
        """The site through which the page was found."""
        return sites.get(lease.site)

    def saving(self, result: PageResult, now: float) -> Job[Saved]:
        """The job that writes what a page brought and settles its lease, together with the pages beside it."""
        return Together(pages.save_all, (result, now))

    def saved(self, result: PageResult) -> None:
        """Nothing is remembered."""

    def _enabled(self, conn: Connection) -> dict[str, Site]:
        others = self.others if self.path is None else self.others | registry.shipped_names(conn)
        return {site.name: site for site in registry.enabled_sites(conn) if site.name not in others}
