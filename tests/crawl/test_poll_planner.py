"""The clock of a crawl: which policy holds, what budget it has, and how its plan moves."""

import pytest
from scrapy.settings import BaseSettings

from newsspider import settings
from newsspider.core.scheduling.poll_schedule import Polled
from newsspider.core.scheduling.publication_profile import NO_OBSERVATIONS
from newsspider.crawl.poll_planner import CORRECT_SECONDS, REPLAN_SECONDS, PollPolicy

NOW = 1_800_000_000.0
SHIPPED = {name: value for name, value in vars(settings).items() if name.isupper()}


def clock(**values: object) -> PollPolicy:
    return PollPolicy(BaseSettings(SHIPPED | values))


def lists(count: int, interval: float, now: float = NOW) -> list[Polled]:
    return [Polled(f"{n}.cn", "s", 5, 10.0, now - interval / 2, now + interval / 2) for n in range(count)]


def test_the_smaller_budget_holds() -> None:
    many, few = clock(), clock()
    many.replan(lists(2000, 300.0), {}, NOW)
    few.replan(lists(10, 300.0), {}, NOW)
    assert (many.limits.requests_an_hour, few.limits.requests_an_hour) == (6000.0, 120.0)


def test_requests_above_the_budget_raise_their_price_and_requests_below_lower_it() -> None:
    busy, idle = clock(), clock()
    for n in range(20):
        now = NOW + n * CORRECT_SECONDS
        busy.replan(lists(10, 60.0, now), {}, now)
        idle.replan(lists(10, 3600.0, now), {}, now)
    assert busy.plan.gain > 2.0
    assert idle.plan.gain < 0.5


def test_the_plan_is_made_anew_once_an_hour() -> None:
    ours = clock()
    ours.replan(lists(10, 300.0), {"s": NO_OBSERVATIONS}, NOW)
    first = ours.plan.prices
    ours.replan(lists(10, 300.0), {"s": NO_OBSERVATIONS}, NOW + CORRECT_SECONDS)
    assert ours.plan.prices is first
    ours.replan(lists(10, 300.0), {"s": NO_OBSERVATIONS}, NOW + REPLAN_SECONDS)
    assert ours.plan.prices is not first


def test_the_plan_is_made_anew_for_other_lists() -> None:
    ours = clock()
    ours.replan(lists(10, 300.0), {}, NOW)
    first = ours.plan.prices
    ours.replan(lists(11, 300.0), {}, NOW + 1)
    assert ours.plan.prices != first


def test_nothing_is_planned_where_there_are_no_lists() -> None:
    ours = clock()
    plan_before = ours.plan
    ours.replan([], {}, NOW)
    assert ours.plan is plan_before


@pytest.mark.parametrize(("policy", "cycle", "decides"), [("index", 86_400.0, True), ("fixed", 900.0, False)])
def test_each_policy_has_its_cycle(policy: str, cycle: float, decides: bool) -> None:
    ours = clock(REVISIT_POLICY=policy)
    assert ours.cycle == cycle
    assert ours.polling(5).decides is ours.keeps_time is decides


def test_a_clock_that_was_set_back_plans_anew() -> None:
    ours = clock()
    ours.replan(lists(3, 300.0), {}, NOW)
    ours.replan(lists(3, 300.0), {}, NOW - 30 * 3600.0)
    assert ours.plan.start <= NOW - 30 * 3600.0


def test_holidays_are_those_of_the_settings() -> None:
    for country, counts in (("CN", True), ("", False)):
        ours = clock(HOLIDAYS=country)
        ours.replan(lists(1, 300.0), {}, NOW)
        assert bool(ours.plan.common.calendar.counts_as) is counts


def test_a_crawl_goes_on_with_the_prices_of_the_one_before() -> None:
    earlier, later, fresh = clock(), clock(), clock()
    for n in range(20):
        earlier.replan(lists(10, 60.0, NOW + n * CORRECT_SECONDS), {}, NOW + n * CORRECT_SECONDS)
    later.recall(earlier.multipliers)
    fresh.recall({})
    for ours in (later, fresh):
        ours.replan(lists(10, 300.0), {}, NOW)
    assert later.plan.gain == pytest.approx(earlier.plan.gain, rel=0.1)
    assert fresh.plan.gain == pytest.approx(1.0, rel=0.1)
    later.recall({"": 2.0, "a.cn": 3.0})
    assert later.multipliers == {"": 2.0, "a.cn": 3.0}
