"""Checks robots.txt before every request (RFC 9309)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.exceptions import StopDownload

from newsspider.core.fetching.robots import READ_BYTES
from newsspider.core.model import PageType
from newsspider.core.url import canonical
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import REDIRECTS, lease_of, location_of, visit_of
from newsspider.crawl.host_policy import HostPolicy
from newsspider.download.refusals import RobotsForbidden, RobotsUnavailable

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

MOST_REDIRECTS = 5  # RFC 9309, section 2.3.1.2
# of a robots.txt that are downloaded: compressed text can be longer than the text itself
MOST_BYTES = READ_BYTES + 64 * 1024
HOPS = "robots_hops"


class RobotsMiddleware:
    """Rejects what the host's robots.txt forbids; the file itself is fetched with a lease of its own and stored in
    the host's row.

    A redirected robots.txt is followed at once, with the host's delay, because nothing else may be requested before.
    Only the beginning of a long file is downloaded (RFC 9309, section 2.5). Meta key: ``robots_hops``. Settings:
    ``ROBOTSTXT_OBEY`` (True; any other value is rejected), ``ROBOTS_AGENT`` (the product token in robots.txt).
    """

    def __init__(self, host_policy: HostPolicy) -> None:
        self.host_policy = host_policy
        self._received: WeakKeyDictionary[Request, int] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(Crawl.of(crawler).host_policy)
        crawler.signals.connect(middleware.bytes_received, signals.bytes_received)
        return middleware

    async def process_request(self, request: Request) -> None:
        lease = lease_of(request)
        if lease.kind is PageType.ROBOTS:
            request.meta["download_maxsize"] = 0  # Scrapy's key: our own limit applies, and does not close the host
            return
        robots = await self.host_policy.robots(lease)
        if not robots.allowed(lease.url, self.host_policy.agent):
            raise (RobotsUnavailable if robots.closed else RobotsForbidden)(lease.url)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        lease, hops = lease_of(request), request.meta.get(HOPS, 0)
        if lease.kind is not PageType.ROBOTS or response.status not in REDIRECTS or hops == MOST_REDIRECTS:
            return response
        target = canonical(location_of(response), request.url)
        if target is None:
            return response
        await asyncio.sleep(self.host_policy.delay(lease, visit_of(request).latency).seconds)
        return request.replace(url=target, meta={**request.meta, HOPS: hops + 1})

    def bytes_received(self, data: bytes, request: Request, **_: Any) -> None:
        if lease_of(request).kind is PageType.ROBOTS:
            self._received[request] = self._received.get(request, 0) + len(data)
            if self._received[request] >= MOST_BYTES:
                raise StopDownload(fail=False)
