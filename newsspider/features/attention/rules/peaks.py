"""Finds the peaks: the periods with many more articles than the others."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, pstdev

LEAST_AT_PEAK = 3  # articles of a peak: fewer are chance
PEAK_DEVIATIONS = 2.0  # standard deviations above the mean
MOST_PEAKS = 5


def find_peaks(counts: Sequence[int]) -> list[int]:
    """The places of the periods that stand out, in order: the highest of its neighbours, and more than
    :data:`PEAK_DEVIATIONS` standard deviations above the mean.

    >>> find_peaks([1, 0, 2, 1, 9, 3, 1, 0, 1, 2]), find_peaks([5, 5, 5, 6])
    ([4], [])
    """
    if len(counts) < 3:
        return []
    limit = mean(counts) + PEAK_DEVIATIONS * pstdev(counts)
    padded = [-1, *counts, -1]
    tops = [
        place
        for place, count in enumerate(counts)
        if count > limit and count >= LEAST_AT_PEAK and padded[place] < count >= padded[place + 2]
    ]
    return sorted(sorted(tops, key=lambda place: -counts[place])[:MOST_PEAKS])
