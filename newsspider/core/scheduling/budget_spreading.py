"""Spreads an even request budget over time: what quiet hours do not need is saved for busy ones.

With n requests in an interval, waiting costs pull^2 / n (pull: the sum of sqrt(weight x rate) over the lists, times
the length), so the best n is proportional to the pull. But a request cannot be spent before it is earned, and only so
many can be saved. The cumulative spending therefore lies between two lines, and over the cumulative pull the cheapest
curve is the shortest: a taut string between the lines, for any convex cost.

Source: P. L. Davies and A. Kovac, "Local extremes, runs, strings and multiresolution" (Annals of Statistics 2001),
for the taut-string algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

LEAST_PULL = 1e-6  # of the strongest pull: the least pull of an interval


def spending(pulls: Sequence[float], most: float) -> list[float]:
    """The spending in each interval, for a budget of 1 per interval of which at most ``most`` can be saved. Nothing is
    saved at the start, nothing left at the end. Pulls are at least 0; every share is above 0.

    >>> [round(share, 6) for share in spending([1.0, 3.0, 1.0, 1.0], 0.5)]
    [0.5, 1.5, 1.0, 1.0]
    >>> spending([0.0, 0.0], 0.5)
    [1.0, 1.0]
    """
    count = len(pulls)
    least = LEAST_PULL * max(pulls, default=0.0) or 1.0
    places = list(accumulate([max(pull, least) for pull in pulls], initial=0.0))
    upper = [float(n) for n in range(count + 1)]
    lower = [max(0.0, earned - most) for earned in upper]
    lower[-1] = upper[-1]
    spent = [0.0] * (count + 1)
    at = 0
    while at < count:
        steepest, flattest, above, below = float("inf"), float("-inf"), at, at
        for n in range(at + 1, count + 1):
            distance = places[n] - places[at]
            highest, lowest = (upper[n] - spent[at]) / distance, (lower[n] - spent[at]) / distance
            if highest < flattest:
                bend, slope = below, flattest
                break
            if lowest > steepest:
                bend, slope = above, steepest
                break
            if highest <= steepest:
                steepest, above = highest, n
            if lowest >= flattest:
                flattest, below = lowest, n
        else:
            bend, slope = count, flattest
        for n in range(at + 1, bend + 1):
            spent[n] = spent[at] + slope * (places[n] - places[at])
        at = bend
    return [end - start for start, end in pairwise(spent)]
