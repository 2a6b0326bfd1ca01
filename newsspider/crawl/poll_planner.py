"""Plans when the lists of a crawl are polled, and keeps the plan in line with the store."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from newsspider.core.scheduling import poll_schedule
from newsspider.core.scheduling.poll_schedule import Plan, Polled, Polling, PollLimits
from newsspider.core.scheduling.priorities import better_hubs
from newsspider.core.scheduling.publication_profile import Observations
from newsspider.hooks import plugins
from newsspider.sites.holidays import calendar_of
from newsspider.store.ledger import polls

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector
    from sqlalchemy import Connection

    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.storage import Storage
    from newsspider.store.engine.clock import Clock


logger = logging.getLogger(__name__)

REPLAN_SECONDS = 3600.0  # between two plans from new rates and profiles
CORRECT_SECONDS = 600.0  # between two corrections of the price


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
        self._hubs = better_hubs(await writer.run(_hub_scores))
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


def _hub_scores(conn: Connection) -> dict[tuple[str, str], float]:
    return plugins().hook.hub_scores(conn=conn) or {}


class Policy(StrEnum):
    """How the next poll of a list is decided."""

    INDEX = "index"  # when its expected new items have waited long enough (core.scheduling.poll_schedule)
    FIXED = "fixed"  # every list at a fixed interval


class PollPolicy:
    """The policy and, for :attr:`Policy.INDEX`, its plan. Publication rates are learned under any policy.

    Settings: ``REVISIT_POLICY``, ``REVISIT_REQUESTS_PER_LIST``, ``REVISIT_REQUESTS_PER_HOUR``,
    ``REVISIT_REQUESTS_PER_HOST``, ``REVISIT_SHORTEST_SECONDS``, ``REVISIT_LONGEST_SECONDS``,
    ``REVISIT_FIXED_SECONDS``, ``HOLIDAYS``, ``SCHOOL_HOLIDAYS``.
    """

    def __init__(self, settings: BaseSettings) -> None:
        self._policy = Policy(settings["REVISIT_POLICY"])
        self._fixed_seconds = settings.getfloat("REVISIT_FIXED_SECONDS")
        self._of_list = settings.getfloat("REVISIT_REQUESTS_PER_LIST")
        self._in_all = settings.getfloat("REVISIT_REQUESTS_PER_HOUR")
        self.limits = PollLimits(
            self._of_list,
            settings.getfloat("REVISIT_REQUESTS_PER_HOST"),
            settings.getfloat("REVISIT_SHORTEST_SECONDS"),
            settings.getfloat("REVISIT_LONGEST_SECONDS"),
        )
        self._holidays = settings["HOLIDAYS"], tuple(settings.getlist("SCHOOL_HOLIDAYS"))
        self.plan: Plan = poll_schedule.NO_PLAN
        self.planned_at, self._planned_for = 0.0, 0  # lists

    @property
    def keeps_time(self) -> bool:
        """Whether a known list is polled when it is due, not at the start of a crawl."""
        return self._policy is Policy.INDEX

    @property
    def cycle(self) -> float:
        """The longest interval in seconds between two polls of a list."""
        return self.limits.longest if self._policy is Policy.INDEX else self._fixed_seconds

    def polling(self, weight: int) -> Polling:
        """The inputs of the next poll of a list."""
        return Polling(float(weight), self.plan, self.limits, decides=self._policy is Policy.INDEX)

    @property
    def multipliers(self) -> dict[str, float]:
        """The multipliers of the request price: for all hosts under an empty name, and for each busy host."""
        return {"": self.plan.gain, **self.plan.hosts}

    def recall(self, multipliers: Mapping[str, float]) -> None:
        """Start with the multipliers of an earlier crawl, which took hours to find."""
        hosts = {host: factor for host, factor in multipliers.items() if host}
        self.plan = replace(self.plan, gain=multipliers.get("", self.plan.gain), hosts=hosts)

    def replan(self, lists: Sequence[Polled], hours: Mapping[str, Observations], now: float) -> None:
        """Rebuild the plan about once an hour and when the lists changed, and correct its price towards the budget."""
        if not lists:
            return
        self.limits = replace(self.limits, requests_an_hour=min(self._in_all, self._of_list * len(lists)))
        if not self.planned_at:
            self.plan = replace(self.plan, common=replace(self.plan.common, calendar=calendar_of(*self._holidays, now)))
        if not self.planned_at <= now < self.planned_at + REPLAN_SECONDS or len(lists) != self._planned_for:
            self.plan = poll_schedule.plan(lists, hours, now, self.limits, self.plan)
            self.planned_at, self._planned_for = now, len(lists)
        polled = [item for item in lists if item.polled_at]
        self.plan = poll_schedule.corrected(self.plan, polled, now, self.limits)
        logger.debug(
            "the lists are planned for %.0f requests an hour, gain %.2f", self.limits.requests_an_hour, self.plan.gain
        )
