"""What a site publishes on the full hour, learned from short intervals between polls."""

from __future__ import annotations

import numpy as np
import pytest

from newsspider.core.scheduling.full_hours import LATE, LEAST, NO_TICKS, SHORT, Ticks, learned
from newsspider.core.scheduling.poll_schedule import Limits, Plan, next_poll
from newsspider.core.scheduling.publication_profile import PRESUMED, profile
from newsspider.core.scheduling.publication_rate import DAY, HOUR, UNKNOWN

MONDAY = 1_767_542_400.0  # 2026-01-05, midnight in Shanghai
FLAT = profile((1.0,) * 24, (1.0,) * 7)


def polled(share: float, every: float, an_hour: float = 3.0, hours: int = 400, seed: int = 1) -> Ticks:
    """What polls teach of a site that publishes such a share on the full hour."""
    drawn = np.random.default_rng(seed)
    count = drawn.poisson(an_hour * hours)
    moments = drawn.random(count) * hours * HOUR
    on_hour = drawn.random(count) < share
    moments = np.sort(np.where(on_hour, np.ceil(moments / HOUR) * HOUR + 1.0, moments))
    known, start = NO_TICKS, MONDAY + 200.0
    while start < MONDAY + hours * HOUR:
        end = start + every * drawn.uniform(0.5, 1.0)
        new = int(((moments + MONDAY > start) & (moments + MONDAY <= end)).sum())
        known, start = learned(known, list(FLAT.spans(start, end)), new), end
    return known


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_the_share_on_the_full_hour_is_learned_from_how_many_items_intervals_bring_that_hold_one(share: float) -> None:
    assert polled(share, 600.0).share == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("every", [200.0, 600.0, 1700.0])
def test_a_site_that_publishes_at_any_minute_has_none(seed: int, every: float) -> None:
    assert polled(0.0, every, seed=seed).share == 0.0


def test_intervals_that_are_long_and_few_items_tell_nothing() -> None:
    assert polled(0.9, 3 * SHORT, hours=2000).at_seconds < 0.1 * HOUR * 2000
    assert polled(0.9, 600.0, an_hour=0.01, hours=200).share < 0.5
    assert NO_TICKS.share == 0.0


def test_what_counts_less_says_the_same_with_less_certainty() -> None:
    known = polled(0.6, 600.0)
    assert LEAST < known.times(0.01).share < known.share


def test_a_list_is_polled_soon_after_the_full_hour_at_which_its_site_publishes() -> None:
    limits, price = Limits(100.0, 60.0, 60.0, DAY), (40_000.0,)
    polled_at = MONDAY + 9 * HOUR + 1200.0
    at_any, on_hour = (
        next_poll(polled_at, 5.0, UNKNOWN, "s", "a.cn", Plan(MONDAY, price, common=shape), limits)
        for shape in (FLAT, profile((1.0,) * 24, (1.0,) * 7, tick=0.9))
    )
    late = (on_hour - MONDAY) % HOUR
    assert LATE <= late < 1800.0, late
    assert (at_any - MONDAY) % HOUR != pytest.approx(late, abs=60.0)


def test_the_days_of_an_interval_count_the_full_hours_in_it() -> None:
    shape = profile((1.0,) * 24, (1.0,) * 7, tick=0.5)
    holds, holds_none = (list(shape.spans(MONDAY + start, MONDAY + start + 600.0)) for start in (9 * HOUR - 300.0, 9 * HOUR + 300.0))
    assert shape.days(holds) == pytest.approx((0.5 * HOUR + 0.5 * 600.0) / DAY)
    assert shape.days(holds_none) == pytest.approx(0.5 * 600.0 / DAY)
    assert PRESUMED.tick == 0.0
