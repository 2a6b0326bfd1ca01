"""In which order the list pages are asked, and when each is asked again.

Weighted polling in rounds of weight groups: the channels of one weight are a group; a round asks the groups from the highest
weight to the lowest, and the next round begins ``round_seconds`` later. Heavy groups stand in every round, light ones in
every second or fourth, so none starves: the order is strict only among those that are due together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

# (weight from, in every n-th round)
ROUNDS = ((8, 1), (5, 2), (1, 4))

# Priorities of the three kinds of work; inside each, ten points a weight. A list page goes before any article,
# because freshness is lost there first; its next pages go between.
LIST_PRIORITY = 1000
NEXT_PRIORITY = 500
ARTICLE_PRIORITY = 0
POINTS_PER_WEIGHT = 10


def weight_groups(channels: Iterable[T], weight: Callable[[T], int]) -> list[list[T]]:
    """The channels grouped by weight, heaviest group first, the order inside a group kept.

    >>> weight_groups(["a5", "b9", "c5"], lambda name: int(name[1:]))
    [['b9'], ['a5', 'c5']]
    """
    groups: dict[int, list[T]] = {}
    for channel in channels:
        groups.setdefault(weight(channel), []).append(channel)
    return [groups[key] for key in sorted(groups, reverse=True)]


def rounds_between(weight: int) -> int:
    """A channel of this weight stands in every n-th round.

    >>> [rounds_between(weight) for weight in (10, 8, 7, 5, 4, 1)]
    [1, 1, 2, 2, 4, 4]
    """
    return next((rounds for least, rounds in ROUNDS if weight >= least), ROUNDS[-1][1])


def update_cycle(weight: int, round_seconds: float) -> float:
    """Seconds between two polls of a channel of this weight.

    >>> update_cycle(5, 60.0)
    120.0
    """
    return rounds_between(weight) * round_seconds


def next_poll(now: float, cycle: float) -> float:
    """The next moment a list with this update cycle is due: the next multiple of the cycle after ``now``.

    Multiples keep the members of a group due together, which is what makes a round.

    >>> next_poll(119.0, 60.0), next_poll(120.0, 60.0)
    (120.0, 180.0)
    """
    return (now // cycle + 1) * cycle


def priority(base: int, weight: int) -> int:
    """The priority of a page whose channel has this weight.

    >>> priority(LIST_PRIORITY, 7), priority(ARTICLE_PRIORITY, 10)
    (1070, 100)
    """
    return base + POINTS_PER_WEIGHT * weight
