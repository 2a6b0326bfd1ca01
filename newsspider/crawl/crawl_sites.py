"""The sites of one crawl, as its scope selects them, what was learned about them, and the offers of their channels."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from newsspider.core.crawling.visit import Offer
from newsspider.core.extraction.learned_boilerplate import Boilerplate, bared
from newsspider.core.model import Article, Layout, PageType
from newsspider.core.scheduling.priorities import LIST_PRIORITY, priority
from newsspider.core.url import canonical, host_of, url_key
from newsspider.sites.model import Channel, ChannelKind, Site
from newsspider.store.articles import boilerplate_lines
from newsspider.store.ledger import list_positions

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import Lease
    from newsspider.crawl.link_filter import LinkFilter
    from newsspider.crawl.scope import Scope
    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.store.engine.writer import Writer


logger = logging.getLogger(__name__)


@dataclass(eq=False)
class CrawlSites:
    """The watched sites by name; they may change while a crawl runs."""

    scope: Scope
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

    def delaying(self, lease: Lease) -> Site | None:
        """The site whose delay applies to a lease."""
        return self.scope.site_of(lease, self.by_name)

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
        self._layouts = await writer.run(list_positions.known)
        lines = await writer.run(boilerplate_lines.known)
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
        return bared(article, boilerplate), learned


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
        priority=priority(LIST_PRIORITY, channel.weight),
        due_at=now,
        update_cycle=cycle,
        again_before=again_before,
    )
