"""Encodes orders as numbers, so that the highest priority is claimed first.

A priority fits a signed 64-bit column and, being below 2**53, a double, the type of scores in Redis. Among equal
priorities the URL found first goes first.
"""

from __future__ import annotations

POSITIONS = 1 << 12  # positions on one page; links further down share the last
VISITS = 1 << 38  # distinguishable visits, more than any crawl makes
BAND = POSITIONS * VISITS  # the priorities of one band lie in [band * BAND, (band + 1) * BAND)
STEPS = 1_000_000  # scores closer than a millionth are equal


def newest_first(number: int, position: int) -> int:
    """A stack: the links of a later visit go first; the order on the page is kept.

    >>> newest_first(7, 0) > newest_first(7, 1) > newest_first(6, 0) >= 0
    True
    """
    return (min(number, VISITS - 1) + 1) * POSITIONS - 1 - min(position, POSITIONS - 1)


def oldest_first(number: int, position: int) -> int:
    """A queue: the links of an earlier visit go first; the order on the page is kept.

    >>> BAND > oldest_first(6, 0) > oldest_first(6, 1) > oldest_first(7, 0)
    True
    """
    return BAND - 1 - min(number, VISITS - 1) * POSITIONS - min(position, POSITIONS - 1)


def scored(score: float) -> int:
    """A score as a priority, clamped to 0-1.

    >>> scored(0.25), scored(-1.0), scored(7.0)
    (250000, 0, 1000000)
    """
    return round(min(max(0.0, score), 1.0) * STEPS)  # in this order, so that a NaN counts as 0
