"""The calendar by which sites publish: public holidays and their make-up workdays, and the holidays of schools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from newsspider.core.scheduling.publication_profile import Calendar

SUNDAY, WORKDAY = 6, 2  # as these days of the week they count
YEARS_BEHIND, YEARS_AHEAD = 1, 2
SCHOOL_HOLIDAY_FACTOR = 0.8  # presumed; what a list brings indeed is learned in days
_EPOCH = date(1970, 1, 1)
_SPAN = re.compile(r"(\d\d)-(\d\d)/(\d\d)-(\d\d)")


def calendar_of(country: str, school: Iterable[str], now: float) -> Calendar:
    """The calendar of the years around a moment: of a ``country`` (ISO 3166, none if empty), and with school
    holidays as ``MM-DD/MM-DD``, first and last day, of every year. Raises ``ValueError`` for a country or a day that
    does not exist."""
    this = datetime.fromtimestamp(now, UTC).year
    years = range(this - YEARS_BEHIND, this + YEARS_AHEAD + 1)
    factors = {day: SCHOOL_HOLIDAY_FACTOR for told in school for year in years for day in _days(told, year)}
    return Calendar(_counts_as(country, years), factors)


@lru_cache(maxsize=4)  # asked for when the settings are checked, and when the first plan is made
def _counts_as(country: str, years: range) -> dict[int, int]:
    if not country:
        return {}
    from holidays import country_holidays  # it takes a quarter of a second

    try:
        found = country_holidays(country, years=years)
    except NotImplementedError as error:
        raise ValueError(str(error)) from None
    days = {_number(day): SUNDAY for day in found}
    return days | {_number(day): WORKDAY for day in getattr(found, "weekend_workdays", ()) if day.year in years}


def _days(told: str, year: int) -> Iterator[int]:
    match = _SPAN.fullmatch(told)
    if match is None:
        raise ValueError(f"{told!r} is no MM-DD/MM-DD")
    month, day, last_month, last_day = map(int, match.groups())
    first, last = date(year, month, day), date(year, last_month, last_day)
    if last < first:  # over the turn of the year
        last = date(year + 1, last_month, last_day)
    while first <= last:
        yield _number(first)
        first += timedelta(1)


def _number(day: date) -> int:
    return (day - _EPOCH).days
