"""The sites of one crawl: which its scope chooses, what was learned about them, and the offers of their channels."""

from __future__ import annotations

import logging
import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from newsspider.core.crawling.visit import Offer
from newsspider.core.extraction.article import without_boilerplate
from newsspider.core.extraction.lines.boilerplate_lines import Boilerplate
from newsspider.core.model import Article, Layout, PageType
from newsspider.core.scheduling.priorities import LIST_PRIORITY, weighted_priority
from newsspider.core.url import canonical, host_of, url_key
from newsspider.crawl.storage import died_here
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.loader import load_sites, site_toml
from newsspider.sites.model import Channel, ChannelKind, Site
from newsspider.store import ledger, runs
from newsspider.store import sites as registry
from newsspider.store.ledger import site_knowledge
from newsspider.store.ledger.submitted import submit

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from newsspider.core.crawling.start_url_message import StartUrl
    from newsspider.core.crawling.visit import Lease, PageResult
    from newsspider.core.fetching.address_guard import AllowedAddresses
    from newsspider.crawl.link_filter import LinkFilter
    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.store.engine.writer import Writer
    from newsspider.store.ledger.submitted import Submitted
    from newsspider.store.sites import StoredSite

logger = logging.getLogger(__name__)


GIVEN = "given:"  # prefix of the path in the origin of a site from -a sites=...


class CrawlScope:
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


class WatchedScope(CrawlScope):
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
            self.others = frozenset(site.name for site in registry.stored_sites(conn)) - names
        self.version = registry.version(conn)
        return {name: registry.usable_site(site) for name, site in self._enabled(conn).items()}

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
        return {site.name: site for site in registry.stored_sites(conn) if site.enabled and site.name not in others}


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


@dataclass(eq=False)
class CrawlSites:
    """The watched sites by name; they may change while a crawl runs."""

    scope: CrawlScope
    knowledge: SiteKnowledge
    # memory by_name: the watched sites: as many as there are
    by_name: Mapping[str, Site] = field(default_factory=dict, init=False)
    is_adapted: bool = field(default=False, init=False)  # whether all that earlier crawls left is adapted
    reopened: int = field(default=0, init=False)  # pages that another topic had refused

    async def load(self, writer: Writer, now: float) -> None:
        """Update the registry, and load its sites and what the store knows about them."""
        self.by_name = await writer.run(partial(self.scope.begin, now=now))
        await self.knowledge.load(writer)

    async def take_over(self, frontier: SqlFrontier, link_filter: LinkFilter, now: float) -> None:
        """Adapt what earlier crawls left to this crawl's sites and topic. If :attr:`is_adapted` is false afterwards,
        there is more to change than fits into a transaction: call it again."""
        topic, links = link_filter.topic.name, link_filter.topic_name
        pages = await frontier.run(partial(self.scope.take_over, topic=topic, links=links, now=now))
        if pages and not self.reopened:
            logger.info("pages that another topic had refused will be read again for %s", topic)
        self.reopened += pages
        self.is_adapted = pages == 0

    def replace(self, by_name: Mapping[str, Site]) -> None:
        """Use these sites from now on."""
        self.by_name = by_name

    def __contains__(self, name: str) -> bool:
        return name in self.by_name

    def claimable(self) -> frozenset[str]:
        """The sites whose pages this crawl may claim."""
        return self.scope.claimed(self.by_name)

    def budgeted(self) -> Set[str]:
        """The sites whose URLs have trap budgets: the watched ones, or the explore crawl."""
        return self.claimable() if self.scope.explores else self.by_name.keys()

    def renders(self, lease: Lease) -> bool:
        """Whether scripts fill in a page, so that its markup may stay the same when what it shows has changed."""
        site, _ = self.place(lease)
        return site is not None and site.render

    def place(self, lease: Lease) -> tuple[Site | None, Channel | None]:
        """The watched site and channel of a lease, if they still exist."""
        site = self.by_name.get(lease.site)
        return site, site.channel(lease.channel) if site is not None else None


class SiteKnowledge:
    """In memory for one crawl, loaded from the store. Setting: ``BOILERPLATE_LEARNED``."""

    def __init__(self, *, learns_boilerplate: bool) -> None:
        self.learns_boilerplate = learns_boilerplate
        self._layouts: dict[tuple[str, str], Layout] = {}  # memory: where lists stand: one a channel
        self._boilerplate: dict[str, Boilerplate] = {}  # by site
        self._learning = Lock()  # long pages are read in a thread

    async def load(self, writer: Writer) -> None:
        """Load what the store knows; boilerplate lines that it no longer has are dropped."""
        self._layouts = await writer.run(site_knowledge.known_list_positions)
        lines = await writer.run(site_knowledge.known_boilerplate)
        for site in lines.keys() | self._boilerplate.keys():
            self._boilerplate.setdefault(site, Boilerplate()).lines = set(lines.get(site, ()))

    def layout(self, site: str, channel: str) -> Layout | None:
        """Where the lists are on a channel's page, if known."""
        return self._layouts.get((site, channel))

    def set_layout(self, site: str, channel: str, layout: Layout) -> None:
        """Remember where the lists are on a channel's page."""
        self._layouts[site, channel] = layout

    def boilerplate_lines(self, site: str) -> frozenset[str]:
        """The known boilerplate lines of a site's articles."""
        return frozenset(self._boilerplate[site].lines if site in self._boilerplate else ())

    def without_boilerplate(self, article: Article, site: str, *, learn: bool) -> tuple[Article, tuple[str, ...]]:
        """The article without its site's boilerplate, and the lines that were learned from this article."""
        boilerplate = self._boilerplate.setdefault(site, Boilerplate())
        with self._learning:
            learned = boilerplate.learn(article.text) if learn else ()
        return without_boilerplate(article, boilerplate), learned


LIST_DEPTH = 1
ARTICLE_DEPTH = 2

PAGE_KINDS = {ChannelKind.FEED: PageType.FEED, ChannelKind.SITEMAP: PageType.SITEMAP}


def channel_offers(sites: Iterable[Site], now: float, cycle: float, again_before: float | None = None) -> list[Offer]:
    """One offer per channel of the enabled sites, the heaviest first; ``cycle`` is the longest time between two polls.

    New channels are due now, and so are known ones that were last polled before ``again_before``.
    """
    channels = [(site, channel) for site in sites if site.enabled for channel in site.channels]
    channels.sort(key=lambda pair: -pair[1].weight)
    return [_offer(site, channel, now, cycle, again_before) for site, channel in channels]


def _offer(site: Site, channel: Channel, now: float, cycle: float, again_before: float | None) -> Offer:
    url = canonical(channel.url)
    assert url is not None, f"{site.name}: the loader lets only http URLs through"
    return Offer(
        key=url_key(url),
        url=url,
        host=host_of(url),
        kind=PAGE_KINDS.get(channel.kind, PageType.LIST),
        site=site.name,
        channel=channel.name,
        depth=LIST_DEPTH,
        priority=weighted_priority(LIST_PRIORITY, channel.weight),
        due_at=now,
        update_cycle=cycle,
        again_before=again_before,
    )
