"""A response with its lease, and the router: the reader of its page type makes the one result of it that the pipelines
pass on to the store. Also wires the page readers of a crawl."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Lease, Missed, Offer, PageResult, Settlement
from newsspider.core.extraction.dom.page import UnreadablePageError
from newsspider.core.extraction.guard_page import GuardPageError
from newsspider.core.fetching.politeness import Ask, DelayReason, content_hash, etag_of, last_modified_of, retry_after
from newsspider.core.fetching.robots import robots_directives
from newsspider.core.links.feeds import unpacked_page
from newsspider.core.model import Link, PageType, Reason, State
from newsspider.core.scheduling.vanished import BY_STATUS, ConfirmationThreshold
from newsspider.core.url import host_of
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import ASKED, FAIL_ON_CUT, FEED_PAGE, REDIRECTS, lease_of, visit_of
from newsspider.pages.article_page import ArticleReader
from newsspider.pages.failed_fetches import FailedFetches, FailureReader
from newsspider.pages.link_offers import LinkOffers, OfferRules
from newsspider.pages.list_page import ListReader
from newsspider.pages.redirect import Moves
from newsspider.pages.robots_txt import RobotsReader

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector
    from twisted.python.failure import Failure

    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.host_policy import HostPolicy
    from newsspider.crawl.link_filter import LinkFilter
    from newsspider.crawl.poll_planner import PollPlanner
    from newsspider.crawl.trap_budgets import TrapBudgets
    from newsspider.store.engine.clock import Clock

NO_PAGES = frozenset({PageType.ERROR, PageType.LOGIN})
# Why an article is taken from the entry of its feed.
WITHOUT_ARTICLE = frozenset(
    {
        Reason.ROBOTS,
        Reason.HTTP_STATUS,
        Reason.GUARDED,
        Reason.NOT_AN_ARTICLE,
        Reason.REDIRECT,
        Reason.CONTENT_TYPE,
        Reason.UNREADABLE,
        Reason.DNS,
        Reason.TIMEOUT,
        Reason.CONNECTION,
        Reason.BAD_ANSWER,
        Reason.TOO_LARGE,
        Reason.TRUNCATED,
    }
)
OF_HOST = tuple(field.name for field in fields(Settlement) if field.name.startswith(("host_", "address")))
RETRY_LATER = frozenset({429, 503})
NOT_ASKED = "304 to a request that named no validators"


@dataclass(frozen=True, slots=True)
class Answer:
    """One lease with its request and its decompressed response."""

    lease: Lease
    request: Request
    response: Response

    @property
    def declared(self) -> str:
        """The ``Content-Type`` header, or empty."""
        return self._header("Content-Type")

    @property
    def is_cut(self) -> bool:
        """Whether a page that was tried again ended before its announced end, and without its own."""
        return (
            self.request.meta.get(FAIL_ON_CUT) is False
            and "dataloss" in self.response.flags
            and not ends_whole(self.response.body)
        )

    def directives(self, agent: str) -> frozenset[str]:
        """The X-Robots-Tag directives for us."""
        return robots_directives(
            [line.decode("latin-1") for line in self.response.headers.getlist("X-Robots-Tag")], agent
        )

    def asked_pause(self, now: float) -> float | None:
        """The Retry-After in seconds."""
        return retry_after(self._header("Retry-After"), now)

    def settled(
        self,
        host_policy: HostPolicy,
        settlement: Settlement,
        *,
        links: tuple[Link, ...] = (),
        offers: tuple[Offer, ...] = (),
        effects: tuple[object, ...] = (),
    ) -> PageResult:
        """The result of a page that was read, with the effect of the fetch on its host."""
        # the address of a proxy, or of another host that has the robots.txt, is not that of the host
        elsewhere = self.request.meta.get("proxy") or host_of(self.request.url) != self.lease.host
        ip_address = None if elsewhere else self.response.ip_address
        address = str(ip_address) if ip_address else None
        status, validators = self.response.status, dict[str, Any]()
        if status in (200, 304):
            etag, modified = etag_of(self._header("ETag")), last_modified_of(self._header("Last-Modified"))
            validators = {"etag": etag, "last_modified": modified}
            if status == 200 and (etag or modified):
                validators["bytes_hash"] = content_hash(self.response.body)
        settlement = replace(settlement, status=status, **validators)
        visited = host_policy.visited(self.lease, visit_of(self.request), settlement, address=address)
        return PageResult(
            self.lease,
            visited,
            links=links,
            offers=offers,
            effects=effects,
            asked=self.request.meta.get(ASKED, Ask.PLAINLY),
        )

    def missed(self, host_policy: HostPolicy, missed: Missed) -> PageResult:
        """The result of a page that no longer shows its article."""
        result = self.settled(host_policy, outcome.missed(self.lease, str(missed.absence)))
        result.add(missed)
        return result

    def _header(self, name: str) -> str:
        return (self.response.headers.get(name) or b"").decode("latin-1")


TAIL_BYTES = 4096  # of comments and white space behind the end

_END = re.compile(rb"</(?:html|rss|feed|rdf:rdf|urlset|sitemapindex)\s*>(?:\s|<!--(?:(?!-->).)*+-->)*+\Z", re.I | re.S)


def ends_whole(body: bytes) -> bool:
    """Whether a page, feed or sitemap ends with its own end tag, white space and comments aside.

    >>> ends_whole(b"<html><p>x</p></html>\\n<!-- 0.02 s -->\\n"), ends_whole(b"<html><p>x</p>")
    (True, False)
    """
    return _END.search(body[-TAIL_BYTES:]) is not None


@dataclass(frozen=True, slots=True)
class Readers:
    """The readers of all page types, and the other inputs of the router."""

    moves: Moves
    robots: RobotsReader
    lists: ListReader
    articles: ArticleReader
    failures: FailureReader
    failed: FailedFetches
    threshold: ConfirmationThreshold
    longest_wait_seconds: float  # of a page whose host sends 429 or 503


@dataclass(eq=False)
class PageReader:
    """From response or failure to :class:`~newsspider.core.crawling.visit.PageResult`: lease and response decide which
    reader is used."""

    readers: Readers
    host_policy: HostPolicy
    clock: Clock

    def result(self, response: Response) -> PageResult:
        """What a response is; in place of an article that cannot be had, that of the entry of its feed."""
        request = response.request
        assert request is not None
        return self._or_of_feed(self._result(Answer(lease_of(request), request, response)), request)

    def _result(self, answer: Answer) -> PageResult:
        if answer.lease.kind is PageType.ROBOTS:
            return self.readers.robots.read(answer)
        if answer.response.status in RETRY_LATER:
            return self._retry_later(answer)
        if answer.response.status in REDIRECTS:
            return self.readers.moves.redirected(answer)
        if answer.response.status == 304:
            if answer.request.meta.get(ASKED) is not Ask.IF_CHANGED:
                return self._failed(answer, Reason.HTTP_STATUS, NOT_ASKED)
            unchanged = outcome.read(answer.lease, Reason.UNCHANGED, self.clock.now())
            return answer.settled(self.host_policy, unchanged)
        if answer.lease.had_article and (absence := BY_STATUS.get(answer.response.status)) is not None:
            return answer.missed(self.host_policy, Missed(absence, self.readers.threshold))
        if answer.response.status != 200:
            return self._failed(answer, Reason.HTTP_STATUS)
        if answer.is_cut:
            return self._failed(answer, Reason.TRUNCATED, "it does not end with its end tag")
        try:
            return self.page(answer)
        except UnreadablePageError as error:
            return self._failed(answer, Reason.UNREADABLE, str(error))
        except GuardPageError as guard:
            if answer.lease.hops and answer.lease.alone:  # the article that led to it is retried
                return self.readers.failed.guarded(answer, str(guard))
            return self._failed(answer, Reason.GUARDED, str(guard))

    def page(self, answer: Answer) -> PageResult:
        """A page with status 200; raises :exc:`UnreadablePageError` or :exc:`GuardPageError`."""
        if answer.lease.kind.polled:
            return self.readers.lists.read(answer)
        result = self.readers.articles.read(answer)
        return self._handed_in(answer, result) if answer.lease.handed_in else result

    def _handed_in(self, answer: Answer, result: PageResult) -> PageResult:
        """A page that somebody handed in: if it is no article, its links are followed, those of this page only."""
        kind = result.settlement.kind
        if result.article is not None or kind is None or kind in NO_PAGES:
            return result
        lease = replace(answer.lease, kind=kind if kind.polled else PageType.LIST)
        listed = self.readers.lists.read(replace(answer, lease=lease))
        listed.offers = tuple(offer for offer in listed.offers if not offer.fresh_only)
        return listed if listed.offers or kind.polled else result

    def failure(self, failure: Failure) -> PageResult:
        """The result of a fetch without a response."""
        return self._or_of_feed(self.readers.failures.read(failure), failure.request)  # type: ignore[attr-defined]

    def _or_of_feed(self, result: PageResult, request: Request) -> PageResult:
        """The result, or the article that the feed brought along if the page has none and is not tried again."""
        settlement, packed_page = result.settlement, request.meta.get(FEED_PAGE)
        if packed_page is None or result.article is not None or settlement.reason not in WITHOUT_ARTICLE:
            return result
        if settlement.state is State.WAITING or result.offers:  # it is tried again, or leads on
            return result
        headers = {"Content-Type": "text/html; charset=utf-8"}
        lease = result.lease
        try:
            page = HtmlResponse(lease.url, body=unpacked_page(packed_page), headers=headers, request=request)
            of_feed = self.readers.articles.read(Answer(lease, request, page))
        except (ValueError, GuardPageError):  # no page, or an unreadable one
            return result
        if of_feed.article is None:
            return result
        # stat articles/of_feeds: articles read from their feed, because their pages could not be had
        self.readers.articles.stats.inc_value("articles/of_feeds")
        of_host = {name: getattr(settlement, name) for name in OF_HOST}
        of_feed.settlement = replace(
            of_feed.settlement, status=settlement.status, etag=None, bytes_hash=None, **of_host
        )
        return of_feed

    def _failed(self, answer: Answer, reason: Reason, detail: str = "") -> PageResult:
        return self.readers.failed.result(
            answer.lease, answer.request, reason, status=answer.response.status, detail=detail
        )

    def _retry_later(self, answer: Answer) -> PageResult:
        """429 or 503: the whole host is left alone, and the page is retried behind others."""
        lease, host_policy, requested_pause = answer.lease, self.host_policy, answer.asked_pause(self.clock.now())
        if (
            requested_pause is None
            and answer.response.status == 503
            and lease.failures >= self.host_policy.retries.times
        ):
            return self._failed(answer, Reason.HTTP_STATUS)
        pause = host_policy.pause(lease) if requested_pause is None else requested_pause
        because = DelayReason.BACK_OFF if requested_pause is None else DelayReason.RETRY_AFTER
        settlement = outcome.rate_limited(
            lease, self.clock.now(), pause, answer.response.status, self.readers.longest_wait_seconds
        )
        visited = host_policy.visited(lease, visit_of(answer.request), settlement, pause=pause, because=because)
        return PageResult(lease, visited)


def page_reader(crawler: Crawler) -> PageReader:
    crawl = Crawl.of(crawler)
    return PageReader(readers_of(crawler, LinkOffers(*parts_of_offers(crawler))), crawl.host_policy, crawl.clock)


def readers_of(crawler: Crawler, offers: LinkOffers) -> Readers:
    crawl, settings, stats = Crawl.of(crawler), crawler.settings, offers.stats
    host_policy, sites, knowledge, clock = crawl.host_policy, crawl.sites, crawl.sites.knowledge, crawl.clock
    charset: str = settings["DEFAULT_CHARSET"]
    threshold = ConfirmationThreshold(settings.getint("VANISHED_MISSES"), settings.getfloat("VANISHED_HOURS") * 3600)
    failed = FailedFetches(host_policy, threshold, stats, clock)
    moves = Moves(offers, failed, host_policy, sites, threshold, clock)
    robots = RobotsReader(failed, host_policy, clock)
    return Readers(
        moves,
        robots,
        ListReader(offers, host_policy, knowledge, charset, stats, clock),
        ArticleReader(offers, moves, host_policy, knowledge, threshold, charset, stats, clock),
        FailureReader(robots, failed, host_policy, crawl.saver.errors, clock),
        failed,
        threshold,
        crawl.poll_planner.policy.limits.longest,
    )


def parts_of_offers(
    crawler: Crawler,
) -> tuple[CrawlSites, LinkFilter, TrapBudgets, PollPlanner, OfferRules, StatsCollector, Clock]:
    crawl, stats, rules = Crawl.of(crawler), crawler.stats, OfferRules.read(crawler.settings)
    assert stats is not None
    claims = crawl.claims
    return crawl.sites, claims.link_filter, claims.trap_budgets, crawl.poll_planner, rules, stats, crawl.clock
