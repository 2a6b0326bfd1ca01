"""Weighted polling in rounds: the order of the groups, none of which starves."""

import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.scheduling.poll_schedule import SOONEST_SHARE, next_round
from newsspider.core.scheduling.priorities import (
    ARTICLE_PRIORITY,
    LIST_PRIORITY,
    NEXT_PRIORITY,
    STEPS_OF_WORDS,
    article_priority,
    better_hubs,
    rounds_between,
    update_cycle,
    weighted_priority,
)  # fmt: skip
from tests.support.tables import each

WEIGHTS = range(1, 11)


@each(("weight", "rounds"), [(10, 1), (8, 1), (7, 2), (5, 2), (4, 4), (1, 4)])
def test_heavy_channels_stand_in_every_round_and_light_ones_in_every_second_or_fourth(weight: int, rounds: int) -> None:
    assert rounds_between(weight) == rounds
    assert update_cycle(weight, 60.0) == 60.0 * rounds


def test_every_channel_is_polled_within_four_rounds_and_the_visit_order_follows_the_weight() -> None:
    queue = [(0.0, -weight) for weight in WEIGHTS]
    heapq.heapify(queue)
    visits: list[tuple[float, int]] = []
    while queue[0][0] < 240.0:
        due, negative = heapq.heappop(queue)
        visits.append((due, -negative))
        heapq.heappush(queue, (next_round(due + 1.0, update_cycle(-negative, 60.0)), negative))
    assert [weight for due, weight in visits if due == 0.0] == sorted(WEIGHTS, reverse=True)
    assert [weight for due, weight in visits if due == 60.0] == [10, 9, 8]
    assert [weight for due, weight in visits if due == 120.0] == [10, 9, 8, 7, 6, 5]
    assert {weight for _, weight in visits} == set(WEIGHTS)


@given(st.floats(0, 4e9), st.sampled_from(WEIGHTS), st.floats(1, 1e5))
def test_the_next_poll_begins_a_round_that_is_neither_near_nor_far(now: float, weight: int, seconds: float) -> None:
    cycle = update_cycle(weight, seconds)
    due = next_round(now, cycle)
    assert due == pytest.approx(round(due / cycle) * cycle)
    assert SOONEST_SHARE * 0.99 < (due - now) / cycle < (1 + SOONEST_SHARE) * 1.01


def test_lists_go_before_next_pages_and_these_before_articles_whatever_the_weights() -> None:
    assert weighted_priority(LIST_PRIORITY, 1) > weighted_priority(NEXT_PRIORITY, 10) > weighted_priority(NEXT_PRIORITY, 1)
    assert weighted_priority(NEXT_PRIORITY, 1) > weighted_priority(ARTICLE_PRIORITY, 10)


@given(st.integers(1, 9), st.integers(0, STEPS_OF_WORDS - 2), st.booleans())
def test_what_links_say_and_hubs_move_a_new_article_within_its_weight_only(weight: int, words: int, hub: bool) -> None:
    assert article_priority(weight, words, hub=False) < article_priority(weight, words, hub=True) < article_priority(weight, words + 1)
    assert weighted_priority(ARTICLE_PRIORITY, weight) <= article_priority(weight, words, hub=hub)
    assert article_priority(weight, STEPS_OF_WORDS - 1, hub=True) < weighted_priority(ARTICLE_PRIORITY, weight + 1)


@given(st.dictionaries(st.integers(), st.floats(0.0, 1.0)))
def test_at_most_half_of_the_lists_are_better_hubs_and_none_of_them_is_worse_than_another(scores: dict[int, float]) -> None:
    better = better_hubs(scores)
    assert 2 * len(better) <= len(scores)
    others = [score for name, score in scores.items() if name not in better]
    assert all(scores[name] > max(others) for name in better)
