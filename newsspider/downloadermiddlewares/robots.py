"""Asks robots.txt before every request, after RFC 9309."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import IgnoreRequest

from newsspider.core.model import Kind
from newsspider.core.url import canonical
from newsspider.downloadermiddlewares.visit import REDIRECTS, lease_of, location_of, visit_of
from newsspider.manners import Manners
from newsspider.runtime import Runtime

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

MOST_REDIRECTS = 5  # RFC 9309, section 2.3.1.2
HOPS = "robots_hops"


class RobotsForbidden(IgnoreRequest):
    """The host's robots.txt forbids this URL to us."""


class RobotsUnavailable(IgnoreRequest):
    """The host's robots.txt could not be had (5xx, 429, network): nothing is asked until it answers (RFC 9309, 2.3.1.4)."""


class RobotsMiddleware:
    """Refuses what the host's robots.txt forbids; the text itself is fetched by a lease of its own and kept in the host's row.

    A robots.txt that is elsewhere is followed at once, the host's delay kept, for nothing else may be asked before. Meta key:
    ``robots_hops``. Settings: ``ROBOTSTXT_OBEY`` (True; the project ships nothing else), ``ROBOTS_AGENT`` (the product token looked
    for in the file).
    """

    def __init__(self, manners: Manners) -> None:
        self.manners = manners

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Runtime.of(crawler).manners)

    async def process_request(self, request: Request) -> None:
        lease = lease_of(request)
        if lease.kind is Kind.ROBOTS:
            return
        robots = await self.manners.robots(lease)
        if not robots.allowed(lease.url, self.manners.agent):
            raise (RobotsUnavailable if robots.closed else RobotsForbidden)(lease.url)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        lease, hops = lease_of(request), request.meta.get(HOPS, 0)
        if lease.kind is not Kind.ROBOTS or response.status not in REDIRECTS or hops == MOST_REDIRECTS:
            return response
        target = canonical(location_of(response), request.url)
        if target is None:
            return response
        await asyncio.sleep(self.manners.delay(lease, visit_of(request).latency).seconds)
        return request.replace(url=target, meta={**request.meta, HOPS: hops + 1})
