"""Politeness: checks robots.txt before every request (RFC 9309), measures the latency of each host, which determines
the delay between two requests to it, and sends a user agent with a contact."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.downloadermiddlewares.useragent import UserAgentMiddleware as ScrapyUserAgent
from scrapy.exceptions import StopDownload

from newsspider.core.fetching.address_guard import refusal_of_address
from newsspider.core.fetching.robots import READ_BYTES, RobotsText
from newsspider.core.url import canonical, host_of
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import (
    LEASE,
    REDIRECTS,
    ROBOTS,
    VISIT,
    RequestTimes,
    is_robots,
    lease_of,
    location_of,
    visit_of,
)
from newsspider.crawl.host_policy import UnleasedHosts
from newsspider.download.graceful_shutdown import GivenBackError, Waits
from newsspider.download.handler import PAUSED
from newsspider.download.refusals import AddressForbiddenError, RobotsForbiddenError, RobotsUnavailableError
from newsspider.pages.failed_fetches import FAILED

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsspider.store.engine.clock import Clock


MOST_REDIRECTS = 5  # RFC 9309, section 2.3.1.2
# of a robots.txt that are downloaded: compressed text can be longer than the text itself
MOST_BYTES = READ_BYTES + 64 * 1024
HOPS = "robots_hops"
logger = logging.getLogger(__name__)

NO_CONTACT = "(no contact given)"  # in the shipped user agent
_REACHABLE = re.compile(r"@|://|www\.")


class RobotsMiddleware:
    """Refuses what the host's robots.txt forbids. With leases, the text is fetched by a lease of its own and kept in
    the host's row; for a request without one it is fetched here and kept in memory.

    A redirect of a robots.txt is followed at once, after the host's delay, since nothing else may be requested before.
    Of a long one only the beginning is downloaded and read (RFC 9309, section 2.5). Meta keys: ``robots_hops``,
    ``robots_txt``. Settings: ``ROBOTSTXT_OBEY`` (True; any other value is refused), ``ROBOTS_AGENT`` (the product token
    looked for in the file).
    """

    def __init__(self, crawler: Crawler, crawl: Callable[[], Crawl], unleased: UnleasedHosts) -> None:
        self.crawler = crawler
        self.crawl = crawl  # asked for only by requests with a lease
        self.unleased = unleased
        self.waits = Waits(crawler)
        # memory _received: the bytes of a robots.txt under way: weak, gone with the request
        self._received: WeakKeyDictionary[Request, int] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler, partial(Crawl.of, crawler), UnleasedHosts.of(crawler))
        crawler.signals.connect(middleware.bytes_received, signals.bytes_received)
        return middleware

    async def process_request(self, request: Request) -> None:
        if is_robots(request):
            # Scrapy's keys: the limit is ours, and no reason to close the host; a cache knows no age of a robots.txt
            request.meta.update(download_maxsize=0, dont_cache=True)
            if LEASE in request.meta and lease_of(request).robots_at is not None:
                # the Crawl-delay so far, should the new text fail
                await self.crawl().host_policy.robots(lease_of(request))
            return
        if LEASE in request.meta:
            url = lease_of(request).url
            robots = await self.crawl().host_policy.robots(lease_of(request))
        else:
            url = request.url
            robots = await self.unleased.robots(url, self._fetched)
        if not robots.allowed(url, self.unleased.agent):
            if not robots.closed:
                raise RobotsForbiddenError(url)
            raise RobotsUnavailableError(url) from self.unleased.robots_failures.get(host_of(url))

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        hops = request.meta.get(HOPS, 0)
        if not is_robots(request) or response.status not in REDIRECTS or hops == MOST_REDIRECTS:
            return response
        target = canonical(location_of(response), request.url)
        if target is None:
            return response
        if LEASE in request.meta:  # one without waits for its turn as each request does
            delay = self.crawl().host_policy.delay(lease_of(request), visit_of(request).latency)
            await self.waits.sleep(delay.seconds)
        meta = {key: value for key, value in request.meta.items() if key != VISIT}  # to be sent once more
        return request.replace(url=target, meta=meta | {HOPS: hops + 1})

    def bytes_received(self, data: bytes, request: Request, **_: Any) -> None:
        if is_robots(request):
            self._received[request] = self._received.get(request, 0) + len(data)
            if self._received[request] >= MOST_BYTES:
                raise StopDownload(fail=False)

    async def _fetched(self, url: str) -> RobotsText:
        """The robots.txt at a URL; :exc:`AddressForbiddenError` if it leads to an address that is not public, and
        :exc:`GivenBackError` if the crawl is told to stop before it is there."""
        assert self.crawler.engine is not None
        request = Request(url, meta={ROBOTS: True}, encoding="latin-1")
        try:
            response = await self.crawler.engine.download_async(request)
        except (AddressForbiddenError, GivenBackError):
            raise
        except FAILED as error:
            self.unleased.robots_failures[host_of(url)] = error
            return RobotsText(None, b"", self.unleased.clock.now())
        return RobotsText(response.status, response.body[: READ_BYTES + 1], self.unleased.clock.now())


class AdaptiveDelayMiddleware:
    """Records when a request was sent and when its last byte arrived, in ``meta["visit"]``.

    The delay itself (:func:`newsspider.core.fetching.politeness.polite_delay`) is kept by the frontier, in the host's
    row, so that all workers together keep it. A request without a lease waits here for its turn. So the downloader
    does not wait for ``DOWNLOAD_DELAY`` once more. This middleware must stand nearest to the downloader.
    """

    def __init__(
        self, clock: Callable[[], Clock], unleased: UnleasedHosts, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self.clock = clock  # of the crawl; asked for only by requests with a lease
        self.unleased = unleased
        self.sleep = sleep

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawler.signals.connect(_no_delay_of_scrapy(crawler), signals.engine_started, weak=False)
        return cls(lambda: Crawl.of(crawler).clock, UnleasedHosts.of(crawler), Waits(crawler).sleep)

    def process_request(self, request: Request) -> Coroutine[Any, Any, None] | None:
        if LEASE not in request.meta:
            return self._turn(request)
        request.meta[VISIT] = RequestTimes(sent_at=self.clock().now())
        return None

    async def _turn(self, request: Request) -> None:
        request.meta[VISIT] = await self.unleased.turn(request.url, self.sleep)

    def process_response(self, request: Request, response: Response) -> Response:
        self._ended(request)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._ended(request)

    def _ended(self, request: Request) -> None:
        clock = self.clock() if LEASE in request.meta else self.unleased.clock
        visit = visit_of(request)
        visit.ended_at, visit.paused = clock.now(), request.meta.get(PAUSED, 0.0)


def _no_delay_of_scrapy(crawler: Crawler) -> Callable[[], None]:
    def engine_started() -> None:
        downloader: Any = crawler.engine and crawler.engine.downloader
        downloader._delay = 0.0  # as Scrapy's AutoThrottle sets it; else DOWNLOAD_DELAY would be kept twice

    return engine_started


def agent_with_contact(agent: str, contact: str) -> str:
    """The user agent with the contact in it.

    >>> [agent_with_contact(agent, "admin@a.cn") for agent in ("mywatch/1.0", f"newsspider/0.1 {NO_CONTACT}")]
    ['mywatch/1.0 (+admin@a.cn)', 'newsspider/0.1 (+admin@a.cn)']
    """
    if not contact or contact in agent:
        return agent
    return f"{agent.removesuffix(NO_CONTACT).rstrip()} (+{contact})"


class UserAgentMiddleware(ScrapyUserAgent):
    """Scrapy's, with the contact; warns once when a public host is asked without one. Settings: ``USER_AGENT``,
    ``CONTACT``."""

    def __init__(self, user_agent: str = "") -> None:
        super().__init__(user_agent)
        self._anonymous = not _REACHABLE.search(user_agent)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(agent_with_contact(crawler.settings["USER_AGENT"], crawler.settings["CONTACT"]))
        crawler.signals.connect(middleware.spider_opened, signals.spider_opened)
        return middleware

    def process_response(self, request: Request, response: Response) -> Response:
        address = response.ip_address
        if (
            self._anonymous
            and address is not None
            and (request.meta.get("proxy") or refusal_of_address(address) is None)
        ):
            self._anonymous = False  # once is enough
            logger.warning(
                "%s is asked by %r, which names no contact: administrators cannot write to you before they block you. "
                "Set CONTACT, or the variable NEWSSPIDER_CONTACT, to an address of yours",
                request.url,
                self.user_agent,
            )
        return response
