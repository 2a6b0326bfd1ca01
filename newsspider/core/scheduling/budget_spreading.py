"""How a budget that comes evenly is spent where some hours need more of it: what quiet hours leave is saved for busy
ones.

Where n requests of an interval cost pull^2 / n of waiting (the pull is the sum of sqrt(weight x rate) over the lists,
and the time), as many as the pull asks for are best; but none can be spent before it has come, nor saved beyond what is
kept. So what was spent by each moment lies between two lines, and over the sum of the pulls the cheapest way is the
shortest: a string drawn taut between the lines, whatever convex function the cost is.

Source: P. L. Davies and A. Kovac, "Local extremes, runs, strings and multiresolution" (Annals of Statistics 2001), for
the string and how it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

LEAST = 1e-6  # times the strongest pull: so much asks every interval for


def spending(pulls: Sequence[float], most: float) -> list[float]:
    """What is spent in each of some intervals of one length, of a budget of 1 in each, if at most ``most`` can be
    saved; nothing is in the beginning, nor left in the end. No pull is below 0, no share 0.

    >>> [round(each, 6) for each in spending([1.0, 3.0, 1.0, 1.0], 0.5)]
    [0.5, 1.5, 1.0, 1.0]
    >>> spending([0.0, 0.0], 0.5)
    [1.0, 1.0]
    """
    count = len(pulls)
    least = LEAST * max(pulls, default=0.0) or 1.0
    places = list(accumulate([max(pull, least) for pull in pulls], initial=0.0))
    upper = [float(n) for n in range(count + 1)]
    lower = [max(0.0, each - most) for each in upper]
    lower[-1] = upper[-1]
    spent = [0.0] * (count + 1)
    at = 0
    while at < count:
        steepest, flattest, above, below = float("inf"), float("-inf"), at, at
        for n in range(at + 1, count + 1):
            way = places[n] - places[at]
            highest, lowest = (upper[n] - spent[at]) / way, (lower[n] - spent[at]) / way
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
    return [after - before for before, after in pairwise(spent)]
