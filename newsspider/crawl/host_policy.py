"""Host policy: what a host's robots.txt allows, the delay between requests, and the reason for it.

Of hosts that are requested with leases the store keeps it, of others the memory of the process.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from newsspider.core.crawling.outcome import RetryPolicy
from newsspider.core.crawling.visit import Lease, Settlement
from newsspider.core.fetching.politeness import (
    Delay,
    DelayLimits,
    DelayReason,
    asked_next_at,
    back_off,
    polite_delay,
    smoothed_latency,
)
from newsspider.core.fetching.robots import Robots, RobotsCache, RobotsText, asked_again_at
from newsspider.core.url import host_of
from newsspider.crawl.fetch_notes import RequestTimes
from newsspider.store import ledger
from newsspider.store.engine.clock import Clock, SteadyClock

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.sites.model import Site
    from newsspider.store.engine.writer import Writer

HOSTS_KEPT = 10_000  # whose last visit is remembered
logger = logging.getLogger(__name__)


@dataclass(eq=False)
class HostPolicy:
    """The rules and delays of the hosts in a crawl; the host rows of the store are authoritative.

    ``site_of`` gives the site whose delay applies to a lease, ``agent`` is the product token for robots.txt.
    """

    writer: Writer
    site_of: Callable[[Lease], Site | None]
    agent: str
    limits: DelayLimits
    retries: RetryPolicy
    clock: Clock
    _robots: RobotsCache = field(init=False)

    def __post_init__(self) -> None:
        self._robots = RobotsCache(self.agent)

    async def robots(self, lease: Lease) -> Robots:
        """The rules of a lease's host, from memory unless its row has newer ones, which another worker may have
        fetched."""
        cached = self._robots.get(lease.host)
        if cached is not None and cached[0] == lease.robots_at:
            return cached[1]
        text = await self.writer.run(partial(ledger.robots_text, host=lease.host, now=self.clock.now()))
        return self._robots.keep(lease.host, lease.robots_at, Robots.read(text))

    def is_closed(self, host: str) -> bool:
        """Whether a host is known to be closed, for want of a robots.txt."""
        cached = self._robots.get(host)
        return cached is not None and cached[1].closed

    def remember(self, host: str, text: RobotsText) -> None:
        """Keep the rules of a host that has just told them."""
        self._robots.keep(host, text.fetched_at, Robots.read(text))

    def visited(
        self,
        lease: Lease,
        visit: RequestTimes,
        settlement: Settlement,
        *,
        pause: float | None = None,
        because: DelayReason = DelayReason.DOWN,
        address: str | None = None,
    ) -> Settlement:
        """The settlement with the results for the host: when it may be requested again, and why then."""
        if visit.sent_at is None:
            return settlement
        latency = lease.host_latency if visit.latency is None else smoothed_latency(lease.host_latency, visit.latency)
        delay = self.delay(lease, latency)
        next_at = asked_next_at(visit.sent_at, visit.ended_at, delay.seconds)
        if pause is not None and pause > delay.seconds:
            delay = Delay(pause, because)
        return dataclasses.replace(
            settlement,
            fetched_at=visit.sent_at,
            host_next_at=next_at if pause is None else self.clock.now() + delay.seconds,
            host_delay=delay.seconds,
            host_delay_reason=delay.reason,
            host_latency=latency,
            host_pause=pause is not None,
            address=address,
            address_next_at=next_at,
        )

    def delay(self, lease: Lease, latency: float | None) -> Delay:
        """The delay between two requests to the host of a lease."""
        site = self.site_of(lease)
        crawl_delay = self._robots.crawl_delay(lease.host)
        return polite_delay(latency, site.delay_seconds if site else None, crawl_delay, self.limits)

    def pause(self, lease: Lease) -> float:
        """Seconds to leave a host alone that is down, or sent 429 or 503 without a Retry-After."""
        return back_off(lease.host_failures + 1, self.retries.base_seconds, self.retries.cap_seconds, random.random())


async def bound_waits(frontier: SqlFrontier, clock: Clock) -> None:
    """Shorten waits of hosts and pages that have become too long because the system clock was set back."""
    while await frontier.run(partial(ledger.bound_pages, now=clock.now())):
        pass
    if bound := await frontier.run(partial(ledger.bound_waits, now=clock.now())):
        logger.warning("%d hosts waited longer than allowed: the system clock was set back", bound)


class UnleasedHosts:
    """The same rules and the same delays as :class:`HostPolicy` has for leases, for spiders and commands that work
    without a store.

    Settings: ``ROBOTS_AGENT``, ``DELAY_*``, ``CRAWL_DELAY_MAX_SECONDS``.
    """

    # memory _of: the hosts of a crawl without a store: weak, gone with the crawler
    _of: ClassVar[WeakKeyDictionary[Crawler, UnleasedHosts]] = WeakKeyDictionary()

    def __init__(self, agent: str, limits: DelayLimits, clock: Clock) -> None:
        self.agent = agent
        self._limits = limits
        self.clock = clock
        self._robots = RobotsCache(agent)
        # memory _visits: without a store, the last visit: HOSTS_KEPT hosts
        self._visits: OrderedDict[str, RequestTimes] = OrderedDict()
        self._site_delays: dict[str, float | None] = {}  # memory: of site files: hosts of watched sites
        self.robots_failures: dict[str, Exception] = {}  # memory: why robots.txt was not had: hosts of watched sites
        # memory _asking: robots.txt files that are being fetched: weak
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @classmethod
    def of(cls, crawler: Crawler) -> UnleasedHosts:
        """The one that the components of a crawler share."""
        if crawler not in cls._of:
            cls._of[crawler] = cls(crawler.settings["ROBOTS_AGENT"], delay_limits(crawler.settings), SteadyClock())
        return cls._of[crawler]

    async def robots(self, url: str, fetch: Callable[[str], Awaitable[RobotsText]]) -> Robots:
        """The rules of a URL's host. Missing or stale rules are fetched once; concurrent callers share the fetch."""
        host = host_of(url)
        async with self._asking.setdefault(host, asyncio.Lock()):
            cached = self._robots.get(host)
            if cached is not None and self.clock.now() < (cached[0] or 0.0):
                return cached[1]
            text = await fetch(f"{url.partition('://')[0]}://{host}/robots.txt")
            return self._robots.keep(host, asked_again_at(text), Robots.read(text))

    async def turn(self, url: str, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> RequestTimes:
        """Wait until a URL's host may be asked again, and begin a visit to it."""
        host = host_of(url)
        while (wait := self.next_at(host) - self.clock.now()) > 0:
            await sleep(wait)
        visit = self._visits[host] = RequestTimes(sent_at=self.clock.now())
        self._visits.move_to_end(host)
        if len(self._visits) > HOSTS_KEPT:
            self._visits.popitem(last=False)
        return visit

    def visited(self, url: str, visit: RequestTimes, site_delay: float | None) -> None:
        """Take a visit that was made with a lease into account, and the delay that the site file gives its host."""
        host = host_of(url)
        self._visits[host], self._site_delays[host] = visit, site_delay

    def keep_delay(self, url: str, site_delay: float) -> None:
        """Keep at least the delay of a site file at this URL's host."""
        host = host_of(url)
        self._site_delays[host] = max(site_delay, self._site_delays.get(host) or 0.0)

    def next_at(self, host: str) -> float:
        """The moment from which a host may be asked again; the delay follows its last answer."""
        last = self._visits.get(host, RequestTimes())
        if last.sent_at is None:
            return 0.0
        delay = polite_delay(last.latency, self._site_delays.get(host), self._robots.crawl_delay(host), self._limits)
        return asked_next_at(last.sent_at, last.ended_at, delay.seconds)


def delay_limits(settings: BaseSettings) -> DelayLimits:
    """The bounds of the delay between two requests to a host; ``DOWNLOAD_DELAY`` raises the lower one."""
    shortest = max(settings.getfloat("DELAY_MIN_SECONDS"), settings.getfloat("DOWNLOAD_DELAY"))
    longest = max(settings.getfloat("DELAY_MAX_SECONDS"), shortest)
    return DelayLimits(
        settings.getfloat("DELAY_FACTOR"), shortest, longest, settings.getfloat("CRAWL_DELAY_MAX_SECONDS")
    )
