"""The benchmark of the revisit policy: its world, its peers' documented constants, and the floors of ours on small worlds."""

from __future__ import annotations

import sys
from types import FrameType

import numpy as np
import pytest

from bench.newsworld import (
    CELLS_A_DAY,
    DAY,
    HOUR,
    RATES,
    SAFE,
    SHOWN,
    World,
    bound,
    bound_when_saving,
    change,
    lost_at_best,
    news_world,
    safe_delay,
)
from bench.our_schedule import Ours
from bench.polls import LONGEST, Figures, contestants, ours, simulate
from bench.revisit import TENFOLD, Best, compare, recovery
from bench.schedules import CloudAdaptive, Fixed, Found, NutchAdaptive, Proportional, StormAdaptive
from newsspider.core.scheduling import poll_schedule

MINUTE = 60.0
NEW, NONE = Found(1, SHOWN, False, True), Found(0, SHOWN, False, True)
FIRST, FAILED = Found(SHOWN, SHOWN, True, True, True), Found(0, 0, False, False)


def intervals(schedule: object, answers: list[Found]) -> list[float]:
    """The intervals after each of these polls, each of which comes when it is due."""
    now, lengths = 1000.0 * DAY, []
    for answer in answers:
        due = schedule.polled(0, now, answer)  # type: ignore[attr-defined]
        lengths.append(due - now)
        now = due
    return lengths


def test_nutch_begins_with_30_days_takes_a_fifth_off_after_a_change_and_adds_two_fifths_after_none() -> None:
    assert intervals(NutchAdaptive(1), [NEW, NEW]) == pytest.approx([24 * DAY, 19.2 * DAY])
    schedule = NutchAdaptive(1)
    schedule.interval[0] = 100.0
    changed, unchanged = intervals(schedule, [NEW, NONE])
    assert changed == pytest.approx(80.0)
    assert unchanged == pytest.approx(112.0 - 0.3 * 80.0)  # 0.3 of the age of the last change earlier


def test_nutch_stays_between_a_minute_and_a_year_and_waits_at_least_the_age_of_the_last_change() -> None:
    schedule = NutchAdaptive(1)
    assert intervals(schedule, [NEW] * 80)[-1] == MINUTE
    grown = intervals(schedule, [NONE] * 60)
    assert schedule.interval[0] == 365 * DAY
    assert grown[-1] == pytest.approx(0.7 * 365 * DAY)
    young = NutchAdaptive(1)
    young.interval[0], young.changed[0] = 100.0, 0.0
    young.polled(0, 1000.0, NONE)
    assert young.interval[0] == 1000.0


def test_stormcrawler_begins_with_a_day_goes_half_way_to_an_hour_after_a_change_and_half_up_after_none() -> None:
    schedule = StormAdaptive(1)
    lengths = intervals(schedule, [FIRST, NEW, NEW, NONE])
    assert [length / MINUTE for length in lengths] == [1440, 750, 405, 607]  # whole minutes
    assert intervals(schedule, [NEW] * 30)[-1] / MINUTE == 60
    assert intervals(schedule, [NONE] * 30)[-1] / MINUTE == 20160
    assert intervals(schedule, [FAILED])[-1] / MINUTE == 1440


def test_media_cloud_goes_up_by_ten_minutes_at_67_per_cent_known_and_down_by_an_hour_below_33() -> None:
    def known(share: float) -> Found:
        return Found(round(20 * (1 - share)), 20, False, True)

    lengths = intervals(CloudAdaptive(1), [FIRST, known(0.7), known(0.5), known(0.3), known(0.65)])
    assert [length / MINUTE for length in lengths] == [360, 370, 370, 360, 360]
    short = CloudAdaptive(1)
    assert [length / MINUTE for length in intervals(short, [known(0.0)] * 8)] == [300, 240, 180, 120, 60, 10, 10, 10]
    assert intervals(short, [known(0.9)] * 200)[-1] / MINUTE == 1440


def test_media_cloud_gives_up_faster_on_a_feed_without_a_story_for_a_month() -> None:
    schedule = CloudAdaptive(1)
    schedule.last_new[0] = 0.0
    assert intervals(schedule, [NONE])[0] / MINUTE == 420


def test_fixed_and_proportional_intervals() -> None:
    assert intervals(Fixed(), [NEW, NONE, NEW]) == [HOUR] * 3
    busy, quiet = Proportional(1), Proportional(1)
    assert intervals(busy, [FIRST, *[NEW] * 200])[-1] < intervals(quiet, [FIRST, *[NONE] * 20])[-1] / 10


@pytest.fixture(scope="module")
def world() -> World:
    return news_world(60, 7, seed=3)


def test_a_seed_gives_one_world_whose_rates_weights_and_profiles_are_as_said(world: World) -> None:
    again, other = news_world(60, 7, seed=3), news_world(60, 7, seed=4)
    assert np.array_equal(world.rates, again.rates)
    assert all(np.array_equal(first, second) for first, second in zip(world.items, again.items, strict=True))
    assert not np.array_equal(world.rates, other.rates)
    assert set(world.weights) <= set(range(1, 11))
    calm = news_world(300, 7, seed=3, bursts=False, outages=False)
    base = calm.rates.mean(axis=1) * DAY
    assert RATES[0] * 0.99 <= base.min() < 0.3
    assert 20.0 < base.max() <= RATES[1] * 1.01
    by_hour = calm.rates.reshape(300, 7 * 24, 4).mean(axis=2)
    assert (by_hour.max(axis=1) / by_hour.min(axis=1)).min() >= 10.0


def test_what_is_missed_while_a_site_is_down_comes_afterwards() -> None:
    calm, troubled = (news_world(60, 7, seed=3, outages=outages) for outages in (False, True))
    assert troubled.down.any()
    assert (troubled.rates[troubled.down[troubled.sites]] == 0.0).all()
    assert troubled.rates.sum() == pytest.approx(calm.rates.sum(), rel=0.01)


def test_a_changed_rate_changes_from_its_moment_on(world: World) -> None:
    changed = change(world, np.array([5]), 3 * DAY, 10.0)
    cell = 3 * CELLS_A_DAY
    assert np.allclose(changed.rates[5, cell:], 10 * world.rates[5, cell:])
    assert np.allclose(changed.rates[5, :cell], world.rates[5, :cell])
    assert np.allclose(changed.rates[4], world.rates[4])


def test_the_bound_is_that_of_the_square_root_law() -> None:
    rates = np.full((2, 96), 2.0 / DAY)
    rates[1] = 8.0 / DAY
    flat = World(1, np.array([1.0, 2.0]), np.array([0, 1]), rates, np.zeros((2, 96), dtype=bool))
    per_second = 10.0 / HOUR
    by_hand = (np.sqrt(2.0) + np.sqrt(16.0)) ** 2 / DAY / (2 * per_second * 18.0 / DAY)
    assert bound(flat, 10.0, 0.0, DAY) == pytest.approx(by_hand)


def test_who_may_save_waits_less_where_hours_differ_and_the_same_where_they_do_not() -> None:
    rates = np.tile(np.where(np.arange(CELLS_A_DAY) < CELLS_A_DAY // 2, 2.0, 32.0) / DAY, (1, 1))
    world = World(1, np.ones(1), np.zeros(1, dtype=np.int64), rates, np.zeros((1, CELLS_A_DAY), dtype=bool))
    even = bound(world, 10.0, 0.0, DAY)
    assert bound_when_saving(world, 10.0, 0.0, DAY, 0.0) == pytest.approx(even)
    pulls, shares = np.sqrt(2.0) * np.array([1.0, 4.0]), np.array([0.4, 1.6])  # all that is saved by night is spent by day
    by_hand = (pulls**2 / shares).sum() / (pulls**2).sum()
    assert bound_when_saving(world, 10.0, 0.0, DAY, DAY) == pytest.approx(even * by_hand)
    assert bound_when_saving(world, 10.0, 0.0, DAY / 2, DAY) == pytest.approx(bound(world, 10.0, 0.0, DAY / 2))


def test_what_comes_in_one_interval_beyond_what_a_list_shows_is_lost_at_known_rates_too() -> None:
    rates = np.full((1, 4 * CELLS_A_DAY), 50.0 / DAY)
    world = World(4, np.ones(1), np.zeros(1, dtype=np.int64), rates, np.zeros((1, 4 * CELLS_A_DAY), dtype=bool))
    world.items = [DAY + np.arange(50.0)]  # one a second
    assert lost_at_best(world, 1.0, 0.0, 4 * DAY) == 50 - SHOWN
    assert lost_at_best(world, 360.0, 0.0, 4 * DAY) == 0  # asked every ten seconds
    assert lost_at_best(world, 1.0, 2 * DAY, 4 * DAY) == 0


def test_who_is_to_lose_nothing_in_a_burst_asks_fast_lists_more_often_than_waiting_alone_is_worth() -> None:
    rates = np.array([[1.0], [4.0]]) / HOUR * np.ones((2, CELLS_A_DAY))
    world = World(1, np.array([4.0, 1.0]), np.array([0, 1]), rates, np.zeros((2, CELLS_A_DAY), dtype=bool))  # asked equally often
    assert safe_delay(world, 10.0, 0.0, DAY, 0.1 * SAFE) == (pytest.approx(1.0), 0.0)
    by_hand = (10 / 2 + 10 / 8) / 2 / 2  # two and eight requests an hour instead of five and five, at the same weighted rate
    assert safe_delay(world, 10.0, 0.0, DAY, 2 * SAFE) == (pytest.approx(by_hand), 0.0)
    assert safe_delay(world, 5.0, 0.0, DAY, 2 * SAFE) == (pytest.approx(by_hand), 1.0)  # not enough to be safe: each its share
    assert safe_delay(world, 11.0, 0.0, DAY, 2 * SAFE) == (pytest.approx((11 / 3 + 11 / 8) / 4), 0.0)


def test_so_many_items_may_be_expected_that_one_interval_of_a_hundred_brings_more_than_a_list_shows() -> None:
    probability = np.exp(-SAFE) * np.cumsum(np.cumprod([1.0, *(SAFE / np.arange(1, SHOWN + 1))]))[-1]
    assert 1 - probability == pytest.approx(0.01, abs=0.0005)


def test_every_schedule_asks_as_often_as_the_budget_allows(world: World) -> None:
    budget = 60.0
    for name, make in contestants(world, budget).items():
        figures = simulate(world, make(), budget, since=DAY)
        assert figures.requests <= budget * 24 * world.days + 1, name
        assert figures.requests > 0.9 * budget * 24 * world.days, name


def test_a_delay_is_from_the_moment_an_item_appears_to_the_poll_that_finds_it() -> None:
    rates = np.zeros((1, 2 * CELLS_A_DAY))
    alone = World(2, np.array([3.0]), np.array([0]), rates, np.zeros((1, 2 * CELLS_A_DAY), dtype=bool))
    alone.items = [np.array([1000.0, 5000.0, 7000.0])]
    figures = simulate(alone, Fixed(), 1.0, since=0.0)  # polls at 0, 3600, 7200 ...
    assert (figures.items, figures.soon) == (3, 1)
    assert figures.delay == pytest.approx((2600.0 + 2200.0 + 200.0) / 3)
    alone.items = [np.arange(10.0, 3000.0, 100.0)]
    assert simulate(alone, Fixed(), 1.0, since=0.0).lost == 30 - SHOWN


@pytest.fixture(scope="module")
def measured() -> tuple[dict[str, Figures], Best]:
    return compare(100, 1.0, 14, seed=1)


def test_news_is_found_nearly_as_soon_as_known_rates_would_allow(measured: tuple[dict[str, Figures], Best]) -> None:
    figures, best = measured
    assert figures["ours"].delay <= 1.07 * best.delay
    assert figures["ours"].lost == 0
    assert figures["ours"].longest <= LONGEST


def test_no_other_schedule_finds_news_half_as_soon_at_equal_requests(measured: tuple[dict[str, Figures], Best]) -> None:
    figures, _ = measured
    for name, other in figures.items():
        if name != "ours":
            assert figures["ours"].delay <= 0.5 * other.delay, name


def test_what_quiet_hours_leave_to_busy_ones_brings_news_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    world, budget = news_world(100, 14, seed=1), 200.0
    saving = simulate(world, ours(world, budget), budget)
    monkeypatch.setattr(poll_schedule, "SAVED", 0.0)
    assert saving.delay <= 0.975 * simulate(world, ours(world, budget), budget).delay


def test_sources_that_publish_ten_times_as_much_are_followed_within_two_hours() -> None:
    after = recovery(1.0, 10.0, 2.0, 5.0, lists=300)
    assert after.delays[0] > 1.5
    assert after.hours <= 2
    assert sum(after.delays[2:4]) / 2 <= 1.75


def test_sources_that_publish_a_tenth_are_asked_less_at_once() -> None:
    after = recovery(1.0, 0.1, 20.0, 50.0, lists=150)
    assert after.polls[0] > after.polls[3]
    assert after.polls[3] <= 1.9  # times what is right for a tenth; 3.2 were asked before


def test_who_sees_every_item_at_once_knows_of_a_rise_within_the_hour_and_of_a_fall_after_more_than_two() -> None:
    rise, fall = (recovery(1.0, factor, least, most, lists=150) for factor, least, most in TENFOLD)
    assert rise.hours_at_best <= 1
    assert rise.at_best[-1] == pytest.approx(1.0, abs=0.05)
    assert fall.hours_at_best > 2  # nothing comes, of lists that bring a few items an hour: there is too little to see
    assert fall.at_best[0] == pytest.approx(10.0**0.5, rel=0.1)


def test_a_source_that_does_not_answer_teaches_nothing_until_it_does() -> None:
    quiet = World(1, np.ones(1), np.zeros(1, dtype=np.int64), np.zeros((1, CELLS_A_DAY)), np.zeros((1, CELLS_A_DAY), dtype=bool))
    schedule: Ours = ours(quiet, 1.0)
    schedule.polled(0, 1e9, FIRST)
    old_belief = schedule.lists[0].belief
    schedule.polled(0, 1e9 + 2 * HOUR, FAILED)
    assert schedule.lists[0].belief is old_belief
    schedule.polled(0, 1e9 + 4 * HOUR, NONE)
    assert schedule.lists[0].belief.rate < old_belief.rate


class Counted:
    """Our schedule, and how many functions were called for its decisions."""

    own_clock = False

    def __init__(self, schedule: Ours) -> None:
        self.schedule, self.calls = schedule, 0

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        self.calls += event in ("call", "c_call")

    def polled(self, number: int, now: float, found: Found) -> float:
        sys.setprofile(self._note)
        try:
            return self.schedule.polled(number, now, found)
        finally:
            sys.setprofile(None)


def test_a_decision_takes_no_more_work_among_more_lists() -> None:
    work = []
    for lists in (50, 500):
        world = news_world(lists, 2, seed=1)
        counted = Counted(ours(world, float(lists)))
        requests = simulate(world, counted, float(lists), since=0.0).requests
        work.append(counted.calls / requests)
    few, many = work
    assert many < 1.2 * few
