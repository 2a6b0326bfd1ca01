"""How often a list brings something new: a belief over rates, learned from how many new items each poll found.

Items are taken for a Poisson process whose rate stays for days and then jumps: back to where it mostly is (a burst is
over), or anywhere (the source changed). A belief is the probability of each of a row of rates; so a rate that is hardly
known, one that has just risen tenfold and a list that showed nothing but new items, of which more may have scrolled
away, need no rules of their own: they are what Bayes' theorem makes of them. It is the gamma prior of the textbooks
with forgetting, on a grid.

Sources: J. Cho and H. Garcia-Molina, "Effective page refresh policies for Web crawlers" (TODS 2003) and "Estimating
frequency of change" (TOIT 2003), for the Poisson model and its bias where changes between two visits are not all seen;
R. P. Adams and D. MacKay, "Bayesian online changepoint detection" (2007), for the jumps.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, log, log1p
from operator import mul

HOUR, DAY = 3600.0, 86400.0

LOWEST, STEP, COUNT = 0.04, 1.5, 24  # items a day: 0.04 to 450
RATES = tuple(LOWEST * STEP**n for n in range(COUNT))
LOGS = tuple(log(rate) for rate in RATES)
ALIKE = (1.0,) * COUNT

# What is believed of a list that was never polled: any order of magnitude between one item in ten days and a hundred a
# day.
LIKELY = (0.1, 100.0)
UNLIKELY = 0.1

BACK = 5.0 * DAY  # how long a rate stays before it is again where it mostly is
ANYWHERE = 20.0 * DAY  # and before it is anywhere
HARDLY, MAY_COME_BACK = 0.05, 0.2
HABIT = 10.0 * DAY  # how slowly it is learned where the rate mostly is


@dataclass(frozen=True, slots=True)
class Belief:
    """The probability of each of :data:`RATES` now, and the share of the time at each in the last weeks.

    Arrays, which nobody changes: of ten thousand beliefs, reading tuples of floats from all over the memory takes
    longer than to reckon.
    """

    now: array[float]
    habit: array[float]
    rate: float  # expected, in items a day
    most: float  # it is hardly higher than that


def _prior() -> array[float]:
    weights = [1.0 if LIKELY[0] <= rate <= LIKELY[1] else UNLIKELY for rate in RATES]
    return array("d", [weight / sum(weights) for weight in weights])


PRIOR = _prior()
UNKNOWN = Belief(PRIOR, PRIOR, sum(map(mul, PRIOR, RATES)), RATES[-3])


def text_of(belief: Belief) -> str:
    """A belief as a text to be stored; :func:`belief_of` reads it."""
    return json.dumps(
        [[float(f"{each:.4g}") for each in row] for row in (belief.now, belief.habit)], separators=(",", ":")
    )


def belief_of(text: str) -> Belief:
    """The belief of a stored text; of an empty one, and of one with other rates than these, what is believed of any
    list."""
    rows = json.loads(text) if text else []
    if [len(row) for row in rows] != [COUNT, COUNT]:
        return UNKNOWN
    now, habit = (array("d", [each / sum(row) for each in row]) for row in rows)
    return Belief(now, habit, sum(map(mul, now, RATES)), _most(now, habit))


def learned(belief: Belief, seconds: float, days: float, new: int, *, full: bool = False) -> Belief:
    """What is believed after a poll that found ``new`` items, so many ``seconds`` after the one before.

    ``days`` are those seconds in days of average business: by night they count less (see
    :mod:`newsspider.core.scheduling.publication_profile`). ``full``: all that the list showed was new, so there may
    have been more.

    >>> round(learned(UNKNOWN, DAY, 1.0, 5).rate)
    5
    >>> learned(UNKNOWN, DAY, 1.0, 20, full=True).rate > learned(UNKNOWN, DAY, 1.0, 20).rate
    True
    """
    weighed = _weighed(belief, seconds, _at_least(new, days) if full else _exactly(new, days))
    total = sum(weighed)
    if not total:  # a miracle teaches nothing
        weighed, total = _weighed(belief, seconds, ALIKE), 1.0
    now = [each / total for each in weighed]
    share = 1.0 - exp(-seconds / HABIT)
    habit = [old + (new - old) * share for old, new in zip(belief.habit, now, strict=True)]
    return Belief(array("d", now), array("d", habit), sum(map(mul, now, RATES)), _most(now, habit))


def _weighed(belief: Belief, seconds: float, likelihood: Sequence[float]) -> list[float]:
    """The probabilities of the rates when so many seconds have passed without a look, each times its likelihood."""
    back, anywhere = 1.0 - exp(-seconds / BACK), 1.0 - exp(-seconds / ANYWHERE)
    stays, back = (1.0 - back) * (1.0 - anywhere), back * (1.0 - anywhere)
    return [
        (stays * p + back * usual + anywhere * prior) * likely
        for p, usual, prior, likely in zip(belief.now, belief.habit, PRIOR, likelihood, strict=True)
    ]


def _most(now: Sequence[float], habit: Sequence[float]) -> float:
    """The rate above which it is with a probability of :data:`HARDLY` only, if what is usual may come back at any
    moment."""
    left = HARDLY
    for n in range(COUNT - 1, 0, -1):
        left -= (1.0 - MAY_COME_BACK) * now[n] + MAY_COME_BACK * habit[n]
        if left < 0.0:
            return RATES[n]
    return RATES[0]


def _exactly(new: int, days: float) -> list[float]:
    """How likely so many items are at each rate, but for a common factor."""
    if not new:
        return [exp(-rate * days) for rate in RATES]
    logs = [new * each - rate * days for each, rate in zip(LOGS, RATES, strict=True)]
    top = max(logs)
    return [exp(each - top) for each in logs]


def _at_least(new: int, days: float) -> Sequence[float]:
    """How likely so many items or more are at each rate: the Poisson distribution's tail."""
    logs = [_tail(new, rate * days) for rate in RATES]
    top = max(logs)
    return [exp(each - top) for each in logs]


def _tail(new: int, mean: float) -> float:
    """The logarithm of the probability of so many items or more."""
    if mean >= new:
        return 0.0
    mean = max(mean, 1e-300)
    return min(0.0, new * log(mean) - mean - lgamma(new + 1) - log1p(-mean / (new + 1)))
