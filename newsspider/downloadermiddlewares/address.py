"""Refuses requests to addresses that are not public, before anything else is asked of their hosts."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.utils.httpobj import urlparse_cached

from newsspider.core.addresses import Exceptions, refused_host
from newsspider.resolver.guarded import Proxies, allowed_addresses, installed

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)


class AddressForbidden(IgnoreRequest):
    """The request would go to an address that is not public; the message is the plain reason."""


class AddressMiddleware:
    """Gives a refused address its own reason; the guard itself is :class:`~newsspider.resolver.guarded.GuardedResolver`.

    Hosts that are addresses are refused in whatever spelling, behind a proxy too. Names are looked up here, where no limit of time
    to the first byte runs yet, and refused if no address is left; behind a proxy they are the proxy's to look up. Setting:
    ``ALLOWED_ADDRESSES``. Stats: ``addresses/refused``, ``dns/asked``, ``dns/failed``.
    """

    def __init__(self, stats: StatsCollector, allowed: Exceptions, proxies: Proxies) -> None:
        self.stats = stats
        self.allowed = allowed
        self.proxies = proxies

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assert crawler.stats is not None
        middleware = cls(crawler.stats, allowed_addresses(crawler.settings), Proxies(crawler.settings))
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    async def process_request(self, request: Request) -> None:
        problem = await self._problem(request)
        if problem is not None:
            self._tell(request.url, problem)
            raise AddressForbidden(problem)

    async def process_exception(self, request: Request, exception: Exception) -> None:
        """A name whose addresses changed between the look and the connection."""
        if isinstance(exception, CannotResolveHostError):
            await self.process_request(request)

    def _tell(self, url: str, problem: str) -> None:
        """The first one aloud: who watches an intranet has to name it."""
        if self.stats.get_value("addresses/refused") is None:
            logger.warning("%s is not asked for: %s; others like it are only counted. ALLOWED_ADDRESSES names exceptions", url, problem)
        logger.debug("%s is not asked for: %s", url, problem)
        self.stats.inc_value("addresses/refused")

    async def _problem(self, request: Request) -> str | None:
        url, resolver = urlparse_cached(request), installed()
        host = url.hostname or ""
        problem = refused_host(host, self.allowed)
        if problem is not None or resolver is None or self.proxies.stand_before(host, url.scheme):
            return problem
        problems = [resolver.refusal(host, address) for address in await resolver.addresses(host)]
        return f"{host} has the {problems[0]}" if problems and all(problems) else None

    def spider_closed(self) -> None:
        if (resolver := installed()) is not None:
            self.stats.set_value("dns/asked", resolver.names.asked)
            self.stats.set_value("dns/failed", resolver.names.failed)
