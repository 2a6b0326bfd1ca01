"""Asks robots.txt before every request, after RFC 9309."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.exceptions import IgnoreRequest

from newsspider.core.model import Kind
from newsspider.downloadermiddlewares.visit import lease_of
from newsspider.runtime import Runtime

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class RobotsForbidden(IgnoreRequest):
    """The host's robots.txt forbids this URL to us."""


class RobotsUnavailable(IgnoreRequest):
    """The host's robots.txt could not be had (5xx, 429, network): nothing is asked until it answers (RFC 9309, 2.3.1.4)."""


class RobotsMiddleware:
    """Refuses what the host's robots.txt forbids; the text itself is fetched by a lease of its own and kept in the host's row.

    Settings: ``ROBOTSTXT_OBEY`` (True; the project ships nothing else), ``ROBOTS_AGENT`` (the product token looked for in the file).
    """

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Runtime.of(crawler))

    async def process_request(self, request: Request) -> None:
        lease = lease_of(request)
        if lease.kind is Kind.ROBOTS:
            return
        robots = await self.runtime.robots(lease.host)
        if not robots.allowed(lease.url, self.runtime.robots_agent):
            raise (RobotsUnavailable if robots.closed else RobotsForbidden)(lease.url)
