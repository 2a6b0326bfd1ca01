"""Learns when a site publishes: a factor for each hour of the day and day of the week, per site and common to all.

The polls of a list leave no gap, so the items found and the time observed in each hour give its factor without
knowing any rate. A new or quiet site gets the common profile; the more items it brings, the more its own counts.

:class:`Calendar` adds holidays and school terms: the weekday that a date counts as, and its factor. It is filled by
``sites/holidays.py``.

Sources: K. C. Sia, J. Cho and H.-K. Cho, "Efficient monitoring algorithm for fast news alerts" (TKDE 2007): posting
rates repeat daily, and profiles are worth more than rates; the shrinkage is the gamma-Poisson estimate of empirical
Bayes.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from operator import add
from typing import NamedTuple

from newsspider.core.scheduling.publication_rate import DAY, HOUR

HALF_HOUR = 1800.0  # seconds
HALVES_OF_DAY = 48  # half hours
EAST_8 = 8 * HOUR  # profiles are kept by the clock of Asia/Shanghai, which knows no summer time

ITEMS_OF_ALL_DAY = 0.35  # the common profile counts as this many expected items of an hour in a site's profile
ITEMS_OF_ALL_WEEK = 3.0  # and as this many of a day of the week
ITEMS_OF_NONE = 2.0  # the presumed profile counts as this many items in the common one
FORGOTTEN_SECONDS = 56 * DAY  # observations this old count 1 / e
LEAST_WEIGHT, MOST_WEIGHT = 0.005, 12.0
MOST_OF_POLL = 20  # items of one poll that count: a redesigned list says nothing about the hour

Span = tuple[float, float, int]  # a piece of time: seconds, factor, half hour of the week from Monday on


@dataclass(frozen=True, slots=True)
class Calendar:
    """The weekday that a day counts as (Monday: 0) and its factor; days are counted from 1970-01-01 in local time."""

    counts_as: Mapping[int, int] = field(default_factory=dict)
    factors: Mapping[int, float] = field(default_factory=dict)

    def weekday(self, day: int) -> tuple[int, float]:
        """The weekday that a day counts as, and its factor."""
        return self.counts_as.get(day, (day + 3) % 7), self.factors.get(day, 1.0)


PLAIN = Calendar()


@dataclass(frozen=True, slots=True)
class Observations:
    """A site's items and the hours observed, by hour and by weekday. The arrays are never changed."""

    day_items: array[float]
    day_hours: array[float]
    week_items: array[float]
    week_hours: array[float]
    at: float


_NO_HOURS, _NO_DAYS = array("d", [0.0] * 24), array("d", [0.0] * 7)
NO_OBSERVATIONS = Observations(_NO_HOURS, _NO_HOURS, _NO_DAYS, _NO_DAYS, 0.0)


@dataclass(frozen=True, slots=True)
class Profile:
    """The factors of the rate by hour of the day and day of the week; their products average 1.

    ``halves`` are the factors of half hours, interpolated between the middles of the hours. :func:`profile` computes
    them. The arrays are never changed; arrays instead of tuples, because the garbage collector would visit every
    number.
    """

    day: array[float]
    week: array[float]
    halves: array[float]
    calendar: Calendar = PLAIN

    def spans(self, start: float, end: float) -> Iterator[Span]:
        """The time from ``start`` to ``end`` in pieces of at most half an hour."""
        halves = self.halves
        day, half = divmod(int((start + EAST_8) // HALF_HOUR), HALVES_OF_DAY)
        until = (day * HALVES_OF_DAY + half + 1) * HALF_HOUR - EAST_8
        weekday, day_factor = self._of_day(day)
        place = weekday * HALVES_OF_DAY + half
        while until < end:
            yield until - start, halves[half] * day_factor, place
            start = until
            until += HALF_HOUR
            half += 1
            place += 1
            if half == HALVES_OF_DAY:
                day, half = day + 1, 0
                weekday, day_factor = self._of_day(day)
                place = weekday * HALVES_OF_DAY
        if start < end:
            yield end - start, halves[half] * day_factor, place

    def factors(self, start: float, count: int) -> list[float]:
        """The factors of ``count`` half hours; ``start`` begins one."""
        day, half = divmod(int((start + EAST_8) // HALF_HOUR), HALVES_OF_DAY)
        factors: list[float] = []
        while len(factors) < count:
            _, day_factor = self._of_day(day)
            factors += [factor * day_factor for factor in self.halves[half:]]
            day, half = day + 1, 0
        return factors[:count]

    def _of_day(self, day: int) -> tuple[int, float]:
        """The weekday that a day counts as, and its factor."""
        weekday, special = self.calendar.weekday(day)
        return weekday, self.week[weekday] * special


class Lesson(NamedTuple):
    """What a poll adds to the observations of its site: the time since the previous poll, and the number of items."""

    profile: Profile
    spans: Sequence[Span]
    now: float
    new: int


def active_seconds(spans: Sequence[Span]) -> float:
    """The seconds of average activity in an interval."""
    return sum(seconds * factor for seconds, factor, _ in spans)


def profile(day: Sequence[float], week: Sequence[float], calendar: Calendar = PLAIN) -> Profile:
    """The profile with these factors of the 24 hours and 7 days."""
    halves: list[float] = []
    for hour, factor in enumerate(day):
        here = 0.75 * factor
        halves += (here + 0.25 * day[hour - 1], here + 0.25 * day[(hour + 1) % 24])
    return Profile(array("d", day), array("d", week), array("d", halves), calendar)


# The prior profile: little at night, less at weekends.
PRESUMED = profile((0.3,) * 6 + (1.288,) * 17 + (0.3,), (1.12, 1.12, 1.12, 1.12, 1.12, 0.7, 0.7))


def observed(previous: Observations, profile: Profile, spans: Sequence[Span], now: float, new: int) -> Observations:
    """The observations after a poll that found ``new`` items in ``spans``, the time since the last poll. The items are
    spread over the hours by expectation."""
    previous = _faded(previous, now)
    day_items, day_hours = previous.day_items[:], previous.day_hours[:]
    week_items, week_hours = previous.week_items[:], previous.week_hours[:]
    share = min(new, MOST_OF_POLL) / active_seconds(spans) if new > 0 else 0.0
    for seconds, factor, place in spans:
        day, half = divmod(place, HALVES_OF_DAY)
        hour = half // 2
        if share:
            items = share * seconds * factor
            day_items[hour] += items
            week_items[day] += items
        day_hours[hour] += seconds / HOUR * profile.week[day]
        week_hours[day] += seconds / HOUR * profile.day[hour]
    return Observations(day_items, day_hours, week_items, week_hours, previous.at)


def text_of(observations: Observations) -> str:
    """Serialise a site's observations; :func:`observations_of` reads them."""
    parts = (observations.day_items, observations.day_hours, observations.week_items, observations.week_hours)
    rounded = [[round(number, 3) for number in part] for part in parts]
    return json.dumps([*rounded, observations.at], separators=(",", ":"))


def observations_of(text: str) -> Observations:
    """The observations from a stored text; none if it is empty."""
    if not text:
        return NO_OBSERVATIONS
    *parts, at = json.loads(text)
    day_items, day_hours, week_items, week_hours = (array("d", part) for part in parts[:4])  # older texts have a fifth
    return Observations(day_items, day_hours, week_items, week_hours, at)


def _faded(observations: Observations, now: float) -> Observations:
    """Older observations with less weight; updated once a day."""
    if now - observations.at < DAY:
        return observations
    weight = exp((observations.at - now) / FORGOTTEN_SECONDS) if observations.at else 1.0
    day_items, day_hours, week_items, week_hours = (
        array("d", [count * weight for count in part])
        for part in (observations.day_items, observations.day_hours, observations.week_items, observations.week_hours)
    )
    return Observations(day_items, day_hours, week_items, week_hours, now)


def common_profile(sites: Iterable[Observations], calendar: Calendar = PLAIN) -> Profile:
    """The common profile of all sites, weighted by their items."""
    sites = list(sites)
    day = _sums([(site.day_items, site.day_hours) for site in sites], 24)
    week = _sums([(site.week_items, site.week_hours) for site in sites], 7)
    return profile(
        _factors(*day, 1.0, PRESUMED.day, ITEMS_OF_NONE), _factors(*week, 1.0, PRESUMED.week, ITEMS_OF_NONE), calendar
    )


def _sums(sites: Iterable[tuple[Sequence[float], Sequence[float]]], count: int) -> tuple[list[float], list[float]]:
    """The items of all sites and those expected, by hour or day."""
    items, expected = [0.0] * count, [0.0] * count
    for site_items, hours in sites:
        rate = _mean_rate(site_items, hours)
        items = list(map(add, items, site_items))
        expected = [total + rate * watched for total, watched in zip(expected, hours, strict=True)]
    return items, expected


def profile_of(site: Observations, common: Profile) -> Profile:
    """The profile of a site: its own observations shrunk towards the common profile."""
    day_rate = _mean_rate(site.day_items, site.day_hours)
    week_rate = _mean_rate(site.week_items, site.week_hours)
    day = _factors(site.day_items, site.day_hours, day_rate, common.day, ITEMS_OF_ALL_DAY)
    week = _factors(site.week_items, site.week_hours, week_rate, common.week, ITEMS_OF_ALL_WEEK)
    return profile(day, week, common.calendar)


def _mean_rate(items: Sequence[float], hours: Sequence[float]) -> float:
    """Items an hour, as the mean over the hours of the day (days of the week), however long each was observed."""
    rates = [count / watched for count, watched in zip(items, hours, strict=True) if watched > 0.0]
    return sum(rates) / len(rates) if rates else 0.0


def _factors(
    items: Sequence[float], hours: Sequence[float], rate: float, common: Sequence[float], weight: float
) -> list[float]:
    """Observed over expected items at this rate, shrunk towards the common factors; their mean is 1."""
    raw = [
        (count + weight * usual) / (rate * watched + weight)
        for count, watched, usual in zip(items, hours, common, strict=True)
    ]
    mean = sum(raw) / len(raw)
    least, most = LEAST_WEIGHT * mean, MOST_WEIGHT * mean
    return [LEAST_WEIGHT if factor < least else MOST_WEIGHT if factor > most else factor / mean for factor in raw]
