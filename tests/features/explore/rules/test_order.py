"""Visit orders as numbers: stacks, queues, and the range in which priorities are stored."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.features.explore.rules.best_first import SEEDS
from newsspider.features.explore.rules.strategy import (
    BAND,
    MOST_POSITIONS,
    MOST_VISITS,
    newest_first,
    oldest_first,
    score_priority,
)

PLACES = st.tuples(st.integers(0, MOST_VISITS - 2), st.integers(0, MOST_POSITIONS - 1))


@given(PLACES, PLACES)
def test_a_stack_asks_the_links_of_the_last_visit_first_and_keeps_the_order_on_the_page(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    earlier = first[0] > second[0] or (first[0] == second[0] and first[1] < second[1])
    assert (newest_first(*first) > newest_first(*second)) == earlier


@given(PLACES, PLACES)
def test_a_queue_asks_in_the_order_of_visit_and_page(first: tuple[int, int], second: tuple[int, int]) -> None:
    assert (oldest_first(*first) > oldest_first(*second)) == (first < second)


@given(st.integers(0, 1 << 62), st.integers(0, 1 << 30))
def test_every_priority_stays_in_its_band_and_is_exact_as_a_double(number: int, position: int) -> None:
    for priority in (newest_first(number, position), oldest_first(number, position)):
        assert 0 <= priority < BAND
        assert int(float(SEEDS + priority)) == SEEDS + priority < 1 << 53


@given(st.floats(), st.floats())
def test_a_better_score_never_stands_lower(first: float, second: float) -> None:
    if first <= second:
        assert score_priority(first) <= score_priority(second)
    assert 0 <= score_priority(first) <= 1_000_000
