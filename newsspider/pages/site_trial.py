"""Asks the channels of a site once, politely, to show what a crawl would find there; for people, not for crawls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from newsspider.core.extraction.dom.frames import frames_of, refresh_of
from newsspider.core.extraction.dom.page import UnreadablePage, parse
from newsspider.core.links.feeds import document_kind, read_feed, read_sitemap
from newsspider.core.links.page_links import links_of
from newsspider.core.model import Link, LinkKind, PageType
from newsspider.core.url import canonical, same_site
from newsspider.download.probe import Guest, NoAnswer, Visitor
from newsspider.sites.model import Channel, Site

MOST_FRAMES = 10  # of one channel, frames of frames counted too


@dataclass(frozen=True, slots=True)
class Trial:
    """What one channel gave: its article links, or why it gave none."""

    channel: Channel
    links: tuple[Link, ...] = ()
    problem: str = ""


def trials(site: Site, guest: Guest) -> Iterator[Trial]:
    """What each channel of a site gives, one after the other."""
    visitor = Visitor(guest, site.delay_seconds)
    for channel in site.channels:
        yield _trial(site, channel, visitor)


def _trial(site: Site, channel: Channel, visitor: Visitor) -> Trial:
    """What a channel gives, its frames and what it refreshes to included, as the spider would read them."""
    urls = [canonical(channel.url) or ""]
    links: dict[str, Link] = {}
    problems: list[str] = []
    for url in urls:  # grows: frames have frames
        try:
            page_links, frames = _read(site, channel, visitor.guest.default_charset, *visitor.page(url))
        except (NoAnswer, UnreadablePage) as error:
            problems.append(str(error) if url == urls[0] else f"{url}: {error}")
            continue
        for link in page_links:
            links.setdefault(link.url, link)
        new = [frame for frame in frames if frame not in urls and same_site(frame, url)]
        urls += new[: MOST_FRAMES + 1 - len(urls)]
    return Trial(channel, tuple(links.values()), "" if links or not problems else problems[0])


def _read(
    site: Site, channel: Channel, default_charset: str, url: str, body: bytes, content_type: str | None
) -> tuple[tuple[Link, ...], tuple[str, ...]]:
    """The article links of a document and the URLs of its frames."""
    kind = document_kind(body, content_type)
    if kind is PageType.FEED:
        return read_feed(body, url), ()
    if kind is PageType.SITEMAP:
        return read_sitemap(body, url).urls, ()
    page = parse(body, url, content_type, default_charset)
    links = links_of(page, channel.regions, channel.next_page, site.article_url)
    framed = map(canonical, (refresh_of(page) or "", *frames_of(page, "iframe")))
    articles = tuple(link for link in links if link.kind is LinkKind.ARTICLE)
    return articles, tuple(dict.fromkeys(frame for frame in framed if frame))
