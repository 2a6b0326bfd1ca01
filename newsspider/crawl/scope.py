"""The scope of a crawl: what it may claim and how its pages are saved."""

from __future__ import annotations

import logging
import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.crawl.storage import died_here
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.loader import load_sites, site_toml
from newsspider.store import ledger, runs
from newsspider.store import sites as registry
from newsspider.store.ledger.submitted import submit

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from newsspider.core.crawling.start_url_message import StartUrl
    from newsspider.core.crawling.visit import Lease, PageResult
    from newsspider.core.fetching.address_guard import AllowedAddresses
    from newsspider.sites.model import Site
    from newsspider.store.ledger.submitted import Submitted
    from newsspider.store.sites import StoredSite

logger = logging.getLogger(__name__)

GIVEN = "given:"  # prefix of the path in the origin of a site from -a sites=...


class Scope:
    """Methods with a connection are steps of a job on the store."""

    explores = False  # it follows links anywhere, so trap budgets are kept by domain instead of by site

    @abstractmethod
    def begin(self, conn: Connection, now: float) -> dict[str, Site]:
        """The sites whose settings apply to this crawl, by name; :exc:`~newsspider.store.sites.BrokenSiteError` if one
        of them cannot be used."""

    def take_over(self, conn: Connection, topic: str, links: str, now: float) -> int:
        """Adapt what earlier crawls left to this one; returns how many pages were changed: 0 if all is done."""
        return 0

    def changed(self, conn: Connection) -> tuple[int, dict[str, StoredSite]] | None:
        """The version of the sites and the sites by name, if the version has changed."""
        return None

    def took_up(self, version: int) -> None:
        """Record the version that this crawl uses; not a step of a job, which may be repeated."""

    @abstractmethod
    def claimed(self, sites: Mapping[str, Site]) -> frozenset[str]:
        """The ``site`` values of the URLs that this crawl may claim."""

    @abstractmethod
    def site_of(self, lease: Lease, sites: Mapping[str, Site]) -> Site | None:
        """The site whose delay applies to a lease."""

    def before_save(self, result: PageResult) -> None:
        """Add to a page what the store must know of this crawl."""

    @abstractmethod
    def submit(
        self, conn: Connection, urls: Iterable[StartUrl], now: float, suffixes: Set[str], allowed: AllowedAddresses
    ) -> Submitted:
        """Have URLs that somebody pushed for this crawl fetched now."""

    def saved(self, result: PageResult) -> None:
        """Update the scope after the commit; not a step of a job."""


class WatchedScope(Scope):
    """The sites of one crawl of the education spider.

    Without a path: every enabled site of the registry, including the shipped ones. With a path: the sites of that
    file or folder, which are imported, and those that people add while the crawl runs.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.others: frozenset[str] = frozenset()  # sites of the registry that this crawl ignores
        self.version = -1

    def begin(self, conn: Connection, now: float) -> dict[str, Site]:
        if self.path is None:
            registry.sync_shipped(conn, now)
        else:
            file_sites = load_sites(Path(self.path))
            origin = GIVEN + str(Path(self.path).resolve())
            rows = [(site, site_toml(site), f"{origin}#{site.name}") for site in file_sites]
            _check_other_folders(conn, rows, now)
            registry.import_sites(conn, rows, now, take_over=True)
            names = {site.name for site in file_sites}
            self.others = frozenset(site.name for site in registry.stored(conn)) - names
        self.version = registry.version(conn)
        return {name: registry.usable(site) for name, site in self._enabled(conn).items()}

    def take_over(self, conn: Connection, topic: str, links: str, now: float) -> int:
        """Retire channels that were removed, and recheck what another topic rejected."""
        ledger.retire_channels(conn, now)
        return ledger.refused_by_other_topic(conn, topic, now, links=links)

    def changed(self, conn: Connection) -> tuple[int, dict[str, StoredSite]] | None:
        version = registry.version(conn)
        return None if version == self.version else (version, self._enabled(conn))

    def took_up(self, version: int) -> None:
        self.version = version

    def claimed(self, sites: Mapping[str, Site]) -> frozenset[str]:
        """The watched sites; the empty name is for submitted URLs without a site."""
        return frozenset(sites) | {""}

    def site_of(self, lease: Lease, sites: Mapping[str, Site]) -> Site | None:
        return sites.get(lease.site)

    def submit(
        self, conn: Connection, urls: Iterable[StartUrl], now: float, suffixes: Set[str], allowed: AllowedAddresses
    ) -> Submitted:
        return submit(conn, urls, now, suffixes, allowed)

    def _enabled(self, conn: Connection) -> dict[str, StoredSite]:
        others = self.others if self.path is None else self.others | registry.shipped_names(conn)
        return {site.name: site for site in registry.stored(conn) if site.enabled and site.name not in others}


def _check_other_folders(conn: Connection, rows: Sequence[tuple[Site, str, str]], now: float) -> None:
    """Raise ``UsageError`` if a running crawl took a site of the same name from another file or folder: the two would
    fetch each other's pages. Such a site of a crawl that has ended is taken over, with a warning."""
    others: dict[str, list[str]] = {}
    for name, origin in registry.of_other_origins(conn, rows).items():
        if origin.startswith(GIVEN):
            others.setdefault(origin.removeprefix(GIVEN).removesuffix(f"#{name}"), []).append(name)
    crawls = [(worker, given["sites"]) for worker, given in runs.running(conn, now) if given.get("sites")]
    for folder, names in others.items():
        what = f"{', '.join(names[:3])}{' ...' if len(names) > 3 else ''}: {folder} has"
        using = (worker for worker, path in crawls if _is_same(folder, path) and not died_here(worker))
        if worker := next(using, None):
            raise wrong_use(
                f"-a sites: {what} other sites of the same name, and the crawl {worker} uses them now; give them other"
                " names, or this crawl another store (DATABASE_URL)"
            )
        logger.warning("%s other sites of the same name in this store; those of this crawl take their place", what)


def _is_same(folder: str, path: str) -> bool:
    """Whether a path, which may be relative to the folder of another process, can mean this folder.

    >>> [_is_same("/a/sites", path) for path in ("/a/sites", "sites", "../a/sites", ".", "/b/sites", "other")]
    [True, True, True, True, False, False]
    """
    if Path(path).is_absolute():
        return Path(folder) == Path(path).resolve()
    parts = [part for part in Path(os.path.normpath(path)).parts if part != os.pardir]
    return not parts or list(Path(folder).parts[-len(parts) :]) == parts
