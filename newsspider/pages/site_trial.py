"""Fetches the channels of a site once, politely, to show people what a crawl would find there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from scrapy.exceptions import DownloadCancelledError, ResponseDataLossError, StopDownload
from scrapy.http import Response

from newsspider.core.crawling.internal_errors import ProxyUnreachableError
from newsspider.core.extraction.article import unmatched
from newsspider.core.extraction.dom.frames import frames_of, refresh_of
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.links.feeds import document_kind, read_feed, read_sitemap
from newsspider.core.links.json_lists import is_json, read_json
from newsspider.core.links.page_links import links_of
from newsspider.core.model import Link, LinkKind, PageType
from newsspider.core.url import canonical, same_site
from newsspider.crawl.fetch_notes import REDIRECTS, location_of
from newsspider.download.browser import RenderError
from newsspider.download.refusals import AddressForbidden, RobotsForbidden, RobotsUnavailable
from newsspider.pages.article_item import content_type_of
from newsspider.pages.failure import FAILED

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.sites.model import Channel, Site

MOST_FRAMES = 10  # of one channel, frames of frames counted too
UNANSWERED: tuple[type[Exception], ...] = (*FAILED, ProxyUnreachableError, RenderError)

# What went wrong, for people. The first that fits counts.
PROBLEMS: tuple[tuple[type[Exception], str], ...] = (
    (RobotsForbidden, "robots.txt forbids it"),
    (RobotsUnavailable, "robots.txt could not be had"),
    (AddressForbidden, "{error}; see ALLOWED_ADDRESSES"),
    (ResponseDataLossError, "the answer was cut off"),
    (DownloadCancelledError, "the answer is longer than {largest} bytes"),
    (Exception, "{error}"),
)


class NoPageError(Exception):
    """A fetch that brought no page; the message is the plain reason."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result for one channel: its article links, or why there are none."""

    channel: Channel
    links: tuple[Link, ...] = ()
    problem: str = ""
    unmatched: tuple[str, ...] = ()  # the XPaths that selected nothing, as the site file names them


@dataclass(frozen=True, slots=True)
class SiteTrial:
    """Reads the channels of a site one after the other with ``fetch``, which raises the downloader's exceptions.

    Settings: ``REDIRECT_MAX_TIMES``, ``DEFAULT_CHARSET``.
    """

    site: Site
    fetch: Callable[[str], Awaitable[Response]]
    settings: BaseSettings

    async def trials(self) -> AsyncIterator[Trial]:
        """The result of each channel."""
        for channel in self.site.channels:
            yield await self._trial(channel)

    async def unmatched(self, url: str) -> tuple[str, ...]:
        """The XPaths of the site that select nothing on an article page; :exc:`NoPageError`,
        :exc:`UnreadablePageError`."""
        response = await self.page(url)
        page = parse(response.body, url, content_type_of(response), self.settings["DEFAULT_CHARSET"])
        return tuple(f"{name} {xpath}" for name, xpath in unmatched(page, asdict(self.site.rules)).items())

    async def page(self, url: str) -> Response:
        """The page at a URL, or the one inside its site to which that leads; :exc:`NoPageError` where there is none."""
        for _ in range(self.settings.getint("REDIRECT_MAX_TIMES") + 1):
            try:
                response = await self.fetch(url)
            except UNANSWERED as error:
                raise NoPageError(_reason(error, url, self.settings)) from error
            target = canonical(location_of(response), url) if response.status in REDIRECTS else None
            if target is None:
                break
            if not same_site(target, url):
                raise NoPageError(f"it moved to another site: {target}")
            url = target
        if response.status != 200:
            raise NoPageError(f"HTTP status {response.status}")
        return response

    async def _trial(self, channel: Channel) -> Trial:
        """The result of a channel, with its frames and the target of a refresh, as the spider would read them."""
        urls = [canonical(channel.url) or ""]
        links: dict[str, Link] = {}
        problems: list[str] = []
        missing: set[str] | None = None  # on each of the pages that are read
        for url in urls:  # grows: frames have frames
            try:
                page_links, frames, nothing = self._read(channel, await self.page(url))
            except (NoPageError, UnreadablePageError) as error:
                problems.append(str(error) if url == urls[0] else f"{url}: {error}")
                continue
            missing = set(nothing) if missing is None else missing & set(nothing)
            for link in page_links:
                links.setdefault(link.url, link)
            new = [frame for frame in frames if frame not in urls and same_site(frame, url)]
            urls += new[: MOST_FRAMES + 1 - len(urls)]
        problem = "" if links or not problems else problems[0]
        return Trial(channel, tuple(links.values()), problem, tuple(sorted(missing or ())))

    def _read(self, channel: Channel, response: Response) -> tuple[tuple[Link, ...], tuple[str, ...], tuple[str, ...]]:
        """The article links of a document, the URLs of its frames, and the XPaths that selected nothing."""
        url, body, content_type = response.url, response.body, content_type_of(response)
        kind = document_kind(body, content_type)
        if kind is PageType.FEED:
            return read_feed(body, url), (), ()
        if kind is PageType.SITEMAP:
            return read_sitemap(body, url).urls, (), ()
        if is_json(body):
            return read_json(body, url, channel.items, content_type), (), ()
        page = parse(body, url, content_type, self.settings["DEFAULT_CHARSET"])
        links = links_of(page, channel.regions, channel.next_page, self.site.article_url)
        framed = map(canonical, (refresh_of(page) or "", *frames_of(page, "iframe")))
        articles = tuple(link for link in links if link.kind is LinkKind.ARTICLE)
        xpaths = {f"regions {xpath}": xpath for xpath in channel.regions}
        nothing = unmatched(page, xpaths | {f"next_page {channel.next_page}": channel.next_page})
        return articles, tuple(dict.fromkeys(frame for frame in framed if frame)), tuple(nothing)


def _reason(error: Exception, url: str, settings: BaseSettings) -> str:
    """Why a fetch brought no answer, for people."""
    if isinstance(error, StopDownload) and error.response is not None:
        return f"it is no page: its Content-Type is {content_type_of(error.response)}"
    sentence = next(sentence for kind, sentence in PROBLEMS if isinstance(error, kind))
    return sentence.format(error=error, largest=settings["DOWNLOAD_MAXSIZE"]).removeprefix(f"{url}: ")
