"""Weighted polling in rounds: the order of the groups, and that none starves."""

from __future__ import annotations

import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.strategies.polling import (
    ARTICLE_PRIORITY,
    LIST_PRIORITY,
    NEXT_PRIORITY,
    next_poll,
    priority,
    rounds_between,
    update_cycle,
    weight_groups,
)  # fmt: skip

WEIGHTS = range(1, 11)


def test_groups_stand_in_weight_order_and_keep_the_order_inside() -> None:
    channels = [("a", 3), ("b", 9), ("c", 3), ("d", 10)]
    assert weight_groups(channels, lambda channel: channel[1]) == [[("d", 10)], [("b", 9)], [("a", 3), ("c", 3)]]


@pytest.mark.parametrize(("weight", "rounds"), [(10, 1), (8, 1), (7, 2), (5, 2), (4, 4), (1, 4)])
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
        heapq.heappush(queue, (next_poll(due + 1.0, update_cycle(-negative, 60.0)), negative))
    assert [weight for due, weight in visits if due == 0.0] == sorted(WEIGHTS, reverse=True)
    assert [weight for due, weight in visits if due == 60.0] == [10, 9, 8]
    assert [weight for due, weight in visits if due == 120.0] == [10, 9, 8, 7, 6, 5]
    assert {weight for _, weight in visits} == set(WEIGHTS)


@given(st.floats(0, 4e9), st.sampled_from(WEIGHTS), st.floats(1, 1e5))
def test_the_next_poll_lies_ahead_by_at_most_one_cycle(now: float, weight: int, seconds: float) -> None:
    cycle = update_cycle(weight, seconds)
    assert now < next_poll(now, cycle) <= now + cycle * 1.000001


def test_lists_go_before_next_pages_and_these_before_articles_whatever_the_weights() -> None:
    assert priority(LIST_PRIORITY, 1) > priority(NEXT_PRIORITY, 10) > priority(NEXT_PRIORITY, 1)
    assert priority(NEXT_PRIORITY, 1) > priority(ARTICLE_PRIORITY, 10)
