"""Reads the pages of an explore crawl: every page for its links and their scores, on-topic pages as articles, too."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsspider.core.caching import bounded_cache
from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Offer, PageResult
from newsspider.core.extraction.dom.page import Page, parse
from newsspider.core.links.feeds import read_document
from newsspider.core.links.followable import Unoffered, marked_nofollow
from newsspider.core.links.link_targets import moved_to
from newsspider.core.links.page_links import links_of, texts_around
from newsspider.core.links.url_shape import is_article_url
from newsspider.core.links.xml_stream import document_kind
from newsspider.core.model import Article, Link, LinkKind, PageType, Reason, Relevance
from newsspider.core.relevance.document import Document
from newsspider.core.url import canonical, canonical_of, crawl_key, host_of
from newsspider.crawl.crawl import Crawl
from newsspider.features.explore.effects import DiscoveredPage, Explored, LinkCandidate
from newsspider.features.explore.link_placement import CHANNEL_NAME
from newsspider.features.explore.rules.markup_faults import markup_faults
from newsspider.features.explore.rules.strategy import Need
from newsspider.pages.link_offers import LinkOffers, link_at
from newsspider.pages.list_page import count_cut
from newsspider.pages.router import PageReader, parts_of_offers, readers_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.visit import Lease
    from newsspider.features.explore.rules.strategy import Strategy
    from newsspider.pages.router import Answer
    from newsspider.sites.model import Channel, Site

TEXTS_SCORED = 16_384  # cached anchor scores: the pages of a site share most anchors

NOT_KEPT = {"noarchive", "noindex"}  # pages that say so are fetched again for their indexing

Judge = Callable[[Document], Relevance]


@dataclass(eq=False)
class ExploreLinkOffers(LinkOffers):
    """Turns links into offers of one explore crawl, wherever they lead, unless ``within`` rejects them. Stats as in
    :class:`~newsspider.pages.link_offers.LinkOffers`."""

    site: str
    within: Callable[[str], bool]

    def place(self, lease: Lease) -> tuple[Site | None, Channel | None]:
        return None, None

    def followed(self, lease: Lease, urls: Iterable[str]) -> list[Offer]:
        """The pages that replace the leased page get its placement; only up to a number of hops, and within the
        scope."""
        if lease.hops >= self.most_hops(lease):
            return []
        return [
            replace(
                self._offer(lease, url, lease.anchor),
                depth=lease.depth,
                priority=lease.priority,
                strategy_state=lease.strategy_state,
                due_at=lease.due_at,
                update_cycle=lease.update_cycle,
                hops=lease.hops + 1,
                meta=lease.meta,
                again_before=lease.due_at if lease.update_cycle else None,
            )
            for url in urls
            if url != lease.url and self._inside(url)
        ]

    def most_hops(self, lease: Lease) -> int:
        return self.rules.redirect_max_times

    def candidate(self, lease: Lease, links: Iterable[Link]) -> list[Offer]:
        """One offer per linked URL in page order; URLs that are never fetched carry the reason."""
        texts: dict[str, str] = {}
        for link in () if self.rules.ends_at(lease.depth) else links:
            if link.nofollow:
                self._count(Unoffered.NOFOLLOW)
            elif link.url != lease.url and not texts.get(link.url):
                texts[link.url] = link.text
        return [self.unless_spent(self._offer(lease, url, text)) for url, text in texts.items() if self._inside(url)]

    def _inside(self, url: str) -> bool:
        if not self.within(url):
            self.stats.inc_value("links/offsite")  # stat: article links to another site
            return False
        return True

    def offer(self, url: str, anchor: str, depth: int, page: str, parent: int | None = None) -> Offer:
        """The offer of a URL that a page links to."""
        refused, detail = self.refusal(url, page)
        return Offer(
            crawl_key(self.site, url),
            url,
            host_of(url),
            PageType.ARTICLE,
            self.site,
            CHANNEL_NAME,
            depth,
            parent,
            anchor,
            refused=refused,
            detail=detail,
        )

    def _offer(self, lease: Lease, url: str, anchor: str) -> Offer:
        return self.offer(url, anchor, lease.depth + 1, lease.url, lease.key)


@dataclass(eq=False)
class ExploreReader(PageReader):
    """Every page counts for its links, whatever else it is, articles included.

    With a strategy that does not store articles, only the graph and the titles are kept. URLs in ``seen`` are not
    passed to the strategy. Setting: ``DEFAULT_CHARSET``.
    """

    strategy: Strategy
    link_filter: ExploreLinkOffers
    judge: Judge
    default_charset: str
    stats: StatsCollector
    seen: Container[int]

    def __post_init__(self) -> None:
        self._score_of = bounded_cache(TEXTS_SCORED)(  # cache: words of links and their score
            lambda text: self.judge(Document(anchor=text)).score if text else 0.0
        )

    def page(self, answer: Answer) -> PageResult:
        """A page, a feed or a sitemap."""
        kind = document_kind(answer.response.body, answer.declared)
        if kind is None and answer.lease.kind is PageType.SITEMAP:
            kind = PageType.SITEMAP
        if kind is not None:
            return self._document(answer, kind)
        page = parse(answer.response.body, answer.lease.url, answer.declared, self.default_charset)
        if targets := canonical_of(moved_to(page)):
            return self.readers.moves.moved(answer, targets)
        now = self.clock.utc()
        result, article = self.readers.articles.page_result(answer, page, now)
        if result.settlement.kind is PageType.LIST or not self.strategy.mode.stores_articles:
            kind = result.settlement.kind
            if kind is not None and kind.stored and not NOT_KEPT & self.readers.articles.forbidden(page, answer):
                result.add(DiscoveredPage(answer.response.body, page.charset))
            result.settlement = replace(result.settlement, reason=Reason.POLLED)
            result.article = None
        elif result.article is not None:
            result.article.priority = 0  # there is no channel weight, and the lease's priority is an order
        return self._explored(result, page, article)

    def _document(self, answer: Answer, kind: PageType) -> PageResult:
        """A feed or sitemap; its child sitemaps are links like any other."""
        lease = answer.lease
        document = read_document(answer.response.body, lease.url, kind)
        links = (*document.urls, *map(Link, document.sitemaps))
        count_cut(self.stats, lease, document.cut)
        if "nofollow" in answer.directives(self.host_policy.agent):
            links = marked_nofollow(links)
        graph = tuple(link_at(link, url) for link in links if (url := canonical(link.url)) is not None)
        settlement = outcome.read(lease, Reason.POLLED, self.clock.now(), kind=kind, detail=document.cut)
        return self._explored(answer.settled(self.host_policy, settlement, links=graph))

    def _explored(self, result: PageResult, page: Page | None = None, article: Article | None = None) -> PageResult:
        """The result with the inputs of the strategy."""
        lease, needs = result.lease, self.strategy.needs
        hub = result.settlement.kind is not None and result.settlement.kind.polled
        placed = _placed(page, result.links) if hub or Need.LEARNED in needs else {}
        if hub:
            result.links = tuple(_as_placed(link, placed.get(link.url, link)) for link in result.links)
        offers = self.link_filter.candidate(lease, result.links)
        result.offers = tuple(offer for offer in offers if offer.refused is not None)
        new_offers = [offer for offer in offers if offer.refused is None and offer.key not in self.seen]
        # stat links/seen: links taken for known by the Bloom filter
        self.stats.inc_value("links/seen", len(offers) - len(result.offers) - len(new_offers))
        around = self._around(page) if page is not None and Need.ANCHORS in needs else {}
        scored = Need.ANCHORS in needs
        links = []
        for offer in new_offers:
            anchor, context = (
                (self._score_of(offer.anchor), self._score_of(around.get(offer.url, ""))) if scored else (0.0, 0.0)
            )
            link = placed.get(offer.url) if Need.LEARNED in needs else None
            links.append(
                LinkCandidate(offer, anchor, context, *((leads_to_list(link), str(link.region)) if link else ()))
            )
        relevance = Relevance(0.0, relevant=False)
        if Need.RELEVANCE in needs and article is not None:
            relevance = self.judge(_document_of(article, lease))
        faults = markup_faults(page.text) if page is not None and self.strategy.mode.records_faults else ()
        explored = Explored(
            (article.meta_title or article.title or "") if article else "",
            relevance.score,
            relevance.relevant,
            tuple(links),
            tuple(f"{fault.fault} {fault.tag} line {fault.line}" for fault in faults),
            hub=hub,
        )
        result.add(explored)
        if self.strategy.mode.indexes_discovered:
            result.links = ()  # the crawl that discovered the page has stored the graph
        return result

    def _around(self, page: Page) -> dict[str, str]:
        texts = ((canonical(url), text) for url, text in texts_around(page).items())
        return {url: text for url, text in texts if url is not None}


def explore_link_offers(crawler: Crawler, site: str, within: Callable[[str], bool]) -> ExploreLinkOffers:
    return ExploreLinkOffers(*parts_of_offers(crawler), site, within)


def explore_reader(
    crawler: Crawler, strategy: Strategy, link_filter: ExploreLinkOffers, judge: Judge, known_keys: Container[int] = ()
) -> ExploreReader:
    crawl = Crawl.of(crawler)
    return ExploreReader(
        readers_of(crawler, link_filter),
        crawl.host_policy,
        crawl.clock,
        strategy,
        link_filter,
        judge,
        crawler.settings["DEFAULT_CHARSET"],
        link_filter.stats,
        known_keys,
    )


def leads_to_list(link: Link) -> bool:
    """Whether a link seems to lead to a list."""
    return link.kind in (LinkKind.LIST, LinkKind.NEXT) or (
        link.kind is LinkKind.OTHER and is_article_url(link.url) is False
    )


def _placed(page: Page | None, links: Iterable[Link]) -> dict[str, Link]:
    """Each link by its canonical URL, classified by its position on the page."""
    page_links = links if page is None else links_of(page)
    return {url: link for link in page_links if (url := canonical(link.url)) is not None}


def _as_placed(link: Link, placed: Link) -> Link:
    return link._replace(kind=placed.kind, region=placed.region)


def _document_of(article: Article, lease: Lease) -> Document:
    return Document(
        title=article.title or "",
        text=article.text,
        meta_title=article.meta_title or "",
        headings=article.headings,
        meta_keywords=article.meta_keywords,
        meta_description=article.meta_description or "",
        anchor=lease.anchor,
        url=lease.url,
        authors=article.authors,
    )
