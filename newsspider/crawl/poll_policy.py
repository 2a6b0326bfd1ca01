"""When the lists of a crawl are polled: what the settings say, and the current plan."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from newsspider.core.scheduling import poll_schedule
from newsspider.core.scheduling.poll_schedule import Limits, Plan, Polled, Polling
from newsspider.core.scheduling.publication_profile import Seen
from newsspider.core.strategies.polling import update_cycle
from newsspider.sites.holidays import calendar_of

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

REPLAN_SECONDS = 3600.0  # rates and hours are looked at again
CORRECT_SECONDS = 600.0  # the price is moved towards the budget


class Policy(StrEnum):
    """How it is decided when a list is polled again."""

    INDEX = "index"  # when what it is expected to have brought has waited long enough (core.revisiting.revisit)
    ROUNDS = "rounds"  # in rounds by weight group (core.strategies.polling)
    FIXED = "fixed"  # all lists every so many seconds


class PollPolicy:
    """The policy of a crawl; where that is :attr:`Policy.INDEX`, its plan. Under any policy the lists teach their
    rates.

    Settings: ``REVISIT_POLICY``, ``REVISIT_REQUESTS_PER_LIST``, ``REVISIT_REQUESTS_PER_HOUR``,
    ``REVISIT_REQUESTS_PER_HOST``, ``REVISIT_SHORTEST_SECONDS``, ``REVISIT_LONGEST_SECONDS``, ``REVISIT_FIXED_SECONDS``,
    ``POLL_ROUND_SECONDS``, ``HOLIDAYS``, ``SCHOOL_HOLIDAYS``.
    """

    def __init__(self, settings: BaseSettings) -> None:
        self._policy = Policy(settings["REVISIT_POLICY"])
        self._round_seconds = settings.getfloat("POLL_ROUND_SECONDS")
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
        """Whether a list that is known is polled when it is due, not when a crawl begins."""
        return self._policy is Policy.INDEX

    def cycle(self, weight: int) -> float:
        """Seconds after which a list of this weight is polled at the latest."""
        if self._policy is Policy.INDEX:
            return self.limits.longest
        return update_cycle(weight, self._round_seconds) if self._policy is Policy.ROUNDS else self._fixed_seconds

    def polling(self, weight: int) -> Polling:
        """By what the next poll of a list is decided."""
        return Polling(float(weight), self.plan, self.limits, decides=self._policy is Policy.INDEX)

    @property
    def multipliers(self) -> dict[str, float]:
        """By what the budget multiplies the price of a request: for all under an empty name, and for each busy host."""
        return {"": self.plan.gain, **self.plan.hosts}

    def recall(self, multipliers: Mapping[str, float]) -> None:
        """Begin with the multipliers of an earlier crawl: it took hours to find them."""
        hosts = {host: factor for host, factor in multipliers.items() if host}
        self.plan = replace(self.plan, gain=multipliers.get("", self.plan.gain), hosts=hosts)

    def replan(self, lists: Sequence[Polled], hours: Mapping[str, Seen], now: float) -> None:
        """Rebuild the plan about once an hour and when the lists are others, and move its price towards the budget."""
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
