"""Host policy: what a host's robots.txt allows, the delay between requests, and the reason for it."""

from __future__ import annotations

import dataclasses
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from newsspider.core.crawling.retry_schedule import RetryPolicy
from newsspider.core.crawling.visit import Lease, Settlement
from newsspider.core.fetching.politeness import (
    Delay,
    DelayLimits,
    DelayReason,
    asked_next_at,
    back_off,
    polite_delay,
    smoothed,
)
from newsspider.core.fetching.robots import Robots, RobotsCache, RobotsText
from newsspider.store import ledger

if TYPE_CHECKING:
    from newsspider.crawl.fetch_notes import Visit
    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.sites.model import Site
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.writer import Writer

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
        visit: Visit,
        settlement: Settlement,
        *,
        pause: float | None = None,
        because: DelayReason = DelayReason.DOWN,
        address: str | None = None,
    ) -> Settlement:
        """The settlement with the results for the host: when it may be requested again, and why then."""
        if visit.sent_at is None:
            return settlement
        latency = lease.host_latency if visit.latency is None else smoothed(lease.host_latency, visit.latency)
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
