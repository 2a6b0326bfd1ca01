"""The poll policy of a crawl, from the settings, and the current plan."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from newsspider.core.scheduling import poll_schedule
from newsspider.core.scheduling.poll_schedule import Limits, Plan, Polled, Polling
from newsspider.core.scheduling.publication_profile import Observations
from newsspider.sites.holidays import calendar_of

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

REPLAN_SECONDS = 3600.0  # between two plans from new rates and profiles
CORRECT_SECONDS = 600.0  # between two corrections of the price


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
        self.limits = Limits(
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
