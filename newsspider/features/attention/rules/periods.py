"""Divides a time into days, weeks or months of China. ``attention_arguments.py`` says how many are shown at least."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from enum import StrEnum
from itertools import pairwise

from newsspider.core.query.query_dates import DAY_SECONDS, OFFSET_SECONDS

MOST_PERIODS = 1_000
EPOCH = date(1970, 1, 1)
# seconds between marks of an axis
SPANS_OF_MARKS = (600, 3_600, 3 * 3_600, 6 * 3_600, *(days * DAY_SECONDS for days in (1, 2, 7, 30, 90, 365)))
CHINA = timezone(timedelta(seconds=OFFSET_SECONDS))  # without the summer time of 1986 to 1991


class PeriodLength(StrEnum):
    """The length of a period."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


# up to now, if nobody says since when
PERIODS_SHOWN = {PeriodLength.DAY: 30, PeriodLength.WEEK: 26, PeriodLength.MONTH: 12}


@dataclass(frozen=True, slots=True)
class Span:
    """Whole periods, one behind the other: the day on which each begins, and the day behind the last one."""

    step: PeriodLength
    starts: tuple[date, ...]
    end: date

    @property
    def since(self) -> datetime:
        """The moment at which the first period begins."""
        return self.moments()[0]

    @property
    def until(self) -> datetime:
        """The moment at which the last period is over."""
        return self.moments()[-1]

    def moments(self) -> list[datetime]:
        """The moments at which each period begins and the last one is over."""
        return [datetime(day.year, day.month, day.day, tzinfo=CHINA) for day in (*self.starts, self.end)]

    def places(self) -> dict[int, int]:
        """The place of the period of each day; days are counted from the epoch, as :func:`day_number` does."""
        return {
            day: place
            for place, (first, behind) in enumerate(pairwise([*self.starts, self.end]))
            for day in range((first - EPOCH).days, (behind - EPOCH).days)
        }


def day_number(moment: int) -> int:
    """The day in China of a moment in seconds since the epoch, counted from 1970-01-01."""
    return (moment + OFFSET_SECONDS) // DAY_SECONDS


def span_of(first: date, last: date, step: PeriodLength) -> Span:
    """The whole periods from that of the first day to that of the last one.

    Raises :exc:`ValueError` if there are more than :data:`MOST_PERIODS`, or if the last day is before the first.

    >>> span = span_of(date(2026, 10, 30), date(2026, 11, 9), PeriodLength.WEEK)
    >>> [str(day) for day in (*span.starts, span.end)]
    ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16']
    """
    if last < first:
        raise ValueError(f"{first} is behind {last}")
    starts = [start_of(first, step)]
    while (following := next_start(starts[-1], step)) <= last:
        starts.append(following)
        if len(starts) > MOST_PERIODS:
            raise ValueError(f"more than {MOST_PERIODS:,} periods; ask by week or month, or for less time")
    return Span(step, tuple(starts), following)


def latest_span(today: date, step: PeriodLength) -> Span:
    """The last :data:`PERIODS_SHOWN` periods up to this day."""
    first = start_of(today, step)
    for _ in range(PERIODS_SHOWN[step] - 1):
        first = start_of(first - timedelta(days=1), step)
    return span_of(first, today, step)


def start_of(day: date, step: PeriodLength) -> date:
    """The first day of the period that a day is in; a week begins on Monday."""
    if step is PeriodLength.WEEK:
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if step is PeriodLength.MONTH else day


def next_start(start: date, step: PeriodLength) -> date:
    """The first day of the period behind the one that begins on this day.

    >>> str(next_start(date(2026, 12, 1), PeriodLength.MONTH)), str(next_start(date(2026, 12, 1), PeriodLength.DAY))
    ('2027-01-01', '2026-12-02')
    """
    if step is PeriodLength.MONTH:
        return (start + timedelta(days=31)).replace(day=1)
    return start + timedelta(days=7 if step is PeriodLength.WEEK else 1)


def time_marks(first: int, last: int) -> list[tuple[int, str]]:
    """Up to eight round moments of China between two, in seconds since the epoch, each with its name for an axis.

    >>> [name for _, name in time_marks(1_764_000_000, 1_764_060_000)]
    ['11-25 00:00', '11-25 03:00', '11-25 06:00', '11-25 09:00', '11-25 12:00', '11-25 15:00']
    """
    apart = next((span for span in SPANS_OF_MARKS if (last - first) // span < 7), (last - first) // 7 or 1)
    begin = -(-(first + OFFSET_SECONDS) // apart) * apart - OFFSET_SECONDS
    form = "%m-%d %H:%M" if apart < DAY_SECONDS else "%m-%d" if last - first < 300 * DAY_SECONDS else "%Y-%m-%d"
    return [(moment, datetime.fromtimestamp(moment, CHINA).strftime(form)) for moment in range(begin, last + 1, apart)]
