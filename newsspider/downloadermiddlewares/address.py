"""Rejects requests to non-public addresses, before anything is requested from their hosts (SSRF guard)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import CannotResolveHostError

from newsspider.core.fetching.address_guard import AllowedAddresses, refused_host
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE, lease_of
from newsspider.download.graceful_shutdown import Waits
from newsspider.download.guarded_resolver import Proxies, allowed_addresses, installed_resolver
from newsspider.download.handler import ASKED_URL, asked_url
from newsspider.download.refusals import AddressBusyError, AddressForbiddenError
from newsspider.downloadermiddlewares.politeness import HOPS
from newsspider.sites.rsshub_urls import at_instance, is_rsshub
from newsspider.store import ledger

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.visit import Lease

logger = logging.getLogger(__name__)

NO_RSSHUB = "rsshub:// needs RSSHUB_URL, the address of your own RSSHub"


class AddressMiddleware:
    """Gives a rejected address its own reason; the guard itself is
    :class:`~newsspider.download.guarded_resolver.GuardedResolver`.

    Hosts that are IP addresses are rejected in any notation, also behind a proxy. Names are resolved here, before the
    first-byte timeout starts, and rejected if no allowed address remains; behind a proxy, the proxy resolves them.
    A request to RSSHub goes to the instance of ``RSSHUB_URL``. Settings: ``ALLOWED_ADDRESSES``, ``RSSHUB_URL``. Meta
    key: ``asked_url``.
    """

    def __init__(
        self,
        crawl: Callable[[], Crawl],
        stats: StatsCollector,
        allowed: AllowedAddresses,
        proxies: Proxies,
        waits: Waits,
        rsshub: str = "",
    ) -> None:
        self.crawl = crawl  # used only for requests with a lease: the guard also serves other spiders
        self.stats = stats
        self.waits = waits
        self.allowed = allowed
        self.proxies = proxies
        self.rsshub = rsshub

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        allowed, proxies = allowed_addresses(crawler.settings), Proxies(crawler.settings)
        assert crawler.stats is not None
        middleware = cls(
            partial(Crawl.of, crawler), crawler.stats, allowed, proxies, Waits(crawler), crawler.settings["RSSHUB_URL"]
        )
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    async def process_request(self, request: Request) -> None:
        problem = await self._problem(request)
        if problem is not None:
            self._log_refused(request.url, problem)
            raise AddressForbiddenError(problem)

    async def process_exception(self, request: Request, exception: Exception) -> None:
        """A name whose addresses changed between lookup and connection."""
        if isinstance(exception, CannotResolveHostError):
            await self.process_request(request)

    def _log_refused(self, url: str, problem: str) -> None:
        """Warn about the first one: an intranet must be configured."""
        if self.stats.get_value("addresses/refused") is None:
            logger.warning(
                "%s is not requested: %s; others like it are only counted. ALLOWED_ADDRESSES names exceptions",
                url,
                problem,
            )
        logger.debug("%s is not requested: %s", url, problem)
        self.stats.inc_value("addresses/refused")  # stat: requests to addresses that are not public

    async def _problem(self, request: Request) -> str | None:
        resolver = installed_resolver()
        request.meta.pop(ASKED_URL, None)  # a start URL may have brought one
        if is_rsshub(request.url):
            if not self.rsshub:
                return NO_RSSHUB
            request.meta[ASKED_URL] = at_instance(request.url, self.rsshub)
        url = urlsplit(asked_url(request))
        host = url.hostname or ""
        problem = refused_host(host, self.allowed)
        if problem is not None or resolver is None or self.proxies.stand_before(host, url.scheme):
            return problem
        addresses = await self.waits.result(resolver.addresses(host))
        problems = [resolver.refusal(host, address) for address in addresses]
        if problems and all(problems):
            return f"{host} has the {problems[0]}"
        first = next((address for address, problem in zip(addresses, problems, strict=True) if problem is None), None)
        if LEASE in request.meta and HOPS not in request.meta and first is not None:
            await self._place(lease_of(request), str(first))
        return None

    async def _place(self, lease: Lease, address: str) -> None:
        """Record the address that is connected to first if it is new: other hosts may share it, and its delay."""
        if lease.address == address:
            return
        crawl = self.crawl()
        now = crawl.clock.now()
        until = await crawl.storage.frontier.run(partial(ledger.place, lease=lease, address=address, now=now))
        if until:
            self.stats.inc_value("addresses/shared")  # stat: pages put back: their IP address was busy
            raise AddressBusyError(until)

    def spider_closed(self) -> None:
        if (resolver := installed_resolver()) is not None:
            self.stats.set_value("dns/asked", resolver.names.asked)  # stat: names looked up, not cached
            self.stats.set_value("dns/failed", resolver.names.failed)  # stat: look-ups that gave no address
