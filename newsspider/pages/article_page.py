"""Reads an article page into the record that is stored."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.observations import observe_article
from newsspider.core.crawling.visit import Lease, Missed, NewBoilerplate, PageResult, UnlikeAnchor
from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.extraction.article import record_of
from newsspider.core.extraction.dom.page import Page, parse, robots_meta
from newsspider.core.extraction.guard_page import GuardPageError, is_unlike
from newsspider.core.links.article_parts import (
    MOST_PARTS,
    begun_article,
    continued_article,
    is_part,
    next_part,
    partial_anchor,
)
from newsspider.core.links.followable import followed_links, marked_nofollow
from newsspider.core.links.link_targets import moved_to
from newsspider.core.links.xml_stream import document_kind
from newsspider.core.model import NO_RULES, Article, ArticlePart, Link, PageType, Reason, StoredArticle
from newsspider.core.scheduling.vanished import absence_of_page
from newsspider.core.url import canonical, canonical_of, same_site
from newsspider.pages.link_offers import link_at
from newsspider.pages.read_page import CHARACTERS_SHOWN, read_page

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.scheduling.vanished import ConfirmationThreshold
    from newsspider.crawl.crawl_sites import SiteKnowledge
    from newsspider.crawl.host_policy import HostPolicy
    from newsspider.pages.link_offers import LinkOffers
    from newsspider.pages.redirect import Moves
    from newsspider.pages.router import Answer
    from newsspider.sites.model import Site
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class ArticleReader:
    """A page without title or text is not an article; its links are stored for the graph, never offered.

    Boilerplate around the texts of a site is learned and removed, unless an XPath locates the text. Settings:
    ``DEFAULT_CHARSET``, ``BOILERPLATE_LEARNED``.
    """

    offers: LinkOffers
    moves: Moves
    host_policy: HostPolicy
    knowledge: SiteKnowledge
    threshold: ConfirmationThreshold
    default_charset: str
    stats: StatsCollector
    clock: Clock

    def read(self, answer: Answer) -> PageResult:
        """The article on the page, or what the page is instead; raises :exc:`GuardPageError`. The text of a page that
        is part of an article is appended to that of the earlier pages, and the next page is offered. A page that adds
        nothing ends the article; one with another title is an article of its own."""
        now = self.clock.utc()
        lease = answer.lease
        if (other := document_kind(answer.response.body, answer.declared)) is not None:
            settlement = outcome.read(lease, Reason.NOT_AN_ARTICLE, now.timestamp(), kind=other)
            return answer.settled(self.host_policy, settlement)
        page = parse(answer.response.body, lease.url, answer.declared, self.default_charset)
        if targets := canonical_of(moved_to(page)):
            return self.moves.moved(answer, targets)
        result, part = self.page_result(answer, page, now)
        further = False
        if lease.partial_article and part.text:
            site, _ = self.offers.sites.place(lease)
            record = _record(page, part, PageType.ARTICLE, result.links, now, lease, site)
            article_so_far = begun_article(lease.partial_article, record)
            if article_so_far is not None and is_part(page, part, article_so_far):
                further = True
                named = site.rules.fields if site else frozenset()
                result.article = self._with_part(continued_article(article_so_far, part), page, answer, named)
                if result.article is not None and result.article.truncated:
                    self.stats.inc_value("articles/truncated")
                result.settlement = replace(result.settlement, reason=Reason.JOINED, detail=article_so_far.url)
        article = result.article
        if article is None or article.kind is PageType.FORUM or lease.hops >= MOST_PARTS:
            return result
        following = next_part(page, followed_links(result.links), further=further)
        if following and same_site(following, lease.url):
            if article.content and not article.parts:
                article.snapshot = hashlib.sha256(article.content).hexdigest()
            result.offers = (self.offers.further(lease, following, article, now.timestamp()),)
        return result

    def page_result(self, answer: Answer, page: Page, now: datetime) -> tuple[PageResult, Article]:
        """The result of a page that is neither another document nor moved, and the article read from it, stored or
        not."""
        lease = answer.lease
        if lease.anchor and lease.partial_article and partial_anchor(lease.partial_article) == lease.anchor:
            lease = replace(lease, anchor="")  # it belongs to the article that this page may continue
        site, _ = self.offers.sites.place(lease)
        reading = read_page(page, now, site.rules if site else NO_RULES, lease.anchor)
        article, kind = reading.article, reading.kind
        expected = "" if lease.had_article or lease.partial_article or lease.hops else lease.anchor
        if (line := reading.guard(page, expected)) is not None:
            raise GuardPageError(line)
        links = tuple(link_at(link, url) for link in reading.links if (url := canonical(link.url)) is not None)
        forbidden = self.forbidden(page, answer)
        reason = Reason.STORED if reading.is_stored else Reason.NOT_AN_ARTICLE
        settlement = outcome.read(lease, reason, now.timestamp(), kind=kind)
        result = answer.settled(
            self.host_policy, settlement, links=marked_nofollow(links) if "nofollow" in forbidden else links
        )
        if (
            reason is Reason.STORED
            and site is not None
            and site.rules.body is None
            and self.knowledge.learns_boilerplate
        ):
            article, learned = self._bared(article, site.name, learn=not lease.had_article)
            if learned:
                result.add(NewBoilerplate(learned))
        if kind.stored:
            result.add(observe_article(page, article, site.rules if site else NO_RULES))
        if site is not None and is_unlike(lease.anchor, article.title or "", article.text):
            result.add(self._unlike_anchor(answer, article))
        absence = absence_of_page(page, article, kind, lease.anchor) if lease.had_article else None
        if absence is not None and body_md5(article.title or "", article.text) != lease.known.content:
            missed = answer.missed(self.host_policy, Missed(absence, self.threshold.with_what(absence)))
            if (unlike := result.effect(UnlikeAnchor)) is not None:
                missed.add(unlike)
            return missed, article
        if reason is Reason.STORED:
            result.article = _record(page, article, kind, links, now, lease, site)
            if result.article.truncated and not lease.partial_article:
                self.stats.inc_value("articles/truncated")  # stat: title or text cut to its limit
            result.article.noindex = "noindex" in forbidden
            result.article.named = site.rules.fields if site else frozenset()
            result.article.content = b"" if "noarchive" in forbidden else answer.response.body
        return result, article

    def _bared(self, article: Article, site: str, *, learn: bool) -> tuple[Article, tuple[str, ...]]:
        """The article without its site's boilerplate, and the lines learned from it; nothing is learned twice from
        one article."""
        bare, learned = self.knowledge.without_boilerplate(article, site, learn=learn)
        if learned:
            logger.info("boilerplate of %s, removed from now on: %s", site, " | ".join(learned))
            self.stats.inc_value("boilerplate/learned", len(learned))  # stat: lines learned
        if bare is not article:
            self.stats.inc_value("boilerplate/left_out")  # stat: articles stored without such lines
        return bare, learned

    def _unlike_anchor(self, answer: Answer, article: Article) -> UnlikeAnchor:
        """What is to be known of a page in case that it is a guard's."""
        title = article.title or ""
        shown = (title or article.text)[:CHARACTERS_SHOWN]
        guarded = self.moves.failed.guarded(answer, f"other links lead to the same text: {shown}")
        return UnlikeAnchor(title, article.text, body_md5(title, article.text), guarded.settlement)

    def _with_part(
        self, article: StoredArticle | None, page: Page, answer: Answer, named: frozenset[str]
    ) -> StoredArticle | None:
        """The article with this page appended, and with its ``named`` fields; the page is archived if both it and the
        first one may be."""
        if article is None:
            return None
        archived = article.snapshot and "noarchive" not in self.forbidden(page, answer)
        content = answer.response.body if archived else b""
        part = ArticlePart(answer.lease.url, hashlib.sha256(content).hexdigest() if content else "")
        return replace(article, parts=(*article.parts, part), content=content, named=named)

    def forbidden(self, page: Page, answer: Answer) -> frozenset[str]:
        """What the page asks robots not to do."""
        return robots_meta(page, self.host_policy.agent) | answer.directives(self.host_policy.agent)


def _record(
    page: Page,
    article: Article,
    kind: PageType,
    links: tuple[Link, ...],
    now: datetime,
    lease: Lease,
    site: Site | None,
) -> StoredArticle:
    """The record of the article of a leased page."""
    return record_of(
        page,
        article,
        kind,
        links,
        now,
        url=lease.url,
        site=lease.site,
        channel=lease.channel,
        media_class=str(site.media_class) if site else "",
        region=site.region if site else "",
        anchor=lease.anchor,
        priority=lease.priority,
    )
