"""Fetches the channels of a site once, politely, to show people what a crawl would find there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from scrapy.exceptions import DownloadCancelledError, ResponseDataLossError, StopDownload
from scrapy.http import Response

from newsspider.core.crawling.internal_errors import ProxyUnreachableError
from newsspider.core.extraction.article import unmatched_xpaths
from newsspider.core.extraction.dom.page import Page, UnreadablePageError, parse
from newsspider.core.links.feeds import read_document
from newsspider.core.links.link_targets import frames_of, refresh_of
from newsspider.core.links.page_links import links_of
from newsspider.core.links.script_lists import is_json, read_json
from newsspider.core.links.xml_stream import document_kind
from newsspider.core.model import Link, LinkKind, PageType, Reason
from newsspider.core.url import canonical, host_of, same_site
from newsspider.crawl.fetch_notes import REDIRECTS, location_of
from newsspider.download.browser import RenderError
from newsspider.download.refusals import AddressForbiddenError, RobotsForbiddenError, RobotsUnavailableError
from newsspider.pages.failed_fetches import FAILED, reason_of_error
from newsspider.pages.read_page import content_type_of
from newsspider.store.engine.clock import Clock

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.sites.model import Channel, Site

MOST_FRAMES = 10  # of one channel, frames of frames counted too
UNANSWERED: tuple[type[Exception], ...] = (*FAILED, ProxyUnreachableError, RenderError)

# What went wrong, for people. The first that fits counts.
PROBLEMS: tuple[tuple[type[Exception], str], ...] = (
    (RobotsForbiddenError, "robots.txt forbids it"),
    (RobotsUnavailableError, "robots.txt could not be had"),
    (AddressForbiddenError, "{error}; see ALLOWED_ADDRESSES"),
    (ResponseDataLossError, "the answer was cut off"),
    (DownloadCancelledError, "the answer is longer than {largest} bytes"),
    (Exception, "{error}"),
)


class NoPageError(Exception):
    """A fetch that brought no page; the message is the plain reason. ``reason`` is that of the ledger, ``status`` that
    of the answer, ``detail`` what the ledger would keep: the error, or the URL of another site."""

    def __init__(self, message: str, reason: Reason, status: int | None = None, detail: str = "") -> None:
        super().__init__(message)
        self.reason, self.status, self.detail = reason, status, detail


class TrialPage(NamedTuple):
    """A page, and the redirects that led to it: the status of each and its target."""

    response: Response
    redirects: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelDocument:
    """What was sent for a channel, or for a frame of it: a feed, a sitemap, an answer in JSON (no ``page``) or a page
    with its links."""

    visit: TrialPage
    kind: PageType | None
    links: tuple[Link, ...]
    page: Page | None = None
    frames: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()  # the XPaths that selected nothing, as the site file names them
    cut: str = ""  # why it was not read to the end

    @property
    def articles(self) -> tuple[Link, ...]:
        """The links to articles."""
        return self.links if self.page is None else tuple(_ for _ in self.links if _.kind is LinkKind.ARTICLE)


@dataclass(frozen=True, slots=True)
class ChannelTrial:
    """The result for one channel: its article links, or why there are none."""

    channel: Channel
    links: tuple[Link, ...] = ()
    problem: str = ""
    unmatched: tuple[str, ...] = ()  # the XPaths that selected nothing on each document
    documents: tuple[ChannelDocument, ...] = ()  # the channel's own first, if it was sent
    failure: NoPageError | UnreadablePageError | None = None  # of the channel's own


@dataclass(frozen=True, slots=True)
class SiteTrial:
    """Reads the channels of a site one after the other with ``fetch``, which raises the downloader's exceptions.

    Settings: ``REDIRECT_MAX_TIMES``, ``DEFAULT_CHARSET``.
    """

    site: Site
    fetch: Callable[[str], Awaitable[Response]]
    settings: BaseSettings

    async def trials(self) -> AsyncIterator[ChannelTrial]:
        """The result of each channel."""
        for channel in self.site.channels:
            yield await self.one(channel)

    async def unmatched(self, url: str) -> tuple[str, ...]:
        """The XPaths of the site that select nothing on an article page; :exc:`NoPageError`,
        :exc:`UnreadablePageError`."""
        response = await self.page(url)
        page = parse(response.body, url, content_type_of(response), self.settings["DEFAULT_CHARSET"])
        return tuple(f"{name} {xpath}" for name, xpath in unmatched_xpaths(page, asdict(self.site.rules)).items())

    async def page(self, url: str) -> Response:
        """The page at a URL, or the one inside its site to which that leads; :exc:`NoPageError` where there is none."""
        return (await self.visit(url)).response

    async def visit(self, url: str) -> TrialPage:
        """The same page with the redirects to it."""
        redirects: list[tuple[int, str]] = []
        for _ in range(self.settings.getint("REDIRECT_MAX_TIMES") + 1):
            try:
                response = await self.fetch(url)
            except UNANSWERED as error:
                cause = cause_of(error)
                raise NoPageError(
                    _reason(error, url, self.settings), reason_of_error(cause), detail=str(cause)
                ) from error
            target = canonical(location_of(response), url) if response.status in REDIRECTS else None
            if target is None:
                break
            if not same_site(target, url):
                raise NoPageError(
                    f"it moved to another site: {target}", Reason.REDIRECT, response.status, detail=target
                )
            redirects.append((response.status, target))
            url = target
        if response.status != 200:
            reason = Reason.RATE_LIMITED if response.status == 429 else Reason.HTTP_STATUS
            raise NoPageError(f"HTTP status {response.status}", reason, response.status, detail=url)
        return TrialPage(response, tuple(redirects))

    async def one(self, channel: Channel) -> ChannelTrial:
        """The result of a channel, with its frames and the target of a refresh, as the spider would read them."""
        urls = [canonical(channel.url) or ""]
        links: dict[str, Link] = {}
        documents: list[ChannelDocument] = []
        failures: list[tuple[str, NoPageError | UnreadablePageError]] = []
        for url in urls:  # grows: frames have frames
            try:
                document = self._read(channel, await self.visit(url))
            except (NoPageError, UnreadablePageError) as error:
                failures.append((url, error))
                continue
            documents.append(document)
            for link in document.articles:
                links.setdefault(link.url, link)
            new = [frame for frame in document.frames if frame not in urls and same_site(frame, url)]
            urls += new[: MOST_FRAMES + 1 - len(urls)]
        problem, of_channel = "", None
        if failures:
            where, first = failures[0]
            of_channel = first if where == urls[0] else None
            problem = "" if links else str(first) if of_channel else f"{where}: {first}"
        missing = set.intersection(*(set(document.unmatched) for document in documents)) if documents else set()
        return ChannelTrial(
            channel, tuple(links.values()), problem, tuple(sorted(missing)), tuple(documents), of_channel
        )

    def _read(self, channel: Channel, visit: TrialPage) -> ChannelDocument:
        """What the document of a visit holds."""
        response = visit.response
        url, body, content_type = response.url, response.body, content_type_of(response)
        kind = document_kind(body, content_type)
        if kind is not None:
            document = read_document(body, url, kind)
            return ChannelDocument(visit, kind, document.urls, cut=document.cut)
        if is_json(body):
            return ChannelDocument(visit, None, tuple(read_json(body, url, channel.items, content_type)))
        page = parse(body, url, content_type, self.settings["DEFAULT_CHARSET"])
        links = links_of(page, channel.regions, channel.next_page, self.site.article_url, Clock().utc())
        framed = map(canonical, (refresh_of(page) or "", *frames_of(page, "iframe")))
        frames = tuple(dict.fromkeys(frame for frame in framed if frame))
        xpaths = {f"regions {xpath}": xpath for xpath in channel.regions}
        nothing = unmatched_xpaths(page, xpaths | {f"next_page {channel.next_page}": channel.next_page})
        return ChannelDocument(visit, None, links, page, frames, tuple(nothing))


def cause_of(error: Exception) -> Exception:
    """The error itself, or that of the network because of which robots.txt could not be had."""
    is_robots = isinstance(error, RobotsUnavailableError) and isinstance(error.__cause__, Exception)
    return error.__cause__ if is_robots else error  # type: ignore[return-value]


def _reason(error: Exception, url: str, settings: BaseSettings) -> str:
    """Why a fetch brought no answer, for people."""
    cause = cause_of(error)
    if cause is not error:
        robots_url = "{}://{}/robots.txt".format(url.partition("://")[0], host_of(url))
        return f"robots.txt could not be had: {_reason(cause, robots_url, settings)}"
    if isinstance(error, StopDownload) and error.response is not None:
        return f"it is no page: its Content-Type is {content_type_of(error.response)}"
    sentence = next(sentence for kind, sentence in PROBLEMS if isinstance(error, kind))
    return sentence.format(error=error, largest=settings["DOWNLOAD_MAXSIZE"]).removeprefix(f"{url}: ")
