"""When a site publishes: a factor for each hour of the day and each day of the week, learned a site and shared by all.

The polls of a list leave no gap, so the items found and the time watched of each hour tell its factor without knowing
any rate. A site that is new or quiet is taken for one like all others; the more it brings, the more it is taken for
itself.

Holidays and school terms are given: :class:`Calendar` says as which day of the week a date counts, and by which factor.

Sources: K. C. Sia, J. Cho and H.-K. Cho, "Efficient monitoring algorithm for fast news alerts" (TKDE 2007): posting
rates repeat by the day, and profiles are worth more than rates; the shrinking is the gamma-Poisson estimate of
empirical Bayes.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from math import exp
from operator import add

from newsspider.core.scheduling import full_hours
from newsspider.core.scheduling.full_hours import NO_TICKS, Span, Ticks, seconds_of
from newsspider.core.scheduling.publication_rate import DAY, HOUR

HALF = 1800.0
HALVES = 48  # of a day
EAST_8 = 8 * HOUR  # profiles are kept by the clock of Asia/Shanghai, which knows no summer time

ITEMS_OF_ALL_DAY = 0.35  # what all sites share weighs as so many expected items of an hour
ITEMS_OF_ALL_WEEK = 3.0  # and of a day of the week
ITEMS_OF_NONE = 2.0  # that an hour is like any other weighs so many items against what all sites tell
FORGOTTEN = 56 * DAY  # what was seen so long ago counts a third
LEAST, MOST = 0.005, 12.0
MOST_OF_POLL = 20  # items of one poll that count: a list that was made anew says nothing of the hour


@dataclass(frozen=True, slots=True)
class Calendar:
    """As which day of the week a day counts (Monday: 0), and its factor; days are counted from 1970-01-01, by local
    time."""

    counts_as: Mapping[int, int] = field(default_factory=dict)
    factors: Mapping[int, float] = field(default_factory=dict)

    def weekday(self, day: int) -> tuple[int, float]:
        """As which day of the week it counts, and its factor."""
        return self.counts_as.get(day, (day + 3) % 7), self.factors.get(day, 1.0)


PLAIN = Calendar()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a site brought in each hour of the day and each day of the week: items, and the hours watched of each; and
    on the full hour.

    The arrays are never changed.
    """

    day_items: array[float]
    day_hours: array[float]
    week_items: array[float]
    week_hours: array[float]
    ticks: Ticks
    at: float


_NO_HOURS, _NO_DAYS = array("d", [0.0] * 24), array("d", [0.0] * 7)
NOTHING = Seen(_NO_HOURS, _NO_HOURS, _NO_DAYS, _NO_DAYS, NO_TICKS, 0.0)


@dataclass(frozen=True, slots=True)
class Profile:
    """The factors by which the rate of a list differs from its mean: of the hours of the day, of the days of the week,
    of both.

    Between the middles of two hours the factor goes evenly from one to the other: ``halves`` are those of the half
    hours of the day. :func:`profile` makes them. The arrays are never changed; of tuples the garbage collector would
    visit each number, and of ten thousand lists and their sites there are many.
    """

    day: array[float]
    week: array[float]
    halves: array[float]
    calendar: Calendar = PLAIN
    tick: float = 0.0  # share of the items that comes on the full hour

    def days(self, spans: Sequence[Span]) -> float:
        """An interval in days of average business."""
        at, between = seconds_of(spans)
        return (self.tick * at + (1.0 - self.tick) * between) / DAY

    def spans(self, start: float, end: float) -> Iterator[Span]:
        """The time from ``start`` to ``end``, in parts of half an hour at most: seconds, factor, half hour of the
        week from Monday on."""
        halves = self.halves
        day, half = divmod(int((start + EAST_8) // HALF), HALVES)
        until = (day * HALVES + half + 1) * HALF - EAST_8
        weekday, of_day = self._of_day(day)
        place = weekday * HALVES + half
        while until < end:
            yield until - start, halves[half] * of_day, place
            start = until
            until += HALF
            half += 1
            place += 1
            if half == HALVES:
                day, half = day + 1, 0
                weekday, of_day = self._of_day(day)
                place = weekday * HALVES
        if start < end:
            yield end - start, halves[half] * of_day, place

    def factors(self, start: float, count: int) -> list[float]:
        """The factors of so many half hours; ``start`` is the beginning of one."""
        day, half = divmod(int((start + EAST_8) // HALF), HALVES)
        found: list[float] = []
        while len(found) < count:
            _, of_day = self._of_day(day)
            found += [each * of_day for each in self.halves[half:]]
            day, half = day + 1, 0
        return found[:count]

    def _of_day(self, day: int) -> tuple[int, float]:
        """As which day of the week a day counts, and its factor."""
        weekday, special = self.calendar.weekday(day)
        return weekday, self.week[weekday] * special


def profile(day: Sequence[float], week: Sequence[float], calendar: Calendar = PLAIN, tick: float = 0.0) -> Profile:
    """The profile of these factors of the 24 hours and the 7 days, and of this share on the full hour."""
    halves: list[float] = []
    for hour, factor in enumerate(day):
        here = 0.75 * factor
        halves += (here + 0.25 * day[hour - 1], here + 0.25 * day[(hour + 1) % 24])
    return Profile(array("d", day), array("d", week), array("d", halves), calendar, tick)


# What is presumed of newsrooms before any was watched: little by night, less at the weekend.
PRESUMED = profile((0.3,) * 6 + (1.288,) * 17 + (0.3,), (1.12, 1.12, 1.12, 1.12, 1.12, 0.7, 0.7))


def seen(
    before: Seen, profile: Profile, spans: Sequence[Span], now: float, new: int, moments: Sequence[float] = ()
) -> Seen:
    """What is known of a site after a poll ``now`` that found ``new`` items of the time of these spans, all since the
    last poll.

    ``moments``: when they appeared, of those that say it. The others are shared out among the hours by what is expected
    of them.
    """
    before = _faded(before, now)
    new = min(new, max(MOST_OF_POLL, len(moments)))
    day_items, day_hours = before.day_items[:], before.day_hours[:]
    week_items, week_hours = before.week_items[:], before.week_hours[:]
    for moment in moments:
        day, half = divmod(int((moment + EAST_8) // HALF), HALVES)
        day_items[half // 2] += 1.0
        week_items[profile.calendar.weekday(day)[0]] += 1.0
    unplaced = new - len(moments)
    share = unplaced / seconds_of(spans)[1] if unplaced > 0 else 0.0
    for seconds, factor, place in spans:
        day, half = divmod(place, HALVES)
        hour = half // 2
        if share:
            items = share * seconds * factor
            day_items[hour] += items
            week_items[day] += items
        day_hours[hour] += seconds / HOUR * profile.week[day]
        week_hours[day] += seconds / HOUR * profile.day[hour]
    on_the_hour = full_hours.learned(before.ticks, spans, new)
    return Seen(day_items, day_hours, week_items, week_hours, on_the_hour, before.at)


def text_of(seen: Seen) -> str:
    """What is known of a site as a text to be stored; :func:`seen_of` reads it."""
    parts = (seen.day_items, seen.day_hours, seen.week_items, seen.week_hours, astuple(seen.ticks))
    return json.dumps([[round(each, 3) for each in part] for part in parts] + [seen.at], separators=(",", ":"))


def seen_of(text: str) -> Seen:
    """What a stored text tells of a site; nothing, if it is empty."""
    if not text:
        return NOTHING
    *parts, at = json.loads(text)
    *counts, on_the_hour = parts
    day_items, day_hours, week_items, week_hours = (array("d", each) for each in counts)
    return Seen(day_items, day_hours, week_items, week_hours, Ticks(*on_the_hour), at)


def _faded(seen: Seen, now: float) -> Seen:
    """What was seen long ago counts less; worked out once a day."""
    if now - seen.at < DAY:
        return seen
    kept = exp((seen.at - now) / FORGOTTEN) if seen.at else 1.0
    day_items, day_hours, week_items, week_hours = (
        array("d", [each * kept for each in part])
        for part in (seen.day_items, seen.day_hours, seen.week_items, seen.week_hours)
    )
    return Seen(day_items, day_hours, week_items, week_hours, seen.ticks.times(kept), now)


def shared(sites: Iterable[Seen], calendar: Calendar = PLAIN) -> Profile:
    """What all sites have in common, each weighing as the items it brought."""
    sites = list(sites)
    day = _sums([(site.day_items, site.day_hours) for site in sites], 24)
    week = _sums([(site.week_items, site.week_hours) for site in sites], 7)
    return profile(
        _factors(*day, 1.0, PRESUMED.day, ITEMS_OF_NONE), _factors(*week, 1.0, PRESUMED.week, ITEMS_OF_NONE), calendar
    )


def _sums(sites: Iterable[tuple[Sequence[float], Sequence[float]]], count: int) -> tuple[list[float], list[float]]:
    """The items of all sites, and those expected of them."""
    items, expected = [0.0] * count, [0.0] * count
    for found, hours in sites:
        rate = _mean_rate(found, hours)
        items = list(map(add, items, found))
        expected = [each + rate * watched for each, watched in zip(expected, hours, strict=True)]
    return items, expected


def profile_of(site: Seen, common: Profile) -> Profile:
    """The profile of one site: its own, as far as it is known, and what all sites have in common."""
    day_rate = _mean_rate(site.day_items, site.day_hours)
    week_rate = _mean_rate(site.week_items, site.week_hours)
    day = _factors(site.day_items, site.day_hours, day_rate, common.day, ITEMS_OF_ALL_DAY)
    week = _factors(site.week_items, site.week_hours, week_rate, common.week, ITEMS_OF_ALL_WEEK)
    return profile(day, week, common.calendar, site.ticks.share)


def _mean_rate(items: Sequence[float], hours: Sequence[float]) -> float:
    """Items an hour, each hour of the day (day of the week) counting alike, however long it was watched."""
    rates = [found / watched for found, watched in zip(items, hours, strict=True) if watched > 0.0]
    return sum(rates) / len(rates) if rates else 0.0


def _factors(
    items: Sequence[float], hours: Sequence[float], rate: float, common: Sequence[float], weight: float
) -> list[float]:
    """The items found over those expected at this rate, shrunk to what is common; their mean is 1."""
    raw = [
        (found + weight * usual) / (rate * watched + weight)
        for found, watched, usual in zip(items, hours, common, strict=True)
    ]
    mean = sum(raw) / len(raw)
    least, most = LEAST * mean, MOST * mean
    return [LEAST if each < least else MOST if each > most else each / mean for each in raw]
