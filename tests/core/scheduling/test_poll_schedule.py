"""The revisit policy: the square root law, budgets, and the longest interval."""

from dataclasses import replace
from itertools import accumulate, islice
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.scheduling.poll_schedule import (
    LATE_COSTS,
    NO_PLAN,
    SOON_SECONDS,
    Plan,
    Polled,
    PollLimits,
    corrected,
    next_poll,
    plan,
)
from newsspider.core.scheduling.publication_profile import profile
from newsspider.core.scheduling.publication_rate import DAY, HOUR, UNKNOWN, Belief

NOON = 1_767_542_400.0 + 12 * HOUR
FLAT = profile((1.0,) * 24, (1.0,) * 7)
LIMITS = PollLimits(requests_an_hour=100.0, host_requests_an_hour=60.0, shortest=1.0, longest=DAY)


def known(rate: float, most: float | None = None) -> Belief:
    return replace(UNKNOWN, rate=rate, most=most or rate)


def interval(weight: float, rate: float, at: Plan, limits: PollLimits = LIMITS) -> float:
    return next_poll(NOON, weight, known(rate), "site", "host", at, limits) - NOON


def priced(price: float) -> Plan:
    return Plan(NOON, (price,), common=FLAT)


def cost(seconds: float, weight: float, rate: float, price: float) -> float:
    """The long-run cost of polling a list every ``seconds``: waiting, items found late, requests."""
    arriving = rate / DAY
    late = max(0.0, 1.0 - SOON_SECONDS / seconds)
    return weight * arriving * seconds / 2 + arriving * LATE_COSTS * late + price / seconds


@given(st.floats(1.0, 10.0), st.floats(0.5, 20.0), st.floats(60.0, 7200.0))
def test_a_list_is_polled_as_often_as_costs_least(weight: float, rate: float, often: float) -> None:
    price = weight * rate / DAY * often * often / 2
    chosen = interval(weight, rate, priced(price))
    least = cost(chosen, weight, rate, price)
    assert all(least <= cost(chosen * n / 100, weight, rate, price) * (1 + 1e-9) for n in range(5, 500))


@given(st.floats(1.0, 10.0), st.floats(0.5, 20.0), st.floats(1.1, 4.0))
def test_up_to_the_time_within_which_items_are_to_be_found_the_frequency_is_proportional_to_the_root_of_weight_and_rate(
    weight: float, rate: float, times: float
) -> None:
    at = priced(weight * rate / DAY * SOON_SECONDS * SOON_SECONDS / 2)
    assert interval(weight, rate, at) == pytest.approx(SOON_SECONDS)
    assert interval(weight, rate, at) / interval(weight * times, rate, at) == pytest.approx(sqrt(times), rel=1e-6)
    assert interval(weight, rate, at) / interval(weight, rate * times, at) == pytest.approx(sqrt(times), rel=1e-6)


def test_a_list_whose_turn_would_come_a_little_later_is_polled_in_time() -> None:
    weight, rate = 5.0, 10.0
    a_little, much = (priced(weight * rate / DAY * wait * wait / 2) for wait in (1100.0, 7200.0))
    assert interval(weight, rate, a_little) == pytest.approx(SOON_SECONDS)
    assert 7100.0 < interval(weight, rate, much) < 7200.0


def test_none_waits_longer_than_the_longest_interval_whatever_its_weight_and_rate() -> None:
    assert 0.95 * DAY < interval(1, 0.04, priced(1e9)) < DAY
    assert interval(10, 400.0, priced(1e-9)) == LIMITS.shortest


def test_a_list_is_polled_before_more_may_have_come_than_it_shows() -> None:
    dear = priced(1e9)
    assert interval(1, 48.0, dear) * 48.0 / DAY <= 3.0 + 1e-6
    unsure = next_poll(NOON, 1, known(10.0, most=200.0), "site", "host", dear, LIMITS) - NOON
    assert unsure * 200.0 / DAY <= 8.0 + 1e-6


def test_a_list_that_sleeps_by_night_is_polled_by_day() -> None:
    office = profile((0.02,) * 8 + (2.8,) * 9 + (0.02,) * 7, (1.0,) * 7)
    evening = NOON + 6 * HOUR
    due = next_poll(evening, 5, known(10.0), "site", "host", Plan(NOON, (30_000.0,), common=office), LIMITS)
    assert 7.5 < (due - NOON) / HOUR + 12 - 24 < 10.0  # in the morning of the next day


def test_the_plan_sets_the_price_at_which_the_budget_is_used() -> None:
    lists = [Polled(f"h{n % 7}", "site", 1 + n % 10, 0.5 + n % 40, NOON, NOON) for n in range(200)]
    limits = replace(LIMITS, requests_an_hour=300.0)
    at = replace(plan(lists, {}, NOON, limits, replace(NO_PLAN, common=FLAT)), common=FLAT)
    hourly_polls = sum(HOUR / interval(polled.weight, polled.rate, at, limits) for polled in lists)
    assert hourly_polls == pytest.approx(300.0, rel=0.25)  # the price includes the presumed hourly factors


def spent(at: Plan, polled: Polled) -> list[float]:
    """How often a list is polled in each half hour by its price, relative to an even spread."""
    factors = at.common.factors(at.start, len(at.prices))
    slots = zip(at.prices, factors, strict=True)
    return [sqrt(polled.weight * polled.rate / DAY * factor / (2 * price)) * HOUR / LIMITS.requests_an_hour for price, factor in slots]


def test_what_quiet_hours_leave_is_spent_in_busy_ones() -> None:
    polled = Polled("host", "site", 5, 10.0, NOON, NOON)
    evening = NOON + 6 * HOUR
    at = spent(plan([polled], {}, evening, LIMITS), polled)  # with the presumed hours of newsrooms
    assert max(at) > 1.02
    assert min(at) < 0.93
    savings = list(accumulate(1.0 - share for share in at))
    assert max(savings) - min(savings) == pytest.approx(1.0), "half an hour's requests are saved, and spent again"
    later = spent(plan([polled], {}, evening + 10 * HOUR, LIMITS), polled)
    assert later[:10] == pytest.approx(at[20:30]), "who begins later reckons the same"


def test_the_price_rises_until_polls_fit_the_budget() -> None:
    at, rates = priced(1000.0), [0.5 + n % 40 for n in range(200)]
    limits = replace(LIMITS, requests_an_hour=250.0, host_requests_an_hour=1e9)
    for _ in range(120):
        lists = [Polled("host", "site", 2, rate, NOON, NOON + interval(2, rate, at)) for rate in rates]
        at = corrected(at, lists, NOON, limits)
    hourly_polls = sum(HOUR / (polled.due_at - polled.polled_at) for polled in lists)
    assert hourly_polls == pytest.approx(250.0, rel=0.02)


def test_a_host_is_asked_no_oftener_than_it_may_be_while_others_go_on() -> None:
    at, limits = priced(30.0), replace(LIMITS, requests_an_hour=1e9, host_requests_an_hour=60.0)
    for _ in range(150):
        lists = [
            Polled(host, "site", 5, 20.0, NOON, next_poll(NOON, 5, known(20.0), "site", host, at, LIMITS))
            for host, count in (("busy", 50), ("quiet", 2))
            for _ in range(count)
        ]
        at = replace(corrected(at, lists, NOON, limits), gain=1.0)
    hourly_polls = {host: sum(HOUR / (polled.due_at - NOON) for polled in lists if polled.host == host) for host in ("busy", "quiet")}
    assert hourly_polls["busy"] == pytest.approx(60.0, rel=0.05)
    assert hourly_polls["quiet"] == pytest.approx(2 * HOUR / interval(5, 20.0, priced(30.0)), rel=1e-6)


def test_without_lists_a_plan_has_prices_and_changes_nothing() -> None:
    empty = plan([], {}, NOON, LIMITS)
    assert next(empty.prices_from(NOON)) > 0.0
    assert corrected(empty, [], NOON, LIMITS) is empty


def test_lists_take_no_more_than_half_of_what_a_slow_host_gives() -> None:
    slow = [Polled("a.cn", "s", 5, 24.0, NOON - 120, NOON + 120, 30.0) for _ in range(30)]  # asked 450 times an hour
    quick = [replace(polled, delay=0.1) for polled in slow]
    limits = replace(LIMITS, host_requests_an_hour=1000.0, requests_an_hour=1000.0)
    assert corrected(NO_PLAN, slow, NOON, limits).hosts["a.cn"] == pytest.approx((450 / 60) ** 0.1)
    assert corrected(NO_PLAN, quick, NOON, limits).hosts == {}


def test_the_price_of_an_overloaded_host_is_capped_and_makes_no_other_host_cheap() -> None:
    busy = [Polled("a.cn", "s", 5, 100.0, NOON - 30, NOON + 30) for _ in range(100)]
    at = NO_PLAN
    for _ in range(2000):
        at = corrected(at, busy, NOON, replace(LIMITS, requests_an_hour=60.0))
    assert at.hosts["a.cn"] == 400.0
    assert at.gain == pytest.approx(1.0)
    fast = known(400.0)
    calm = next_poll(NOON, 5, fast, "s", "a.cn", replace(priced(1e9), hosts=at.hosts), LIMITS) - NOON
    assert calm == pytest.approx(20 * (next_poll(NOON, 5, fast, "s", "b.cn", priced(1e9), LIMITS) - NOON))


def test_prices_go_on_at_both_ends_of_a_plan() -> None:
    at = Plan(NOON, (1.0, 2.0, 3.0))
    assert list(islice(at.prices_from(NOON - HOUR), 6)) == [1.0, 1.0, 1.0, 2.0, 3.0, 3.0]
    assert list(islice(at.prices_from(NOON + HOUR + 60), 3)) == [3.0, 3.0, 3.0]
    assert next(at.prices_from(NOON + DAY)) == 3.0
