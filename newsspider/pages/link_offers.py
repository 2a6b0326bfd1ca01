"""Which of the URLs on a page are offered to the frontier, and as what."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from newsspider.core.crawling.visit import Lease, Offer
from newsspider.core.links.article_parts import partial_article
from newsspider.core.links.followable import OFFERED, Unoffered, followed, never_fetched, unoffered
from newsspider.core.model import Link, LinkKind, PageType, Reason, StoredArticle
from newsspider.core.strategies.polling import (
    ARTICLE_PRIORITY,
    FURTHER_PRIORITY,
    NEXT_PRIORITY,
    article_priority,
    priority,
)
from newsspider.core.url import canonical, host_of, same_site, url_key
from newsspider.crawl.channel_offers import ARTICLE_DEPTH
from newsspider.download.guarded_resolver import allowed_addresses

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.fetching.addresses import Exceptions
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.poll_planner import PollPlanner
    from newsspider.crawl.selection import Selection
    from newsspider.sites.model import Channel, Site
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)

# so many next pages of a list go before the articles that it shows; the others behind, for they may turn out a trap
PAGES_AHEAD = 5


@dataclass(frozen=True, slots=True)
class OfferRules:
    """Settings: ``IGNORED_SUFFIXES``, ``ALLOWED_ADDRESSES``, ``LIST_MAX_PAGES``, ``REDIRECT_MAX_TIMES``."""

    suffixes: frozenset[str]
    allowed: Exceptions
    list_max_pages: int
    redirect_max_times: int

    @classmethod
    def read(cls, settings: BaseSettings) -> Self:
        """The rules as the settings have them."""
        suffixes, allowed = frozenset(settings.getlist("IGNORED_SUFFIXES")), allowed_addresses(settings)
        return cls(suffixes, allowed, settings.getint("LIST_MAX_PAGES"), settings.getint("REDIRECT_MAX_TIMES"))


class LinkOffers:
    """Turns links into offers: near ones only, each once, with the reason of those that are never to be fetched.

    Stats:
    ``links/suffix``, ``links/trap``, ``links/spent``, ``links/off_topic``, ``links/address``, ``links/nofollow``,
    ``links/offsite``.
    """

    def __init__(
        self, sites: CrawlSites, selection: Selection, planner: PollPlanner, rules: OfferRules, stats: StatsCollector,
        clock: Clock,
    ) -> None:  # fmt: skip
        self.sites = sites
        self.link_filter = selection.link_filter
        self.trap_budgets = selection.trap_budgets
        self.planner = planner
        self.rules = rules
        self.stats = stats
        self.clock = clock

    def place(self, lease: Lease) -> tuple[Site | None, Channel | None]:
        """The watched site and the channel of a lease, as far as they are still there."""
        return self.sites.place(lease)

    def sorted_out(self, lease: Lease, links: Iterable[Link]) -> tuple[tuple[Link, ...], list[Offer]]:
        """The links of a list for the graph, canonical and each once, and what of them is offered."""
        shown = tuple(links)
        site, _ = self.place(lease)
        anchors = ((link.text, link.url) for link in followed(shown) if link.kind is LinkKind.ARTICLE)
        self.link_filter.observe(lease.site, lease.channel, anchors)
        graph: dict[str, Link] = {}
        offers: dict[str, Offer] = {}
        for link in shown:
            url = canonical(link.url)
            if url is None or url == lease.url:
                continue
            link = link_at(link, url)  # noqa: PLW2901 -- the same one
            graph[url] = _better(graph[url], link) if url in graph else link
            if link.kind not in OFFERED and not link.nofollow:
                continue
            if (why := unoffered(link, lease.url, site.article_url if site else None)) is not None:
                self._count(why)
                continue
            unwanted = url not in offers or offers[url].refused is Reason.OFF_TOPIC  # another link to it may say more
            if link.kind is LinkKind.ARTICLE and unwanted:
                offers[url] = self._article(lease, url, link.text)
            elif link.kind is LinkKind.NEXT and lease.hops < self.rules.list_max_pages:
                offers[url] = replace(self.unless_spent(self._successor(lease, url)), fresh_only=True)
        return tuple(graph.values()), list(offers.values())

    def followed(self, lease: Lease, urls: Iterable[str]) -> list[Offer]:
        """Those pages that stand for the leased one, its frames or where it moved to, that are followed: on the same
        site, and not endlessly."""
        if lease.hops >= self.most_hops(lease):
            return []
        return [self._successor(lease, url) for url in urls if url != lease.url and same_site(url, lease.url)]

    def unless_spent(self, offer: Offer) -> Offer:
        """The offer, refused if too many pages like it brought nothing; a URL that was read stays as it is."""
        if offer.refused is not None:
            return offer
        spent = self.trap_budgets.refusal(offer.site, offer.url, offer.key, offer.kind)
        if spent is None:
            return offer
        self.stats.inc_value("links/spent")
        return replace(offer, refused=Reason.TRAP, detail=spent)

    def most_hops(self, lease: Lease) -> int:
        """How many pages in a row may lead on to another one in their stead; the pages of a list count, too."""
        return self.rules.list_max_pages if lease.kind is PageType.LIST else self.rules.redirect_max_times

    def further(self, lease: Lease, url: str, article: StoredArticle, now: float) -> Offer:
        """The next page of an article, which takes along what was read so far; asked again with every page before
        it, unless it is an article of another title."""
        return replace(
            self._successor(lease, url),
            due_at=now,
            anchor=article.anchor,
            part_of=article.title,
            partial_article=partial_article(article),
        )

    def _count(self, why: Unoffered) -> None:
        self.stats.inc_value(f"links/{why}")

    def _article(self, lease: Lease, url: str, anchor: str) -> Offer:
        _, channel = self.place(lease)
        key, topic = url_key(url), None
        verdict = self.link_filter.of(anchor, lease.site, lease.channel, url)
        refused, detail = self.refusal(url, lease.url)
        if refused is None and (spent_pattern := self.trap_budgets.refusal(lease.site, url, key)) is not None:
            self.stats.inc_value("links/spent")
            refused, detail = Reason.TRAP, spent_pattern
        if refused is None and verdict.refusal:
            self.stats.inc_value("links/off_topic")
            refused, detail, topic = Reason.OFF_TOPIC, verdict.refusal, self.link_filter.topic_name
        return Offer(
            key, url, host_of(url), PageType.ARTICLE, lease.site, lease.channel, ARTICLE_DEPTH, lease.key, anchor,
            article_priority(channel.weight if channel else 1, verdict.steps, hub=self.planner.is_hub(lease.site, lease.channel)),
            refused=refused, detail=detail, topic=topic,
        )  # fmt: skip

    def _successor(self, lease: Lease, url: str) -> Offer:
        base = ARTICLE_PRIORITY
        if lease.kind.polled:
            base = NEXT_PRIORITY if lease.hops < PAGES_AHEAD else FURTHER_PRIORITY
        _, channel = self.place(lease)
        refused, detail = self.refusal(url, lease.url)
        return Offer(
            url_key(url), url, host_of(url), lease.kind, lease.site, lease.channel, lease.depth, lease.key,
            lease.anchor, priority(base, channel.weight if channel else 1), lease.due_at,
            again_before=lease.due_at if lease.kind.polled else None, hops=lease.hops + 1,
            refused=refused, partial_article=lease.partial_article, detail=detail,
        )  # fmt: skip

    def refusal(self, url: str, page: str) -> tuple[Reason | None, str]:
        """Why a URL that a page leads to is never to be fetched, if so; in one word, and for people if there is more
        to say."""
        reason, detail = never_fetched(url, self.rules.suffixes, self.rules.allowed, self.clock.utc().date())
        if reason is not None:
            logger.debug("%s on %s is never fetched: %s %s", url, page, reason, detail)
            self.stats.inc_value(f"links/{reason}")
        return reason, detail


def _better(one: Link, other: Link) -> Link:
    """Of two links to a URL the first with a text, marked only if both are."""
    better = one if one.text else other
    return better._replace(nofollow=one.nofollow and other.nofollow)


def link_at(link: Link, url: str) -> Link:
    """The link with its canonical URL, which most have already."""
    return link if link.url == url else link._replace(url=url)


def canonical_of(urls: Iterable[str]) -> list[str]:
    """The canonical forms of those that are URLs of the web."""
    return [url for url in map(canonical, urls) if url is not None]
