"""When sites publish: learned from polls, shared between sites, on holidays, and as factors of half hours."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.scheduling.publication_profile import (
    HALF_HOUR,
    NO_OBSERVATIONS,
    PRESUMED,
    Calendar,
    Observations,
    Profile,
    active_seconds,
    common_profile,
    observations_of,
    observed,
    profile,
    profile_of,
    text_of,
)
from newsspider.core.scheduling.publication_rate import DAY, HOUR

MONDAY = 1_767_542_400.0  # 2026-01-05, midnight in Shanghai
FLAT = profile((1.0,) * 24, (1.0,) * 7)


def watched(
    observations: Observations, hours: range, per_hour: dict[int, int], days: range, every: float = HOUR
) -> Observations:
    """The observations of a site that was polled hourly and published ``per_hour`` items in each hour of these days."""
    for day in days:
        for hour in hours:
            start = MONDAY + day * DAY + hour * HOUR
            new = per_hour.get(hour, 0)
            observations = observed(observations, FLAT, list(FLAT.spans(start, start + every)), start + every, new)
    return observations


def factor(site_profile: Profile, moment: float) -> float:
    return next(iter(site_profile.spans(moment, moment + 1.0)))[1]


def test_hours_in_which_a_site_publishes_are_learned_from_counts_alone() -> None:
    site_profile = profile_of(watched(NO_OBSERVATIONS, range(24), {9: 6, 10: 6, 15: 6}, range(5)), PRESUMED)
    busy, quiet = ([site_profile.day[hour] for hour in hours] for hours in ((9, 10, 15), (3, 12, 20)))
    assert min(busy) > 10 * max(quiet)
    assert sum(site_profile.day) / 24 == pytest.approx(1.0, abs=0.05)


def test_a_quiet_hour_beside_a_busy_one_keeps_what_was_counted_of_it() -> None:
    site_profile = profile_of(watched(NO_OBSERVATIONS, range(24), {9: 6}, range(10)), PRESUMED)
    assert max(site_profile.day[8], site_profile.day[10]) < site_profile.day[9] / 40


def test_days_of_the_week_are_learned_and_a_new_site_is_taken_for_one_like_all_others() -> None:
    sites = []
    for rate in (2, 4):
        site = watched(NO_OBSERVATIONS, range(24), dict.fromkeys(range(8, 20), rate), range(5))
        sites.append(watched(site, range(24), {}, range(5, 7)))
    common = common_profile(sites)
    unknown = profile_of(NO_OBSERVATIONS, common)
    assert unknown.week == pytest.approx(common.week)
    assert min(unknown.week[:5]) > 4 * max(unknown.week[5:])
    odd = profile_of(watched(NO_OBSERVATIONS, range(24), dict.fromkeys(range(24), 3), range(7)), common)
    assert min(odd.week) > 0.6 * max(odd.week)  # its own counts outweigh the presumption


def test_what_was_seen_long_ago_counts_less() -> None:
    old = watched(NO_OBSERVATIONS, range(24), {9: 6}, range(14))
    new = watched(old, range(24), {20: 6}, range(90, 104))
    site_profile = profile_of(new, PRESUMED)
    assert site_profile.day[20] > 2 * site_profile.day[9]


def test_a_holiday_counts_as_the_day_it_is_said_to_be_and_a_school_term_has_its_factor() -> None:
    week = profile((1.0,) * 24, (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.1))
    tuesday = int((MONDAY + 8 * HOUR) // DAY) + 1
    special = replace(week, calendar=Calendar({tuesday: 6}, {tuesday + 1: 0.5}))
    noon = MONDAY + DAY / 2
    assert [factor(special, noon + day * DAY) for day in range(4)] == pytest.approx([1.0, 0.1, 0.5, 1.0])
    assert [factor(week, noon + day * DAY) for day in range(4)] == pytest.approx([1.0, 1.0, 1.0, 1.0])


@given(st.floats(MONDAY, MONDAY + 30 * DAY), st.floats(1.0, 10 * DAY))
def test_spans_fill_the_time_without_a_gap_in_halves_of_an_hour(start: float, length: float) -> None:
    spans = list(PRESUMED.spans(start, start + length))
    assert sum(seconds for seconds, _, _ in spans) == pytest.approx(length, rel=1e-6)
    assert all(0.0 < seconds <= HALF_HOUR for seconds, _, _ in spans)
    assert all((next_slot - slot) % 336 == 1 for (_, _, slot), (_, _, next_slot) in pairwise(spans))


def test_a_week_has_seven_days_of_business_whatever_the_profile() -> None:
    assert active_seconds(list(PRESUMED.spans(MONDAY, MONDAY + 7 * DAY))) == pytest.approx(7.0 * DAY, rel=0.03)


def test_what_is_known_of_a_site_can_be_stored() -> None:
    site = watched(NO_OBSERVATIONS, range(24), {9: 6, 10: 5}, range(9), every=HALF_HOUR)
    restored = observations_of(text_of(site))
    assert restored.day_items == pytest.approx(site.day_items, abs=1e-3)
    assert restored.week_hours == pytest.approx(site.week_hours, abs=1e-3)
    assert restored.at == site.at
    assert observations_of("") is NO_OBSERVATIONS


def test_hundreds_of_items_of_a_rebuilt_list_do_not_dominate_the_profile() -> None:
    site = watched(NO_OBSERVATIONS, range(24), dict.fromkeys(range(24), 1), range(14))
    start = MONDAY + 14 * DAY + 10 * HOUR
    after = observed(site, FLAT, list(FLAT.spans(start, start + HOUR)), start + HOUR, 400)
    assert max(profile_of(after, FLAT).day) < 2.5
