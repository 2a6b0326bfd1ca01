"""How a time is divided, and which periods stand out."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.features.attention.rules.peaks import MOST_PEAKS, find_peaks
from newsspider.features.attention.rules.periods import MOST_PERIODS, PeriodLength, day_number, latest_span, span_of
from tests.support.tables import each

DAYS = st.dates(date(1990, 1, 1), date(2090, 1, 1))


@given(DAYS, st.integers(0, 900), st.sampled_from(PeriodLength))
def test_every_day_asked_for_is_in_one_period(first: date, length: int, step: PeriodLength) -> None:
    span = span_of(first, first + timedelta(days=length), step)
    places = span.places()
    asked = {(first - date(1970, 1, 1)).days + number for number in range(length + 1)}
    assert asked <= places.keys()
    assert sorted(set(places.values())) == list(range(len(span.starts)))
    assert span.starts[0] <= first < span.starts[0] + timedelta(days=31)


def test_a_day_is_one_of_china() -> None:
    span = span_of(date(2026, 11, 1), date(2026, 11, 2), PeriodLength.DAY)
    moments = (datetime(2026, 10, 31, 15, 59, tzinfo=UTC), datetime(2026, 10, 31, 16, 0, tzinfo=UTC))
    places = [span.places().get(day_number(int(moment.timestamp()))) for moment in moments]
    assert places == [None, 0]
    assert span.since == moments[1]
    assert span.until - span.since == timedelta(days=2)


def test_nobody_draws_more_periods_than_a_chart_holds() -> None:
    with pytest.raises(ValueError, match="more than 1,000 periods"):
        span_of(date(2020, 1, 1), date(2020, 1, 1) + timedelta(days=MOST_PERIODS), PeriodLength.DAY)
    with pytest.raises(ValueError, match="is behind"):
        span_of(date(2026, 1, 2), date(2026, 1, 1), PeriodLength.MONTH)


@each(("step", "periods"), [(PeriodLength.DAY, 30), (PeriodLength.WEEK, 26), (PeriodLength.MONTH, 12)])
@each("today", [date(2026, 11, 25), date(2026, 12, 31), date(2028, 2, 29)])
def test_the_latest_periods_end_with_today(step: PeriodLength, periods: int, today: date) -> None:
    span = latest_span(today, step)
    assert len(span.starts) == periods
    assert span.starts[-1] <= today < span.end


@each(
    ("counts", "expected"),
    [
        ([], []),
        ([9, 9], []),
        ([0, 0, 2, 0, 0, 0, 0, 0, 0], []),  # two articles are chance
        ([0, 0, 0, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0], [3]),  # of equals the first
        ([20, 1, 1, 1, 1, 1, 1, 1], [0]),
        ([1, 1, 1, 1, 1, 1, 1, 20], [7]),
    ],
)
def test_a_peak_is_the_highest_of_its_neighbours_and_far_above_the_mean(counts: list[int], expected: list[int]) -> None:
    assert find_peaks(counts) == expected


def test_of_many_peaks_the_highest_are_named() -> None:
    counts = ([0] * 30 + [50]) * (MOST_PEAKS + 2)
    counts[30] = 49
    assert len(found := find_peaks(counts)) == MOST_PEAKS
    assert 30 not in found
