"""Decides which links of a page are offered to the frontier, and as what."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from newsspider.core.crawling.visit import Lease, Offer
from newsspider.core.links.article_parts import partial_article
from newsspider.core.links.followable import OFFERED, Unoffered, followed_links, never_fetched, why_not_offered
from newsspider.core.model import Link, LinkKind, PageType, Reason, StoredArticle
from newsspider.core.scheduling.priorities import (
    ARTICLE_PRIORITY,
    FURTHER_PRIORITY,
    NEXT_PRIORITY,
    article_priority,
    weighted_priority,
)
from newsspider.core.url import canonical, host_of, same_site, url_key
from newsspider.crawl.crawl_sites import ARTICLE_DEPTH
from newsspider.download.guarded_resolver import allowed_addresses

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.fetching.address_guard import AllowedAddresses
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.link_filter import LinkFilter
    from newsspider.crawl.poll_planner import PollPlanner
    from newsspider.crawl.trap_budgets import TrapBudgets
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)

# next pages of a list that go before its articles; later ones go behind, as they may be a trap
PAGES_AHEAD = 5


@dataclass(frozen=True, slots=True)
class OfferRules:
    """Settings: ``IGNORED_SUFFIXES``, ``ALLOWED_ADDRESSES``, ``LIST_MAX_PAGES``, ``REDIRECT_MAX_TIMES``,
    ``REDIRECT_ENABLED``, ``DEPTH_LIMIT``."""

    suffixes: frozenset[str]
    allowed: AllowedAddresses
    list_max_pages: int
    redirect_max_times: int
    depth_limit: int  # 0: none

    @classmethod
    def read(cls, settings: BaseSettings) -> Self:
        suffixes, allowed = frozenset(settings.getlist("IGNORED_SUFFIXES")), allowed_addresses(settings)
        redirects = settings.getint("REDIRECT_MAX_TIMES") if settings.getbool("REDIRECT_ENABLED") else 0
        return cls(suffixes, allowed, settings.getint("LIST_MAX_PAGES"), redirects, settings.getint("DEPTH_LIMIT"))

    def ends_at(self, depth: int) -> bool:
        """Whether a page ``depth`` links from the start is too deep for its links to be followed."""
        return 0 < self.depth_limit <= depth


@dataclass(eq=False)
class LinkOffers:
    """Turns links into offers: same-site links only, without duplicates; URLs that are never fetched carry the
    reason."""

    sites: CrawlSites
    link_filter: LinkFilter
    trap_budgets: TrapBudgets
    planner: PollPlanner
    rules: OfferRules
    stats: StatsCollector
    clock: Clock

    def sorted_out(self, lease: Lease, links: Iterable[Link]) -> tuple[tuple[Link, ...], list[Offer]]:
        """The distinct canonical links of a list for the graph, and the offers among them."""
        all_links = tuple(links)
        site, _ = self.sites.place(lease)
        anchors = ((link.text, link.url) for link in followed_links(all_links) if link.kind is LinkKind.ARTICLE)
        self.link_filter.observe(lease.site, lease.channel, anchors)
        graph: dict[str, Link] = {}
        offers: dict[str, Offer] = {}
        too_deep = self.rules.ends_at(lease.hops)
        for link in all_links:
            url = canonical(link.url)
            if url is None or url == lease.url:
                continue
            link = link_at(link, url)  # noqa: PLW2901 -- the same link
            graph[url] = _better(graph[url], link) if url in graph else link
            if too_deep or (link.kind not in OFFERED and not link.nofollow):
                continue
            if (
                why := why_not_offered(link, lease.url, site.article_url if site else None, site.home if site else None)
            ) is not None:
                self._count(why)
                continue
            unwanted = (
                url not in offers or offers[url].refused is Reason.OFF_TOPIC
            )  # another link to it may be on topic
            if link.kind is LinkKind.ARTICLE and unwanted:
                offers[url] = self._article(lease, url, link.text)
            elif link.kind is LinkKind.NEXT and lease.hops < self.rules.list_max_pages:
                offers[url] = replace(self.unless_spent(self._successor(lease, url)), fresh_only=True)
        return tuple(graph.values()), list(offers.values())

    def followed(self, lease: Lease, urls: Iterable[str]) -> list[Offer]:
        """The pages to follow in place of the leased one (frames or redirect targets): on the same site, up to a
        number of hops."""
        if lease.hops >= self.most_hops(lease):
            return []
        return [self._successor(lease, url) for url in urls if url != lease.url and same_site(url, lease.url)]

    def unless_spent(self, offer: Offer) -> Offer:
        """The offer, refused if its URL pattern is spent; a URL that was read stays as it is."""
        if offer.refused is not None:
            return offer
        spent = self.trap_budgets.refusal(offer.site, offer.url, offer.key, offer.kind)
        if spent is None:
            return offer
        self.stats.inc_value("links/spent")  # stat: links of an exhausted URL pattern or site
        return replace(offer, refused=Reason.TRAP, detail=spent)

    def most_hops(self, lease: Lease) -> int:
        """The limit of consecutive redirects or frames; for a list also of its next pages."""
        return self.rules.list_max_pages if lease.kind is PageType.LIST else self.rules.redirect_max_times

    def further(self, lease: Lease, url: str, article: StoredArticle, now: float) -> Offer:
        """The next page of an article, with what was read so far; requested again with every page before it, unless
        it is an article with another title."""
        return replace(
            self._successor(lease, url),
            due_at=now,
            anchor=article.anchor,
            part_of=article.title,
            partial_article=partial_article(article),
        )

    def _count(self, why: Unoffered) -> None:
        # stat links/address: article links to addresses that are not public
        # stat links/nofollow: links not offered because of `nofollow`
        # stat links/suffix: article links whose suffix is in `IGNORED_SUFFIXES`
        # stat links/trap: article links that look like a trap
        self.stats.inc_value(f"links/{why}")

    def _article(self, lease: Lease, url: str, anchor: str) -> Offer:
        _, channel = self.sites.place(lease)
        key, topic = url_key(url), None
        verdict = self.link_filter.of(anchor, lease.site, lease.channel, url)
        refused, detail = self.refusal(url, lease.url)
        if refused is None and (spent_pattern := self.trap_budgets.refusal(lease.site, url, key)) is not None:
            self.stats.inc_value("links/spent")
            refused, detail = Reason.TRAP, spent_pattern
        if refused is None and verdict.refusal:
            self.stats.inc_value("links/off_topic")  # stat: article links whose anchor text is off topic
            refused, detail, topic = Reason.OFF_TOPIC, verdict.refusal, self.link_filter.topic_name
        return Offer(
            key,
            url,
            host_of(url),
            PageType.ARTICLE,
            lease.site,
            lease.channel,
            ARTICLE_DEPTH,
            lease.key,
            anchor,
            article_priority(
                channel.weight if channel else 1, verdict.steps, hub=self.planner.is_hub(lease.site, lease.channel)
            ),
            refused=refused,
            detail=detail,
            topic=topic,
        )

    def _successor(self, lease: Lease, url: str) -> Offer:
        base = ARTICLE_PRIORITY
        if lease.kind.polled:
            base = NEXT_PRIORITY if lease.hops < PAGES_AHEAD else FURTHER_PRIORITY
        _, channel = self.sites.place(lease)
        refused, detail = self.refusal(url, lease.url)
        return Offer(
            url_key(url),
            url,
            host_of(url),
            lease.kind,
            lease.site,
            lease.channel,
            lease.depth,
            lease.key,
            lease.anchor,
            weighted_priority(base, channel.weight if channel else 1),
            lease.due_at,
            again_before=lease.due_at if lease.kind.polled else None,
            hops=lease.hops + 1,
            refused=refused,
            partial_article=lease.partial_article,
            meta=lease.meta,
            detail=detail,
        )

    def refusal(self, url: str, page: str) -> tuple[Reason | None, str]:
        """The reason why a URL is never fetched, if so, with a detail for people."""
        reason, detail = never_fetched(url, self.rules.suffixes, self.rules.allowed, self.clock.utc().date())
        if reason is not None:
            logger.debug("%s on %s is never fetched: %s %s", url, page, reason, detail)
            self.stats.inc_value(f"links/{reason}")
        return reason, detail


def _better(first: Link, second: Link) -> Link:
    """The first of two links to a URL that has a text, nofollow only if both are."""
    better = first if first.text else second
    return better._replace(nofollow=first.nofollow and second.nofollow)


def link_at(link: Link, url: str) -> Link:
    """The link with its canonical URL, which most have already."""
    return link if link.url == url else link._replace(url=url)
