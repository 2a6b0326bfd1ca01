"""Public holidays, make-up workdays and school holidays, as the days that schedule lists."""

import subprocess
import sys
from datetime import UTC, date, datetime

import pytest
from holidays import country_holidays

from newsspider.core.scheduling.publication_profile import Calendar
from newsspider.sites.holidays import SCHOOL_HOLIDAY_FACTOR, SUNDAY, WORKDAY, calendar_of
from tests.support.tables import each

NOW = datetime(2026, 6, 1, tzinfo=UTC).timestamp()


def number(*day: int) -> int:
    return (date(*day) - date(1970, 1, 1)).days


def day_of_week(calendar: Calendar, *day: int) -> int:
    return calendar.weekday(number(*day))[0]


def test_holidays_count_as_sundays_and_make_up_workdays_as_workdays() -> None:
    calendar = calendar_of("CN", (), NOW)
    assert day_of_week(calendar, 2026, 10, 1) == SUNDAY  # a Thursday, National Day
    assert day_of_week(calendar, 2026, 10, 10) == WORKDAY  # a Saturday on which people work for it
    assert day_of_week(calendar, 2026, 6, 3) == 2
    assert day_of_week(calendar, 2026, 6, 6) == 5


def test_without_a_country_no_day_is_a_holiday() -> None:
    assert day_of_week(calendar_of("", (), NOW), 2026, 10, 1) == 3


def test_school_holidays_have_a_factor_also_over_the_turn_of_the_year() -> None:
    factors = calendar_of("", ("07-10/08-31", "12-25/01-05"), NOW).factors
    for day in ((2026, 7, 10), (2026, 8, 31), (2026, 12, 31), (2027, 1, 5)):
        assert factors[number(*day)] == SCHOOL_HOLIDAY_FACTOR
    assert number(2026, 7, 9) not in factors
    assert number(2026, 9, 1) not in factors


@each(("country", "school", "message"), [("XX", "07-10/08-31", "XX"), ("", "July", "July"), ("", "02-30/03-01", "day")])
def test_countries_and_days_that_do_not_exist_are_refused(country: str, school: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        calendar_of(country, (school,), NOW)


PROGRAM = """
import sys
from newsspider.sites.holidays import calendar_of
print(*(len(calendar_of(country, (), 1.8e9).counts_as) for country in ("CN", "TW", "HK", "AX")))
print(any(name.startswith("holidays.countries.germany") for name in sys.modules))
from holidays import country_holidays
print(all(country_holidays(country, years=2027) for country in ("CN", "AX", "DE")))
"""


def test_the_holidays_of_one_country_do_not_load_those_of_all_others() -> None:
    process = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    counts, others, later = process.stdout.splitlines()
    calendars = [calendar_of(country, (), 1.8e9).counts_as for country in ("CN", "TW", "HK", "AX")]
    assert counts == " ".join(str(len(days)) for days in calendars)
    assert others == "False"
    assert later == "True", "the package works for everybody else, as it does"
    for country, days in zip(("CN", "TW", "HK", "AX"), calendars, strict=True):
        whole = country_holidays(country, years=range(2026, 2030))
        assert {(day - date(1970, 1, 1)).days for day in whole} == {day for day, counts in days.items() if counts == SUNDAY}


THREADS = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from newsspider.sites.holidays import calendar_of
CODES = ("CN", "TW", "HK", "DE", "FR", "JP")
start = Barrier(len(CODES))
def count(country):
    start.wait()
    return len(calendar_of(country, (), 1.8e9).counts_as)
with ThreadPoolExecutor(len(CODES)) as pool:
    print(all(pool.map(count, CODES)))
"""


def test_calendars_may_be_asked_for_by_several_threads_at_once() -> None:
    process = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, check=False)
    assert (process.stdout, process.stderr) == ("True\n", "")
