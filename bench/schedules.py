"""The schedules that ours is compared with: fixed and proportional intervals, and three that crawlers ship, by their documented constants.

A schedule is told what a poll found and says when the list is due next. The peers know nothing of weights, and nothing of a
budget either, so they are given a clock of their own: whenever the budget has a request, the list that is due first on that
clock is polled, and the clock moves on to that moment. So each asks exactly as often as the budget allows, with the ratios
between its intervals as its rules make them, whatever unit its constants are in.

Rules and constants: Apache Nutch, ``AdaptiveFetchSchedule`` and ``nutch-default.xml``; Apache StormCrawler,
``AdaptiveScheduler``; Media Cloud, rss-fetcher, ``fetcher/tasks.py`` and ``fetcher/config.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


@dataclass(frozen=True, slots=True)
class Found:
    """What a poll found: new items of those the list shows (``full``: no other), whether the site answered, when they appeared."""

    new: int
    shown: int
    full: bool
    answered: bool
    first: bool = False  # all that the list shows is new, then, and says nothing
    moments: tuple[float, ...] = ()


class Schedule(Protocol):
    """Says when each list is due."""

    own_clock: bool  # whether its intervals are stretched to the budget from outside

    def polled(self, number: int, now: float, result: Found) -> float:
        """When a list that was polled now is due again."""


@dataclass(slots=True)
class Fixed:
    """Every list after the same interval."""

    interval: float = HOUR
    own_clock: bool = True

    def polled(self, number: int, now: float, result: Found) -> float:
        return now + self.interval


class Proportional:
    """Every list as often as it brings an item, as far as that is known: items seen over time watched, one item more each."""

    own_clock = True

    def __init__(self, lists: int) -> None:
        self.items = [1.0] * lists
        self.since: list[float | None] = [None] * lists

    def polled(self, number: int, now: float, result: Found) -> float:
        since = self.since[number]
        if since is None:
            self.since[number] = now
            return now + HOUR
        self.items[number] += result.new
        return now + (now - since + DAY / 8) / self.items[number]


@dataclass(frozen=True, slots=True)
class Nutch:
    """``db.fetch.schedule.adaptive.*`` and ``db.fetch.interval.default`` as shipped."""

    increase: float = 0.4
    decrease: float = 0.2
    shortest: float = 60.0
    longest: float = 365 * DAY
    default: float = 30 * DAY
    follow: float = 0.3  # sync_delta_rate


class NutchAdaptive:
    """Interval x (1 - 0.2) after a change, x (1 + 0.4) after none; then at least the age of the last change, 0.3 of it earlier."""

    own_clock = True

    def __init__(self, lists: int, rules: Nutch = Nutch()) -> None:
        self.rules = rules
        self.interval = [rules.default] * lists
        self.changed = [0.0] * lists

    def polled(self, number: int, now: float, result: Found) -> float:
        rules = self.rules
        if not result.answered:
            return now + self.interval[number]
        interval, age = self.interval[number], now - self.changed[number]
        if result.new or result.first:
            interval *= 1.0 - rules.decrease
            self.changed[number], age = now, 0.0
        else:
            interval = max(interval * (1.0 + rules.increase), age)
        self.interval[number] = interval = min(max(interval, rules.shortest), rules.longest)
        return now + max(interval - age * rules.follow, interval * (1.0 - rules.follow))


@dataclass(frozen=True, slots=True)
class Storm:
    """``scheduler.adaptive.fetchInterval.*`` and ``fetchInterval.default``, in minutes, as shipped."""

    increase: float = 0.5
    decrease: float = 0.5
    shortest: int = 60
    longest: int = 20160
    default: int = 1440


class StormAdaptive:
    """Half way to the shortest interval after a change, x 1.5 after none, in whole minutes."""

    own_clock = True

    def __init__(self, lists: int, rules: Storm = Storm()) -> None:
        self.rules = rules
        self.interval = [rules.default] * lists

    def polled(self, number: int, now: float, result: Found) -> float:
        rules, interval = self.rules, self.interval[number]
        if result.first:
            pass  # the first signature only
        elif not result.answered:
            interval = rules.default
        elif result.new:
            interval = int((1.0 - rules.decrease) * interval + rules.decrease * rules.shortest)
        else:
            interval = min(int(interval * (1.0 + rules.increase)), rules.longest)
        self.interval[number] = interval
        return now + interval * MINUTE


@dataclass(frozen=True, slots=True)
class Cloud:
    """``AUTO_ADJUST_*`` and ``DEFAULT_INTERVAL_MINS``, in minutes and per cent, as shipped."""

    default: int = 360
    shortest: int = 10
    longest: int = 1440
    step_down: int = 60
    step_up: int = 10  # 60 after 31 days without a story
    quiet_days: int = 31
    step_up_quiet: int = 60
    few_duplicates: float = 33.0
    many_duplicates: float = 67.0


class CloudAdaptive:
    """Longer by minutes where two thirds of a list are known already, shorter where less than a third is."""

    own_clock = True

    def __init__(self, lists: int, rules: Cloud = Cloud()) -> None:
        self.rules = rules
        self.minutes = [rules.default] * lists
        self.last_new = [0.0] * lists

    def polled(self, number: int, now: float, result: Found) -> float:
        rules, minutes = self.rules, self.minutes[number]
        if result.answered and not result.first:
            if result.new:
                self.last_new[number] = now
            duplicates = 100.0 * (result.shown - result.new) / result.shown if result.shown else 102.0
            if duplicates >= rules.many_duplicates:
                quiet = now - self.last_new[number] > (rules.quiet_days + 1) * DAY and duplicates >= 100
                minutes = min(minutes + (rules.step_up_quiet if quiet else rules.step_up), rules.longest)
            elif duplicates < rules.few_duplicates:
                shorter = rules.default if minutes > rules.default else minutes - rules.step_down
                minutes = max(shorter, rules.shortest)
        self.minutes[number] = minutes
        return now + minutes * MINUTE
