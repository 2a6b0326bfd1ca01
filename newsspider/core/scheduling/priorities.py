"""What the weight of a channel decides: the priority of its pages and in which rounds its list is polled.

The channels of one weight are a group. A round polls the groups from the highest weight to the lowest, and the next
round begins ``round_seconds`` later. Heavy groups are in every round, light ones in every second or fourth, so none
starves: the order is strict only among lists that are due together.

Pages of one priority are ordered in ``frontier/claim_order.py``.

Source: weighted round robin, as focused news crawlers use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import TypeVar

T = TypeVar("T")

# (weight from, in every n-th round)
ROUNDS_OF_WEIGHT = ((8, 1), (5, 2), (1, 4))

# Base priorities, plus ten points per weight. List pages go before articles, because freshness is lost there first;
# their next pages go between. Within a weight, new articles are ordered by their anchor scores in steps of two points,
# and one more point if a good hub links to them.
LIST_PRIORITY = 1000
NEXT_PRIORITY = 500
ARTICLE_PRIORITY = 0
FURTHER_PRIORITY = -200  # next pages far down the list, after the articles of the others
POINTS_PER_WEIGHT = 10
POINTS_PER_STEP = 2
STEPS_OF_WORDS = POINTS_PER_WEIGHT // POINTS_PER_STEP


def rounds_between(weight: int) -> int:
    """A channel of this weight is in every n-th round.

    >>> [rounds_between(weight) for weight in (10, 8, 7, 5, 4, 1)]
    [1, 1, 2, 2, 4, 4]
    """
    return next((rounds for least, rounds in ROUNDS_OF_WEIGHT if weight >= least), ROUNDS_OF_WEIGHT[-1][1])


def update_cycle(weight: int, round_seconds: float) -> float:
    """Seconds between two polls of a channel of this weight.

    >>> update_cycle(5, 60.0)
    120.0
    """
    return rounds_between(weight) * round_seconds


def weighted_priority(base: int, weight: int) -> int:
    """The priority of a page whose channel has this weight.

    >>> weighted_priority(LIST_PRIORITY, 7), weighted_priority(ARTICLE_PRIORITY, 10)
    (1070, 100)
    """
    return base + POINTS_PER_WEIGHT * weight


def article_priority(weight: int, words: int = 0, *, hub: bool = False) -> int:
    """The priority of a new article on a list of this weight, by its anchor score (steps from 0 to below
    :data:`STEPS_OF_WORDS`) and by whether the list is one of the better hubs; never that of a heavier list.

        >>> article_priority(5), article_priority(5, hub=True), article_priority(5, 1), article_priority(5, 4, hub=True)
        (50, 51, 52, 59)
        >>> article_priority(6)
        60
    """
    return weighted_priority(ARTICLE_PRIORITY, weight) + POINTS_PER_STEP * words + hub


def better_hubs(scores: Mapping[T, float]) -> frozenset[T]:
    """The better half of the lists by hub score; none if all are equal.

    >>> sorted(better_hubs({"a": 0.1, "b": 0.3, "c": 0.2, "d": 0.4}))
    ['b', 'd']
    >>> better_hubs({"a": 0.5, "b": 0.5}), better_hubs({})
    (frozenset(), frozenset())
    """
    if not scores:
        return frozenset()
    middle = median(scores.values())
    return frozenset(name for name, score in scores.items() if score > middle)
