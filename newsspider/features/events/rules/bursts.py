"""Burst detection: finds the hot (trending) words, which are used more than their own past lets expect.

Kleinberg's two-state automaton for batches ("Bursty and Hierarchical Structure in Streams", 2002, section 4). How much
more a word must burst to be called hot is decided in ``features/events/hot_words.py``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

BURST_RATIO = 3.0  # of the share of articles that a bursting word has, to its usual share
GAMMA = 1.0  # of the cost to begin a burst
MOST_EXPECTED = 0.99  # share of articles


def burst_weight(counts: Sequence[int], totals: Sequence[int]) -> float:
    """The weight of a burst in the last period: how much better a burst explains it than the usual share of the earlier
    periods does, in natural logarithms; 0 if the word does not burst there.

    ``counts`` are the articles with the word in each period, ``totals`` all articles.

    >>> burst_weight([1, 0, 1, 9], [50, 50, 50, 50]) > 4, burst_weight([3, 2, 3, 3], [50, 50, 50, 50])
    (True, 0.0)
    """
    if not counts[-1]:
        return 0.0
    usual = (sum(counts[:-1]) + 1) / (sum(totals[:-1]) + 2)  # by Laplace's rule, for words that were never there
    bursting = min(BURST_RATIO * usual, MOST_EXPECTED)
    if bursting <= usual:
        return 0.0
    rise = GAMMA * math.log(len(counts) + 1)
    low, high = 0.0, rise  # the least costs of a way that ends in each state
    gain = 0.0
    for count, total in zip(counts, totals, strict=True):
        gain = count * math.log(bursting / usual) + (total - count) * math.log((1 - bursting) / (1 - usual))
        low, high = min(low, high), min(low + rise, high) - gain
    return gain if high < low and gain > 0 else 0.0


def expected_articles(counts: Sequence[int], totals: Sequence[int]) -> float:
    """How many articles of the last period are expected from the share in the earlier periods.

    >>> expected_articles([1, 1, 9], [50, 50, 100])
    2.0
    """
    earlier_total = sum(totals[:-1])
    return sum(counts[:-1]) / earlier_total * totals[-1] if earlier_total else 0.0
