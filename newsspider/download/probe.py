"""Fetches single pages for people, politely: robots.txt first, one request after the other, with limits of time and
size."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from threading import Thread
from typing import Any

from newsspider.core.fetching.addresses import NONE, Exceptions, refused_host
from newsspider.core.fetching.politeness import DelayLimits, polite_delay
from newsspider.core.fetching.robots import Robots, RobotsText
from newsspider.core.url import canonical, host_of, same_site
from newsspider.download.probe_connections import AddressRefused, Guarded

MOST_ROBOTS_REDIRECTS = 5  # RFC 9309, section 2.3.1.2
READ_BYTES = 65_536
AT_ONCE = 0.0  # when a robots.txt was fetched: it is used now and not kept
REDIRECTS = frozenset({301, 302, 303, 307, 308})

Answer = tuple[int, bytes, Message]


class NoAnswer(Exception):  # noqa: N818 -- an answer that is missing, not a mistake
    """A fetch that gave no page; the message is the plain reason."""


class NoAddress(NoAnswer):
    """A fetch that would have gone to an address that is not public."""


@dataclass(frozen=True, slots=True)
class Guest:
    """How we present ourselves, how long we wait, and how much we take."""

    user_agent: str
    robots_agent: str
    limits: DelayLimits
    first_byte_seconds: float  # of silence, also between two parts of an answer
    timeout_seconds: float  # for a whole answer
    most_bytes: int
    most_redirects: int
    default_charset: str
    allowed: Exceptions = NONE  # addresses that are asked though they are not public


@dataclass(slots=True)
class _Host:
    robots: Robots
    next_at: float = 0.0  # of the monotonic clock


@dataclass(slots=True)
class Visitor:
    """Fetches pages one after the other, robots.txt first, the shortest polite delay between two requests to a host."""

    guest: Guest
    site_delay: float | None = None
    hosts: dict[str, _Host] = field(default_factory=dict)

    def page(self, url: str) -> tuple[str, bytes, str | None]:
        """Final URL, bytes and content type of a page; :exc:`NoAnswer` where there is none."""
        for _ in range(self.guest.most_redirects + 1):
            host = self._host(url)
            if host.robots.closed:
                raise NoAnswer("robots.txt could not be had")
            if not host.robots.allowed(url, self.guest.robots_agent):
                raise NoAnswer("robots.txt forbids it")
            status, body, headers = self._fetch(url, host)
            target = _target(status, headers, url)
            if target is None:
                break
            if not same_site(target, url):
                raise NoAnswer(f"it moved to another site: {target}")
            url = target
        if status != 200:
            raise NoAnswer(f"HTTP status {status}")
        return url, body, headers.get("Content-Type")

    def _host(self, url: str) -> _Host:
        name = host_of(url)
        if name not in self.hosts:
            host = _Host(Robots())
            host.robots = Robots.read(self._robots(f"{url.partition('://')[0]}://{name}/robots.txt", host))
            self.hosts[name] = host
        return self.hosts[name]

    def _robots(self, url: str, host: _Host) -> RobotsText:
        try:
            for _ in range(MOST_ROBOTS_REDIRECTS + 1):
                status, body, headers = self._fetch(url, host)
                target = _target(status, headers, url)
                if target is None:
                    break
                url = target
        except NoAddress:
            raise
        except NoAnswer:
            return RobotsText(None, b"", AT_ONCE)
        return RobotsText(status, body, AT_ONCE)

    def _fetch(self, url: str, host: _Host) -> Answer:
        time.sleep(max(0.0, host.next_at - time.monotonic()))
        sent = time.monotonic()
        try:
            return _within(
                self.guest.timeout_seconds, lambda: _asked(url, self.guest, sent + self.guest.timeout_seconds)
            )
        finally:
            crawl_delay = host.robots.crawl_delay(self.guest.robots_agent)
            host.next_at = sent + polite_delay(None, self.site_delay, crawl_delay, self.guest.limits).seconds


def _target(status: int, headers: Message, url: str) -> str | None:
    """Where a redirect leads; ``None`` if this is none."""
    return canonical(headers.get("Location") or "", url) if status in REDIRECTS else None


def _within(seconds: float, fetch: Callable[[], Answer]) -> Answer:
    """The answer, unless it takes longer: a name server or headers that drip can be left only from outside."""
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(fetch())
        except BaseException as error:  # is raised where the answer is waited for
            answer.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError:
        raise _too_slow(seconds) from None


def _asked(url: str, guest: Guest, deadline: float) -> Answer:
    if (problem := refused_host(host_of(url), guest.allowed)) is not None:  # behind a proxy too
        raise NoAddress(f"{problem}; see ALLOWED_ADDRESSES")
    request = urllib.request.Request(url, headers={"User-Agent": guest.user_agent})
    opener = urllib.request.build_opener(_NoRedirect, Guarded(guest.allowed))
    try:
        with opener.open(request, timeout=guest.first_byte_seconds) as answer:
            body = bytearray()
            while chunk := answer.read1(READ_BYTES):
                body += chunk
                if len(body) > guest.most_bytes:
                    raise NoAnswer(f"the answer is longer than {guest.most_bytes} bytes")
                if time.monotonic() > deadline:
                    raise _too_slow(guest.timeout_seconds)
            if answer.length:
                raise NoAnswer("the answer was cut off")
            return answer.status, bytes(body), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, b"", error.headers
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(getattr(error, "reason", None), AddressRefused):
            raise NoAddress(str(error.reason)) from None  # type: ignore[union-attr]
        raise NoAnswer(str(getattr(error, "reason", None) or error or type(error).__name__)) from None


def _too_slow(seconds: float) -> NoAnswer:
    return NoAnswer(f"no whole answer within {seconds:g} s")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves redirects to us: the target's robots.txt is asked first."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None
