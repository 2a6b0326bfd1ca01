"""Reads a list page, a feed or a sitemap for its links."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.observations import observe_document, observe_list
from newsspider.core.crawling.outcome import FEED_KINDS
from newsspider.core.crawling.visit import Lease, ListObservation, Offer, PageResult
from newsspider.core.duplicates.content_hashes import links_md5
from newsspider.core.extraction.dom.page import UnreadablePageError, parse, robots_meta
from newsspider.core.extraction.guard_page import GuardPageError, guard_line
from newsspider.core.links.feeds import FeedText, packed_entry, read_document
from newsspider.core.links.followable import followed_links, marked_nofollow
from newsspider.core.links.link_targets import frames_of, refresh_of
from newsspider.core.links.list_positions import XPATHS_REMEMBERED
from newsspider.core.links.page_links import listing_of
from newsspider.core.links.script_lists import is_json, read_json
from newsspider.core.links.xml_stream import document_kind, is_html
from newsspider.core.model import Layout, Link, LinkKind, PageType, Reason, Standing
from newsspider.core.url import canonical, canonical_of, same_site
from newsspider.crawl.fetch_notes import FEED_PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.crawl_sites import SiteKnowledge
    from newsspider.crawl.host_policy import HostPolicy
    from newsspider.pages.link_offers import LinkOffers
    from newsspider.pages.router import Answer
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)

_MESSAGES = {  # log level and message when the position of a list changes
    Standing.LEARNED: (logging.DEBUG, "the list of %s is at %s"),
    Standing.MOVED: (logging.WARNING, "%s was redesigned: its list is at %s now"),
    Standing.LOST: (logging.WARNING, "%s: the learned list position %s no longer matches"),
    Standing.KEPT: (logging.INFO, "the list of %s is back at %s"),
}


@dataclass(eq=False)
class ListReader:
    """The document itself decides how it is read, not the kind of its channel.

    A list with nofollow (META robots, X-Robots-Tag) offers no links; they are stored with a mark. The position of the
    lists on a channel's page is learned, again after a redesign. Setting: ``DEFAULT_CHARSET``.
    """

    offers: LinkOffers
    host_policy: HostPolicy
    knowledge: SiteKnowledge
    default_charset: str
    stats: StatsCollector
    clock: Clock

    def read(self, answer: Answer) -> PageResult:
        """The links of a list, and their offers; raises :exc:`UnreadablePageError` if a feed is neither a feed nor a
        list, and :exc:`GuardPageError`."""
        lease = answer.lease
        kind = document_kind(answer.response.body, answer.declared)
        plain = kind is None and lease.kind is PageType.SITEMAP and not is_html(answer.response.body)
        if plain:
            kind = PageType.SITEMAP  # a plain-text sitemap has no signature
        links: Sequence[Link]
        offers: list[Offer] = []
        meta_robots: frozenset[str] = frozenset()
        layout: Layout | None = None
        observation: ListObservation | None = None
        cut = ""
        if kind is not None:
            site, _ = self.offers.sites.place(lease)
            is_bridge = kind is PageType.FEED and site is not None and not same_site(site.home, lease.url)
            document = read_document(answer.response.body, lease.url, kind, with_texts=is_bridge)
            links, cut = document.urls, document.cut
            if plain and not links and answer.response.body.strip():
                raise UnreadablePageError("neither a feed nor a sitemap, and no URL in it")
            offers = self._led_to(lease, document.sitemaps)
        elif is_json(answer.response.body):
            kind = PageType.LIST
            _, channel = self.offers.sites.place(lease)
            links = read_json(answer.response.body, lease.url, channel.items if channel else None, answer.declared)
        else:
            kind = PageType.LIST
            links, offers, meta_robots, layout, observation = self._page(answer)
        if (
            kind is PageType.LIST
            and lease.kind in FEED_KINDS
            and not offers
            and all(link.kind is not LinkKind.ARTICLE for link in links)
        ):
            raise UnreadablePageError("neither a feed nor a sitemap, and no list of articles")
        if "nofollow" in answer.directives(self.host_policy.agent) | meta_robots:
            links = marked_nofollow(links)
        graph, article_offers = self.offers.sorted_out(lease, links)
        if kind is PageType.FEED and document.texts:
            article_offers = _with_pages(article_offers, links, document.texts, lease.url)
        count_cut(self.stats, lease, cut)
        settlement = replace(
            outcome.read(lease, Reason.POLLED, self.clock.now(), kind=kind, detail=cut),
            body_hash=shown_hash(followed_links(graph)),
        )
        layouts = () if layout is None else (layout,)
        effects = (*layouts, observation or observe_document(graph, kind))
        offers += article_offers
        return answer.settled(self.host_policy, settlement, links=graph, offers=tuple(offers), effects=effects)

    def _page(
        self, answer: Answer
    ) -> tuple[Sequence[Link], list[Offer], frozenset[str], Layout | None, ListObservation]:
        """The links, the frames, the META robots directives, the layout if it changed, and its health."""
        site, channel = self.offers.sites.place(answer.lease)
        page = parse(answer.response.body, answer.lease.url, answer.declared, self.default_charset)
        previous = self.knowledge.layout(answer.lease.site, answer.lease.channel)
        listing = listing_of(
            page,
            channel.regions if channel else (),
            channel.next_page if channel else None,
            site.article_url if site else None,
            previous.paths if previous else (),
        )
        framed = (refresh_of(page) or "", *frames_of(page, "iframe"))
        meta_robots = robots_meta(page, self.host_policy.agent)
        if not any(framed) and all(link.kind is not LinkKind.ARTICLE for link in listing.links):
            line = guard_line(page, None, len(listing.links))
            if line is not None:
                raise GuardPageError(line)
        new_layout = self._new_layout(answer.lease, listing.layout, previous) if channel else None
        regions = channel.regions if channel else ()
        offers = self._led_to(answer.lease, framed)
        observation = observe_list(page, listing.links, regions, framed=any(offer.refused is None for offer in offers))
        return listing.links, offers, meta_robots, new_layout, observation

    def _led_to(self, lease: Lease, urls: Iterable[str]) -> list[Offer]:
        """The pages that replace a part of the list, unless their URL pattern is spent."""
        return [self.offers.unless_spent(offer) for offer in self.offers.followed(lease, canonical_of(urls))]

    def _new_layout(self, lease: Lease, layout: Layout, previous: Layout | None) -> Layout | None:
        """The layout of a channel's lists if it changed; next pages do not count."""
        standing = layout.standing
        same = standing is Standing.UNKNOWN or (
            standing in (Standing.KEPT, Standing.LOST)
            and standing is (previous.standing if previous else Standing.KEPT)
        )
        if same or lease.hops:
            return None
        level, text = _MESSAGES[standing]
        logger.log(level, text, lease.url, " ".join(layout.paths))
        # stat lists/back: lost lists that are back
        # stat lists/learned: lists of a page learned for the first time
        # stat lists/moved: lists learned again after a redesign
        # stat lists/lost: pages that show their lists no longer
        self.stats.inc_value("lists/back" if standing is Standing.KEPT else f"lists/{standing}")
        new_standing = Standing.LOST if standing is Standing.LOST else Standing.KEPT
        older = (
            previous.paths if previous and standing is Standing.MOVED else ()
        )  # sites may alternate between two designs
        self.knowledge.set_layout(
            lease.site, lease.channel, Layout(new_standing, (*layout.paths, *older)[:XPATHS_REMEMBERED])
        )
        return layout


def _with_pages(
    offers: Iterable[Offer], links: Iterable[Link], texts: Mapping[str, FeedText], feed: str
) -> list[Offer]:
    """The offers of a feed of another program than the site, each with the page that its entry makes."""
    packed_pages = {
        canonical(link.url): packed_entry(texts[link.url], link.text, link.published_at, feed)
        for link in links
        if link.url in texts
    }
    return [
        replace(offer, meta=json.dumps({FEED_PAGE: packed_pages[offer.url]})) if offer.url in packed_pages else offer
        for offer in offers
    ]


def count_cut(stats: StatsCollector, lease: Lease, cut: str) -> None:
    """Count and log a feed or sitemap that was not read completely."""
    if cut:
        logger.info("%s was not read completely: %s", lease.url, cut)
        stats.inc_value("lists/cut")  # stat: feeds and sitemaps too long to be read to the end


def shown_hash(links: Sequence[Link]) -> str:
    """The hash of the articles on a list, or of all its links if it has none."""
    return links_md5([link.url for link in links if link.kind is LinkKind.ARTICLE] or [link.url for link in links])
