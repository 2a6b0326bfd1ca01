"""Asks the channels of a site once, politely, to show what a crawl would find there; for people, not for crawls."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from typing import Any

from newsspider.core.feeds import document_kind, read_feed, read_sitemap
from newsspider.core.links import links_of
from newsspider.core.model import Kind, Link, LinkKind, RobotsText
from newsspider.core.page import UnreadablePage, parse
from newsspider.core.politeness import DelayLimits, polite_delay
from newsspider.core.robots import Robots
from newsspider.core.url import canonical, host_of
from newsspider.sites.model import Channel, Site

MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class NoAnswer(Exception):  # noqa: N818 -- an answer that is missing, not a mistake
    """A channel that gave no page; the message is the plain reason."""


@dataclass(frozen=True, slots=True)
class Guest:
    """How we present ourselves and how long we wait."""

    user_agent: str
    robots_agent: str
    limits: DelayLimits
    timeout_seconds: float
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Trial:
    """What one channel gave: its article links, or why it gave none."""

    channel: Channel
    links: tuple[Link, ...] = ()
    problem: str = ""


@dataclass(slots=True)
class _Host:
    robots: Robots
    next_at: float = 0.0


@dataclass(slots=True)
class Visitor:
    """Fetches pages one after the other, robots.txt first, the shortest polite delay between two requests to a host."""

    guest: Guest
    site_delay: float | None = None
    hosts: dict[str, _Host] = field(default_factory=dict)

    def page(self, url: str) -> tuple[str, bytes, str | None]:
        """Final URL, bytes and content type of a page; :exc:`NoAnswer` where there is none."""
        for _ in range(MOST_REDIRECTS + 1):
            host = self._host(url)
            if host.robots.closed:
                raise NoAnswer("robots.txt could not be had")
            if not host.robots.allowed(url, self.guest.robots_agent):
                raise NoAnswer("robots.txt forbids it")
            status, body, headers = self._fetch(url, host)
            target = canonical(headers.get("Location") or "", url) if status in REDIRECTS else None
            if target is None:
                break
            url = target
        if status != 200:
            raise NoAnswer(f"HTTP status {status}")
        return url, body, headers.get("Content-Type")

    def _host(self, url: str) -> _Host:
        name = host_of(url)
        if name not in self.hosts:
            host = _Host(Robots())
            home = f"{url.partition('://')[0]}://{name}"
            try:
                status, body, headers = self._fetch(f"{home}/robots.txt", host)
                if status in REDIRECTS and (target := canonical(headers.get("Location") or "", home)):
                    status, body, _ = self._fetch(target, host)
            except NoAnswer:
                status, body = None, b""
            host.robots = Robots.read(RobotsText(status, body, time.time()))
            self.hosts[name] = host
        return self.hosts[name]

    def _fetch(self, url: str, host: _Host) -> tuple[int, bytes, Message]:
        time.sleep(max(0.0, host.next_at - time.time()))
        sent = time.time()
        request = urllib.request.Request(url, headers={"User-Agent": self.guest.user_agent})
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            with opener.open(request, timeout=self.guest.timeout_seconds) as answer:
                body = answer.read(self.guest.most_bytes)
                return answer.status, body, answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, b"", error.headers
        except (OSError, HTTPException, ValueError) as error:
            raise NoAnswer(str(getattr(error, "reason", None) or error or type(error).__name__)) from None
        finally:
            crawl_delay = host.robots.crawl_delay(self.guest.robots_agent)
            host.next_at = sent + polite_delay(None, self.site_delay, crawl_delay, self.guest.limits).seconds


def trials(site: Site, guest: Guest) -> Iterator[Trial]:
    """What each channel of a site gives, one after the other."""
    visitor = Visitor(guest, site.delay_seconds)
    for channel in site.channels:
        try:
            yield Trial(channel, tuple(_article_links(site, channel, *visitor.page(canonical(channel.url) or ""))))
        except (NoAnswer, UnreadablePage) as error:
            yield Trial(channel, problem=str(error))


def _article_links(site: Site, channel: Channel, url: str, body: bytes, content_type: str | None) -> Iterator[Link]:
    kind = document_kind(body, content_type)
    if kind is Kind.FEED:
        yield from read_feed(body, url)
    elif kind is Kind.SITEMAP:
        yield from read_sitemap(body, url).urls
    else:
        links = links_of(parse(body, url, content_type), channel.regions, channel.next_page, site.article_url)
        yield from (link for link in links if link.kind is LinkKind.ARTICLE)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves redirects to us: the target's robots.txt is asked first."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None
