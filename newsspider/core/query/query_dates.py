"""Reads the dates that people give commands and queries: days, minutes, and spans back from now."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from newsspider.core.dates.time_and_zone import SHANGHAI

ZONE = SHANGHAI  # of a date without an offset
OFFSET_SECONDS = 8 * 3_600  # of that zone before UTC, in all years that have web pages
DAY_SECONDS = 86_400
OLDEST_YEAR_ASKED = 1900  # no page is older by far, and the calendar of Python ends in the year 1
EXAMPLES = "2026-11-01, 2026-11-01T08:30, today, yesterday, 3h, 3d, 1w or 2y"

_SPAN = re.compile(r"(\d{1,5})([hdwy])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24}
_DAYS_AGO = {"today": 0, "yesterday": 1}


def date_of(now: float) -> date:
    """The day in China.

    >>> date_of(1_800_000_000.0).isoformat()
    '2027-01-15'
    """
    return datetime.fromtimestamp(now, ZONE).date()


def midnight_of(now: datetime) -> datetime:
    """The beginning of a moment's day in China.

    >>> midnight_of(datetime(2026, 11, 25, 9, 0, tzinfo=ZONE)).isoformat()
    '2026-11-25T00:00:00+08:00'
    """
    return now.astimezone(ZONE).replace(hour=0, minute=0, second=0, microsecond=0)


def is_day_alone(published_at: float) -> bool:
    """Whether a time of publication (seconds) is midnight in China, which stands for a page that states only a day.

    >>> is_day_alone(1_800_000_000.0), is_day_alone(1_800_028_800.0)
    (False, True)
    """
    return (published_at + OFFSET_SECONDS) % DAY_SECONDS == 0


def is_day(when: datetime) -> bool:
    """The same of a time with an offset."""
    return is_day_alone(when.timestamp())


def publication_text(when: datetime, form: str = "%Y-%m-%d %H:%M") -> str:
    """A time of publication in China as people read it, a day alone without hour and minute.

    >>> [publication_text(datetime(2026, 11, 25, hour, tzinfo=ZONE), form) for hour in (0, 9) for form in ("%m-%d %H:%M", "%H:%M")]
    ['11-25', '', '11-25 09:00', '09:00']
    """
    return when.astimezone(ZONE).strftime(form.replace("%H:%M", "").strip() if is_day(when) else form)


def moment_of(written: str, now: datetime, *, last: bool) -> datetime:
    """The moment at which this date begins, or the first one after it; China's time if it has no offset. A span such
    as ``3h`` is the moment that long before ``now``.

    Raises :exc:`ValueError` or :exc:`OverflowError` if it is none of these, or before :data:`OLDEST_YEAR_ASKED`.

    >>> now = datetime(2026, 11, 25, 9, 0, tzinfo=ZONE)
    >>> [moment_of(date, now, last=True).isoformat() for date in ("2026-11-01", "2026-11-01T08:30", "yesterday", "3h")]
    ['2026-11-02T00:00:00+08:00', '2026-11-01T08:31:00+08:00', '2026-11-25T00:00:00+08:00', '2026-11-25T06:00:00+08:00']
    """
    moment = _moment(written.strip(), now, last=last)
    if moment.year < OLDEST_YEAR_ASKED:
        raise ValueError(f"{written} is before {OLDEST_YEAR_ASKED}")
    return moment


def _moment(written: str, now: datetime, *, last: bool) -> datetime:
    if span := _SPAN.fullmatch(written):
        return now - timedelta(hours=int(span[1]) * _HOURS[span[2]])
    if written.lower() in _DAYS_AGO:
        return midnight_of(now) + timedelta(days=last - _DAYS_AGO[written.lower()])
    moment = datetime.fromisoformat(written)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=ZONE)
    step = timedelta(days=1) if len(written) <= len("2026-11-01") else timedelta(minutes=1)
    return moment + step if last else moment
