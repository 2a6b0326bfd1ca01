"""Quiet hours save part of the budget for busy ones."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.scheduling.poll_schedule import spending

PULLS = st.lists(st.floats(0.01, 100.0), min_size=1, max_size=30)
NEARLY = 1e-6


def cost(pulls: list[float], spent: list[float]) -> float:
    """The total waiting time of the lists, up to a common factor."""
    return sum(pull * pull / polls for pull, polls in zip(pulls, spent, strict=True))


@given(PULLS, st.floats(0.0, 10.0))
def test_nothing_is_spent_before_it_has_come_nor_saved_beyond_the_most(pulls: list[float], most: float) -> None:
    spent = spending(pulls, most)
    assert min(spent) > 0.0
    for number, total in enumerate(accumulate(spent), start=1):
        assert number - most - NEARLY <= total <= number + NEARLY
    assert sum(spent) == pytest.approx(len(pulls))


@given(PULLS, st.floats(0.1, 10.0), st.data())
def test_no_other_way_that_keeps_to_the_budget_costs_less(pulls: list[float], most: float, data: st.DataObject) -> None:
    savings = [0.0]
    for _ in pulls[1:]:
        savings.append(data.draw(st.floats(0.0, min(most, savings[-1] + 0.99))))
    other = [saved + 1.0 - saved_next for saved, saved_next in pairwise([*savings, 0.0])]
    assert cost(pulls, spending(pulls, most)) <= cost(pulls, other) * (1.0 + NEARLY)


def test_without_savings_each_hour_has_its_own_and_with_many_as_much_as_it_asks_for() -> None:
    assert spending([1.0, 9.0, 2.0], 0.0) == pytest.approx([1.0, 1.0, 1.0])
    assert spending([1.0, 2.0, 3.0], 99.0) == pytest.approx([0.5, 1.0, 1.5])
    assert spending([3.0, 1.0], 99.0) == pytest.approx([1.0, 1.0]), "what has not come yet is not spent"


def test_hours_without_demand_or_with_all_of_it_get_a_share_of_the_budget() -> None:
    assert spending([], 1.0) == []
    assert spending([0.0, 0.0, 0.0], 1.0) == pytest.approx([1.0] * 3)
    spent = spending([1e-9, 1e9] * 30, 1.0)
    assert min(spent) > 0.0
    assert spent[1] == pytest.approx(2.0, rel=1e-4)
