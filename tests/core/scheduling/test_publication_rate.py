"""The belief about the rate of a list: how polls change it, and how fast."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.scheduling.publication_rate import DAY, HOUR, RATES, UNKNOWN, Belief, belief_of, learned, text_of
from tests.support.tables import each


def polled(rate: float, hours: float, every: float, belief: Belief = UNKNOWN, seed: int = 1) -> Belief:
    """The belief after polls of a list that publishes this many items a day."""
    drawn = random.Random(seed)
    for _ in range(round(hours / every)):
        new = sum(drawn.random() < rate * every / 24 / 1000 for _ in range(1000))
        belief = learned(belief, every * HOUR, every / 24, new)
    return belief


@each("rate", [0.5, 5.0, 50.0])
def test_the_rate_of_a_list_is_found_within_thirty_items(rate: float) -> None:
    rates = [polled(rate, 24 * 30 / rate, 6 / rate, seed=seed).rate for seed in range(10)]
    assert rate / 1.4 < sum(rates) / len(rates) < rate * 1.4


def test_a_tenfold_rise_is_believed_within_two_hours() -> None:
    usual = polled(5.0, 24 * 7, 1.0)
    assert usual.rate < 10.0
    assert polled(5.0 * 10 * 2.5, 2.0, 0.25, usual).rate > 40.0  # by day, when sites publish most


def test_a_burst_that_is_over_is_forgotten_within_hours_for_the_rate_is_where_it_mostly_is_again() -> None:
    usual = polled(10.0, 24 * 10, 1.0)
    burst = polled(120.0, 2.0, 0.25, usual)
    assert burst.rate > 60.0
    assert polled(10.0, 4.0, 0.5, burst).rate < 25.0


def test_a_list_that_shows_nothing_but_new_items_may_have_brought_more_than_it_shows() -> None:
    counted, full = learned(UNKNOWN, DAY, 1.0, 20), learned(UNKNOWN, DAY, 1.0, 20, full=True)
    assert full.rate > 1.5 * counted.rate


def test_a_silent_night_says_less_than_a_silent_day() -> None:
    usual = polled(20.0, 48, 1.0)
    assert learned(usual, 6 * HOUR, 0.02, 0).rate > 2 * learned(usual, 6 * HOUR, 0.5, 0).rate


@given(st.lists(st.tuples(st.floats(1.0, 3 * DAY), st.floats(0.0, 5.0), st.integers(0, 40), st.booleans()), max_size=30))
def test_whatever_polls_bring_a_belief_is_a_probability_and_can_be_stored(
    polls: list[tuple[float, float, int, bool]],
) -> None:
    belief = UNKNOWN
    for seconds, days, new, full in polls:
        belief = learned(belief, seconds, days, new, full=full and new > 0)
        assert sum(belief.now) == pytest.approx(1.0)
        assert sum(belief.habit) == pytest.approx(1.0)
        assert RATES[0] <= belief.rate <= RATES[-1]
        assert RATES[0] <= belief.most <= RATES[-1]
    restored = belief_of(text_of(belief))
    assert restored.rate == pytest.approx(belief.rate, rel=0.01)
    assert restored.habit == pytest.approx(belief.habit, abs=1e-3)
    assert len(text_of(belief)) < 700


def test_an_unreadable_belief_counts_as_that_of_an_unknown_list() -> None:
    assert belief_of("") is UNKNOWN
    assert belief_of("[[1.0],[1.0]]") is UNKNOWN


@each("new", [50, 300, 5000])
def test_a_list_that_brings_more_at_every_look_than_any_rate_explains_has_the_highest(new: int) -> None:
    belief = UNKNOWN
    for _ in range(30):
        belief = learned(belief, 300.0, 300.0 / DAY, new, full=True)
    assert belief.rate > 0.9 * RATES[-1]
