"""Plans when the lists of a crawl are polled, and keeps the plan in line with the store."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from newsspider.core.scheduling.priorities import better_hubs
from newsspider.store.exploring import ranks
from newsspider.store.ledger import polls

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.poll_policy import PollPolicy
    from newsspider.crawl.storage import Storage
    from newsspider.store.engine.clock import Clock


@dataclass(eq=False)
class PollPlanner:
    """Plans the polls of one crawl."""

    policy: PollPolicy
    storage: Storage
    sites: CrawlSites
    topic: str
    stats: StatsCollector
    clock: Clock
    _hubs: frozenset[tuple[str, str]] = field(default_factory=frozenset, init=False)  # by site and channel
    _replanning: asyncio.Lock = field(
        default_factory=asyncio.Lock, init=False
    )  # the plan is made in a thread, one at a time

    def is_hub(self, site: str, channel: str) -> bool:
        """Whether the articles of a list go first within their weight."""
        return (site, channel) in self._hubs

    async def replan(self, *, rebuild: bool = False) -> None:
        """Plan the polls again and select the better hubs; with ``rebuild``, sites, weights or limits may have
        changed."""
        writer, claimable = self.storage.writer, self.sites.claimable()
        lists = await writer.run(partial(polls.lists, sites=claimable))
        hours = await writer.run(polls.hours)
        self._hubs = better_hubs(await writer.run(ranks.hub_scores))
        now = self.clock.now()
        async with self._replanning:
            await asyncio.to_thread(self.policy.replan, lists, hours, now)
        if self.policy.keeps_time:
            polling = self.policy.polling
            await self.storage.frontier.run(
                partial(polls.advance, sites=claimable, polling=polling, now=now, lost_only=not rebuild)
            )
        # stat lists/requests_per_hour: polls planned for each hour
        self.stats.set_value("lists/requests_per_hour", round(self.policy.limits.requests_an_hour, 1))
        # stat lists/budget_multiplier: the factor that keeps polls in the budget
        self.stats.set_value("lists/budget_multiplier", round(self.policy.plan.gain, 3))

    async def load_multipliers(self) -> None:
        """Start with the budget multipliers of the last crawl for this topic."""
        self.policy.recall(await self.storage.writer.run(partial(polls.multipliers, topic=self.topic)))

    async def keep_multipliers(self) -> None:
        """Store the budget multipliers for the next crawl, if polls were planned."""
        if self.policy.planned_at:
            factors = self.policy.multipliers
            await self.storage.writer.run(partial(polls.keep_multipliers, topic=self.topic, factors=factors))
