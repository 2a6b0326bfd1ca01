"""The calendar by which sites publish: public holidays with their make-up workdays, and school holidays."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from types import ModuleType
from typing import Any, NamedTuple, Self

from newsspider.core.scheduling.publication_profile import Calendar

SUNDAY, WORKDAY = 6, 2  # the days of the week that holidays and make-up workdays count as
YEARS_BEHIND, YEARS_AHEAD = 1, 2
SCHOOL_HOLIDAY_FACTOR = 0.8  # assumed until the rate of a list is learned, within days
_IMPORTING = Lock()  # held while a package stands in for itself
_EPOCH = date(1970, 1, 1)
_SPAN = re.compile(r"(\d\d)-(\d\d)/(\d\d)-(\d\d)")


class Holidays(NamedTuple):
    """The settings ``HOLIDAYS`` and ``SCHOOL_HOLIDAYS``."""

    country: str = ""
    school: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: Any) -> Self:
        return cls(settings["HOLIDAYS"], tuple(settings.getlist("SCHOOL_HOLIDAYS")))


NO_HOLIDAYS = Holidays()


def calendar_of(country: str, school: Iterable[str], now: float) -> Calendar:
    """The calendar of the years around ``now``: the holidays of a ``country`` (ISO 3166; empty: none) and the school
    holidays of every year as ``MM-DD/MM-DD``, first and last day. Raises ``ValueError`` for a country or a day that
    does not exist."""
    this = datetime.fromtimestamp(now, UTC).year
    years = range(this - YEARS_BEHIND, this + YEARS_AHEAD + 1)
    factors = {day: SCHOOL_HOLIDAY_FACTOR for span in school for year in years for day in _days(span, year)}
    return Calendar(_counts_as(country, years), factors)


@lru_cache(maxsize=4)  # cache: the public holidays of a country
def _counts_as(country: str, years: range) -> dict[int, int]:
    if not country:
        return {}
    from holidays import country_holidays

    try:
        with _IMPORTING:
            holidays = (_class_of(country) or partial(country_holidays, country))(years=years)
    except NotImplementedError as error:
        raise ValueError(str(error)) from None
    days = {_number(day): SUNDAY for day in holidays}
    return days | {_number(day): WORKDAY for day in getattr(holidays, "weekend_workdays", ()) if day.year in years}


def _class_of(country: str) -> Any:
    """The holidays of a country without those of 200 others, which its package imports: 8 MB and 0.1 s of CPU less.
    ``None``: it is to be asked for all the same."""
    from holidays.registry import COUNTRIES

    spec, name = find_spec("holidays.countries"), next((n for n, codes in COUNTRIES.items() if country in codes), "")
    if not name or spec is None or spec.name in sys.modules:
        return None
    bare = ModuleType(spec.name)  # the package without what its __init__.py imports
    bare.__path__ = spec.submodule_search_locations or []
    sys.modules[spec.name] = bare
    try:
        return getattr(import_module(f"{spec.name}.{name}"), country)
    finally:
        del sys.modules[spec.name]


def _days(span: str, year: int) -> Iterator[int]:
    match = _SPAN.fullmatch(span)
    if match is None:
        raise ValueError(f"{span!r} is not MM-DD/MM-DD")
    month, day, last_month, last_day = map(int, match.groups())
    first, last = date(year, month, day), date(year, last_month, last_day)
    if last < first:  # over the turn of the year
        last = date(year + 1, last_month, last_day)
    while first <= last:
        yield _number(first)
        first += timedelta(1)


def _number(day: date) -> int:
    return (day - _EPOCH).days
