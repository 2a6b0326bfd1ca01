"""Reads a fetched page once into the one result that the pipelines carry to the store."""

from __future__ import annotations

import logging
import time
import zlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from gzip import BadGzipFile
from typing import TYPE_CHECKING

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    StopDownload,
)

from newsspider.core import outcome
from newsspider.core.article import read
from newsspider.core.feeds import document_kind, read_feed, read_sitemap
from newsspider.core.frames import frames_of, moved_to, refresh_of
from newsspider.core.headline import headline
from newsspider.core.kind import kind_of
from newsspider.core.links import links_of, page_links
from newsspider.core.model import (
    Article,
    Kind,
    Lease,
    Link,
    LinkKind,
    Offer,
    PageResult,
    Reason,
    RobotsText,
    Settlement,
    State,
    StoredArticle,
)  # fmt: skip
from newsspider.core.page import Page, UnreadablePage, parse, robots_meta
from newsspider.core.politeness import DelayReason, retry_after
from newsspider.core.robots import CLOSED_SECONDS, directives
from newsspider.core.strategies.polling import ARTICLE_PRIORITY, NEXT_PRIORITY, priority
from newsspider.core.traps import has_suffix, trap_of
from newsspider.core.url import canonical, host_of, same_site, url_key
from newsspider.downloadermiddlewares.robots import RobotsForbidden, RobotsUnavailable
from newsspider.downloadermiddlewares.visit import REDIRECTS, lease_of, location_of, visit_of
from newsspider.rounds import ARTICLE_DEPTH

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from newsspider.runtime import Runtime
    from newsspider.sites.model import Channel, Site

logger = logging.getLogger(__name__)

PATIENCE = frozenset({429, 503})  # the host asks for patience; the page is not to blame

# What Scrapy raises, and what we call it. The first that fits counts.
FAILURES: tuple[tuple[type[BaseException], Reason], ...] = (
    (RobotsForbidden, Reason.ROBOTS),
    (RobotsUnavailable, Reason.NO_ROBOTS),
    (IgnoreRequest, Reason.TOO_LARGE),  # of a body that unpacks beyond every limit
    (zlib.error, Reason.TRUNCATED),
    (EOFError, Reason.TRUNCATED),
    (BadGzipFile, Reason.TRUNCATED),
    (StopDownload, Reason.CONTENT_TYPE),
    (CannotResolveHostError, Reason.DNS),
    (DownloadTimeoutError, Reason.TIMEOUT),
    (ResponseDataLossError, Reason.TRUNCATED),
    (DownloadCancelledError, Reason.TOO_LARGE),
    (DownloadConnectionRefusedError, Reason.CONNECTION),
    (DownloadFailedError, Reason.CONNECTION),
)


class PageReader:
    """From response or failure to :class:`~newsspider.core.model.PageResult`.

    Settings: ``IGNORED_SUFFIXES``, ``DEFAULT_CHARSET``, ``LIST_MAX_PAGES``, ``REDIRECT_MAX_TIMES``. Stats: ``links/suffix``,
    ``links/trap``, ``links/offsite``.
    """

    def __init__(self, runtime: Runtime) -> None:
        settings = runtime.settings
        self.runtime = runtime
        self.manners = runtime.manners
        self.suffixes = frozenset(settings.getlist("IGNORED_SUFFIXES"))
        self.default_charset: str = settings["DEFAULT_CHARSET"]
        self.list_max_pages = settings.getint("LIST_MAX_PAGES")
        self.redirect_max_times = settings.getint("REDIRECT_MAX_TIMES")

    def result(self, response: Response) -> PageResult:
        """What an answer of the host means for its lease."""
        request = response.request
        assert request is not None
        lease = lease_of(request)
        if lease.kind is Kind.ROBOTS:
            return self._robots(lease, request, response)
        if response.status in PATIENCE:
            return self._patience(lease, request, response)
        if response.status in REDIRECTS:
            return self._redirect(lease, request, response)
        if response.status == 304:
            return self._settled(lease, request, response, outcome.read(lease, Reason.UNCHANGED, time.time()))
        if response.status != 200:
            return self.runtime.failure(lease, request, Reason.HTTP_STATUS, status=response.status)
        try:
            return self._list(lease, request, response) if lease.kind.polled else self._article(lease, request, response)
        except UnreadablePage as error:
            return self.runtime.failure(lease, request, Reason.UNREADABLE, status=200, detail=str(error))

    def failure(self, failure: Failure) -> PageResult:
        """What a fetch without an answer means for its lease."""
        request: Request = failure.request  # type: ignore[attr-defined]
        try:
            return self._failure(failure, request)
        except Exception:  # the fence of the errback: no spider middleware sees what it raises
            logger.exception("the failure of %s could not be read", request.url)
            self.runtime.stats.inc_value("spider/internal_error")
            return self.runtime.failure(lease_of(request), request, Reason.INTERNAL)

    def _failure(self, failure: Failure, request: Request) -> PageResult:
        lease, error = lease_of(request), failure.value
        reason = next((reason for kind, reason in FAILURES if isinstance(error, kind)), Reason.INTERNAL)
        if reason is Reason.ROBOTS:
            return PageResult(lease, outcome.read(lease, Reason.ROBOTS, time.time()))
        if reason is Reason.NO_ROBOTS:
            due = time.time() + CLOSED_SECONDS
            return PageResult(lease, outcome.put_back(lease, Reason.NO_ROBOTS, due))
        if reason is Reason.CONTENT_TYPE:
            declared = error.response.headers.get("Content-Type", b"").decode("latin-1")  # type: ignore[union-attr]
            settlement = outcome.read(lease, Reason.CONTENT_TYPE, time.time(), detail=declared)
            return PageResult(lease, self.manners.visited(lease, visit_of(request), settlement))
        if reason is Reason.INTERNAL:
            self.runtime.log_internal(lease, failure)
        if lease.kind is Kind.ROBOTS:
            return self._no_robots(lease, request, reason, detail=str(error)[:200])
        return self.runtime.failure(lease, request, reason, detail=str(error)[:200])

    def _robots(self, lease: Lease, request: Request, response: Response) -> PageResult:
        if response.status in PATIENCE or response.status >= 500:
            return self._no_robots(lease, request, Reason.HTTP_STATUS, response)
        text = RobotsText(response.status, response.body, time.time())
        self.manners.remember(lease.host, text)  # its Crawl-delay holds from the next page on
        settlement = outcome.read(lease, Reason.ROBOTS_READ, text.fetched_at, kind=Kind.ROBOTS)
        result = self._settled(lease, request, response, settlement)
        result.robots = text
        return result

    def _no_robots(
        self, lease: Lease, request: Request, reason: Reason, response: Response | None = None, detail: str = ""
    ) -> PageResult:
        """A robots.txt that cannot be had: asked again a few times, then the host is closed to us until it answers."""
        status = response.status if response else None
        result = self.runtime.failure(lease, request, reason, status=status, detail=detail)
        if result.settlement.state is State.ERROR or lease.fetch_count > 0:
            result.robots = RobotsText(status, b"", time.time())
        if response is not None and (pause := self._asked_pause(response)) is not None:
            because = DelayReason.RETRY_AFTER
            result.settlement = self.manners.visited(lease, visit_of(request), result.settlement, pause=pause, because=because)
        return result

    def _patience(self, lease: Lease, request: Request, response: Response) -> PageResult:
        """429 or 503: the whole host is left alone, and the page stands behind others when it is asked again."""
        asked = self._asked_pause(response)
        if asked is None and response.status == 503 and lease.failures >= self.runtime.retries.times:
            return self.runtime.failure(lease, request, Reason.HTTP_STATUS, status=response.status)
        pause = self.manners.pause(lease) if asked is None else asked
        because = DelayReason.BACK_OFF if asked is None else DelayReason.RETRY_AFTER
        settlement = outcome.rate_limited(lease, time.time(), pause, response.status)
        return PageResult(
            lease, self.manners.visited(lease, visit_of(request), settlement, pause=pause, because=because)
        )

    def _asked_pause(self, response: Response) -> float | None:
        """Seconds of patience that the host asks for."""
        return retry_after((response.headers.get("Retry-After") or b"").decode("latin-1"), time.time())

    def _redirect(self, lease: Lease, request: Request, response: Response) -> PageResult:
        return self._moved(lease, request, response, [canonical(location_of(response), lease.url) or ""])

    def _moved(self, lease: Lease, request: Request, response: Response, targets: list[str]) -> PageResult:
        """The page is elsewhere: its new URLs are leases of their own, with robots.txt and delay like any other."""
        settlement = outcome.read(lease, Reason.REDIRECT, time.time(), detail=", ".join(targets))
        offers = tuple(self._follow(lease, url) for url in targets if url and self._may_follow(lease, url))
        if not offers:
            settlement = replace(settlement, detail=f"not followed: {settlement.detail}")
        return self._settled(lease, request, response, settlement, offers=offers)

    def _list(self, lease: Lease, request: Request, response: Response) -> PageResult:
        declared = (response.headers.get("Content-Type") or b"").decode("latin-1")
        kind = document_kind(response.body, declared)
        if kind is None and lease.kind is Kind.SITEMAP:
            kind = Kind.SITEMAP  # one of plain text has no sign of its own
        offers: list[Offer] = []
        if kind is Kind.FEED:
            links = read_feed(response.body, lease.url)
        elif kind is Kind.SITEMAP:
            sitemap = read_sitemap(response.body, lease.url)
            links = sitemap.urls
            offers = [self._follow(lease, url) for url in self._canonical(sitemap.sitemaps) if self._may_follow(lease, url)]
        else:
            kind = Kind.LIST
            site, channel = self._place(lease)
            page = parse(response.body, lease.url, declared, self.default_charset)
            links = links_of(
                page, channel.regions if channel else (), channel.next_page if channel else None,
                site.article_url if site else None,
            )  # fmt: skip
            framed = (refresh_of(page) or "", *frames_of(page, "iframe"))
            offers = [self._follow(lease, url) for url in self._canonical(framed) if self._may_follow(lease, url)]
        graph, found = self._sorted_out(lease, links)
        settlement = outcome.read(lease, Reason.POLLED, time.time(), kind=kind)
        return self._settled(lease, request, response, settlement, links=graph, offers=(*offers, *found))

    def _article(self, lease: Lease, request: Request, response: Response) -> PageResult:
        now = datetime.now(UTC)
        declared = (response.headers.get("Content-Type") or b"").decode("latin-1")
        if (other := document_kind(response.body, declared)) is not None:
            settlement = outcome.read(lease, Reason.NOT_AN_ARTICLE, now.timestamp(), kind=other)
            return self._settled(lease, request, response, settlement)
        page = parse(response.body, lease.url, declared, self.default_charset)
        if targets := self._canonical(moved_to(page)):
            return self._moved(lease, request, response, targets)
        site, _ = self._place(lease)
        article = read(page, now, site.rules) if site else read(page, now)
        article = replace(article, title=headline(page, article.title, lease.anchor))
        found = page_links(page)
        links = tuple(_at(link, url) for link in found if (url := canonical(link.url)) is not None)
        kind = kind_of(page, article, found)
        forbidden = self._directives(page, response)
        reason = Reason.STORED if kind.stored and article.text and article.title else Reason.NOT_AN_ARTICLE
        settlement = outcome.read(lease, reason, now.timestamp(), kind=kind)
        result = self._settled(lease, request, response, settlement, links=() if "nofollow" in forbidden else links)
        if reason is Reason.STORED:
            result.article = self._record(lease, page, article, kind, links, site, now)
            result.article.noindex = "noindex" in forbidden
            result.article.content = b"" if "noarchive" in forbidden else response.body
        return result

    def _settled(
        self, lease: Lease, request: Request, response: Response, settlement: Settlement, *,
        links: tuple[Link, ...] = (), offers: tuple[Offer, ...] = (),
    ) -> PageResult:  # fmt: skip
        address = str(response.ip_address) if response.ip_address else None
        settlement = replace(settlement, status=response.status)
        return PageResult(
            lease, self.manners.visited(lease, visit_of(request), settlement, address=address), links=links, offers=offers
        )

    def _place(self, lease: Lease) -> tuple[Site | None, Channel | None]:
        site = self.runtime.sites.get(lease.site)
        if site is None:
            return None, None
        return site, next((channel for channel in site.channels if channel.name == lease.channel), None)

    def _may_follow(self, lease: Lease, url: str) -> bool:
        most = self.list_max_pages if lease.kind is Kind.LIST else self.redirect_max_times  # hops count a list's pages too
        return url != lease.url and lease.hops < most and same_site(url, lease.url)

    def _directives(self, page: Page, response: Response) -> frozenset[str]:
        """What META robots and X-Robots-Tag say to us."""
        headers = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
        return robots_meta(page) | directives(headers, self.manners.agent)

    def _canonical(self, urls: Iterable[str]) -> list[str]:
        return [url for url in map(canonical, urls) if url is not None]

    def _sorted_out(self, lease: Lease, links: Iterable[Link]) -> tuple[tuple[Link, ...], list[Offer]]:
        """The links for the graph, canonical and each once, and what of them is offered."""
        graph: dict[str, Link] = {}
        offers: dict[str, Offer] = {}
        for link in links:
            url = canonical(link.url)
            if url is None or url == lease.url:
                continue
            if url not in graph or not graph[url].text:
                graph[url] = _at(link, url)
            if link.kind is LinkKind.ARTICLE and url not in offers and self._near(lease, url):
                offers[url] = self._article_offer(lease, url, link.text)
            elif link.kind is LinkKind.NEXT and lease.hops < self.list_max_pages and same_site(url, lease.url):
                offers[url] = replace(self._follow(lease, url), fresh_only=True)
        return tuple(graph.values()), list(offers.values())

    def _near(self, lease: Lease, url: str) -> bool:
        """Whether a URL is of the lease's site, or the site's own article pattern names it."""
        site = self.runtime.sites.get(lease.site)
        if same_site(url, lease.url) or (site and site.article_url and site.article_url.search(url)):
            return True
        self.runtime.stats.inc_value("links/offsite")
        return False

    def _refusal(self, lease: Lease, url: str) -> Reason | None:
        """Why a URL is never to be fetched, if so."""
        if has_suffix(url, self.suffixes):
            self.runtime.stats.inc_value("links/suffix")
            return Reason.SUFFIX
        if (trap := trap_of(url, datetime.now(UTC).date())) is not None:
            logger.debug("%s on %s is a trap: %s", url, lease.url, trap)
            self.runtime.stats.inc_value("links/trap")
            return Reason.TRAP
        return None

    def _article_offer(self, lease: Lease, url: str, anchor: str) -> Offer:
        _, channel = self._place(lease)
        return Offer(
            url_key(url), url, host_of(url), Kind.ARTICLE, lease.site, lease.channel, ARTICLE_DEPTH, lease.key, anchor,
            priority(ARTICLE_PRIORITY, channel.weight if channel else 1), refused=self._refusal(lease, url),
        )  # fmt: skip

    def _follow(self, lease: Lease, url: str) -> Offer:
        """A page that stands for the leased one: its next page, its frame, where it moved to."""
        base = NEXT_PRIORITY if lease.kind.polled else ARTICLE_PRIORITY
        _, channel = self._place(lease)
        return Offer(
            url_key(url), url, host_of(url), lease.kind, lease.site, lease.channel, lease.depth, lease.key,
            lease.anchor, priority(base, channel.weight if channel else 1), lease.due_at,
            again_before=lease.due_at if lease.kind.polled else None, hops=lease.hops + 1,
            refused=self._refusal(lease, url),
        )  # fmt: skip

    def _record(
        self, lease: Lease, page: Page, article: Article, kind: Kind, links: tuple[Link, ...], site: Site | None,
        now: datetime,
    ) -> StoredArticle:  # fmt: skip
        own = canonical(article.canonical_url, page.base_url) if article.canonical_url else None
        return StoredArticle(
            url=lease.url,
            canonical_url=own if own and same_site(own, lease.url) else lease.url,
            site=lease.site,
            channel=lease.channel,
            media_class=str(site.media_class) if site else "",
            anchor=lease.anchor,
            title=article.title or "",
            authors=article.authors,
            source=article.source,
            published_at=article.published_at,
            crawled_at=now,
            meta_keywords=article.meta_keywords,
            meta_description=article.meta_description,
            text=article.text,
            summary=article.summary,
            keywords=(),
            language=article.language,
            charset=page.charset,
            kind=kind,
            link_count=len(links),
            priority=lease.priority,
            meta_title=article.meta_title,
            headings=article.headings,
            attachments=tuple(link.url for link in links if link.kind is LinkKind.ATTACHMENT),
        )


def _at(link: Link, url: str) -> Link:
    """The link with its canonical URL, which most have already."""
    return link if link.url == url else replace(link, url=url)
