"""Finds stale sources: decides whether a channel that is read well has stopped publishing.

Time is counted in expected articles: by the channel's own rate and the hours and weekdays of its site. No time passes
on public holidays, when many sites rest altogether, and half of it in school holidays. A channel is silent if more
articles are missing than any pause of its last eight weeks explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from newsspider.core.scheduling.publication_profile import EAST_8, HALF_HOUR, HALVES_OF_DAY, Calendar, Profile
from newsspider.core.scheduling.publication_rate import DAY
from newsspider.features.health.rules.channel_day import ChannelDay

WEEKS_COMPARED = 8
LEAST_DAYS = 28  # of history
LEAST_NEW = 8  # articles in it
RECENT_DAYS = 14  # a channel that brings less of late is expected to bring less
ARTICLES_MISSING = 9.0  # articles that are expected and missing: by chance once in 8,000 pauses
PAUSE_TIMES = 1.6  # times the longest pause so far, and by 1 / weeks more: a short past has shown few of them
MOST_OF_DAY = 4.0  # times the mean of a day: more means that the list was rebuilt
BLOCK_DAYS, REST_DAYS = 3, 8  # a holiday of three days is one of a week, with the weekends that belong to it
SCHOOL_HOLIDAY = 0.5
SUNDAY = 6
LEAST_HALVES = 40  # half hours without news: a day that begins late is none
PEAK_TIMES = 4.0  # times the mean of a day that an hour brings at most


class Silence(NamedTuple):
    """Since when nothing new came, how many articles were expected since then, and how many may be missing."""

    since: float
    expected: float
    allowed: float

    @property
    def is_long(self) -> bool:
        """Whether it is longer than any pause explains."""
        return self.expected >= self.allowed


def calendar_with_rest_days(calendar: Calendar) -> Calendar:
    """The calendar with public holidays and the days around long ones as days without news.

    The days around are added because of years whose holidays the state has not announced: only those of the law are
    known.
    """
    days = sorted(day for day, counts in calendar.counts_as.items() if counts == SUNDAY)
    factors = dict.fromkeys(calendar.factors, SCHOOL_HOLIDAY)
    for block in _blocks(days):
        length = len(block)
        days_off = REST_DAYS if length >= BLOCK_DAYS else length
        for day in range(block[0] - (length >= BLOCK_DAYS), max(block[-1] + 1, block[0] + days_off)):
            if calendar.counts_as.get(day, SUNDAY) == SUNDAY:  # a make-up workday is none of them
                factors[day] = 0.0
    return replace(calendar, factors=factors)


def _blocks(days: Sequence[int]) -> Iterator[list[int]]:
    """Holidays with no more than a weekend between them."""
    block: list[int] = []
    for day in days:
        if block and day - block[-1] > 3:
            yield block
            block = []
        block.append(day)
    if block:
        yield block


def silence_of_channel(days: Sequence[ChannelDay], profile: Callable[[], Profile]) -> Silence | None:
    """How long a channel has brought nothing; ``None`` if too little is known of it, or if it is surely not silent.

    ``profile`` returns that of its site, with a calendar of :func:`calendar_with_rest_days`; it is not called for most
    healthy channels.
    """
    last = max((day.day for day in days if day.new_slots), default=None)
    watched = [day for day in days if day.good_slots]
    if last is None or not watched:
        return None
    past = [day for day in watched if last - 7 * WEEKS_COMPARED <= day.day <= last]
    past = past[1:]  # on its first day it was not watched from the morning
    if len(past) < LEAST_DAYS or sum(day.new for day in past) < LEAST_NEW:
        return None
    today = next(day for day in days if day.day == last)
    halves = (watched[-1].day - last) * HALVES_OF_DAY + _last(watched[-1].good_slots) - _last(today.new_slots)
    if halves < LEAST_HALVES or PEAK_TIMES * halves / HALVES_OF_DAY * max(day.new for day in past) < ARTICLES_MISSING:
        return None  # a pause of a few hours, as most healthy channels have
    of_site = profile()
    activity = {day.day: _activity(of_site, day.day) for day in watched}
    rate = _rate(past, activity)
    pauses = [pause * rate for pause in _pauses(watched, last, activity)]
    if rate <= 0.0 or not pauses:
        return None
    *closed, open_pause = pauses
    allowed = max(ARTICLES_MISSING, PAUSE_TIMES * (1 + 7 / len(past)) * max(closed, default=0.0))
    since = last * DAY - EAST_8 + (_last(today.new_slots) + 1) * HALF_HOUR
    return Silence(since, open_pause, allowed)


def _activity(profile: Profile, day: int) -> list[float]:
    """The share of an average day in each half hour of a day."""
    return [factor / HALVES_OF_DAY for factor in profile.factors(day * DAY - EAST_8, HALVES_OF_DAY)]


def _rate(past: Sequence[ChannelDay], activity: Mapping[int, Sequence[float]]) -> float:
    """Articles of an average day: the mean of the last weeks, or that of the last days if it is less."""
    return min(_mean(past, activity), _mean(past[-RECENT_DAYS:], activity))


def _mean(past: Sequence[ChannelDay], activity: Mapping[int, Sequence[float]]) -> float:
    total = sum(sum(activity[day.day]) for day in past)
    if total <= 0.0:
        return 0.0
    mean = sum(day.new for day in past) / total
    most = MOST_OF_DAY * max(mean, 1.0)
    return sum(min(day.new, most) for day in past) / total


def _pauses(watched: Sequence[ChannelDay], last: int, activity: Mapping[int, Sequence[float]]) -> Iterator[float]:
    """The pauses between articles, in days of average activity; the last one is open."""
    pause, begun = 0.0, False
    for day in watched:
        end = _last(day.good_slots) + 1  # behind the last good poll nobody knows
        for slot, share in enumerate(activity[day.day][:end]):
            if day.new_slots >> slot & 1:
                if begun:
                    yield pause
                pause, begun = 0.0, True
            else:
                pause += share
    yield pause


def _last(slots: int) -> int:
    """The last of the half hours."""
    return slots.bit_length() - 1
