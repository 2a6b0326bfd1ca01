"""Estimates the publication rate of a list by Bayesian inference from the number of new items that each poll finds.

Items are a Poisson process whose rate stays for days and then jumps, either back to its usual value (a burst is over)
or anywhere (the source changed). A belief is a probability for each rate of a grid. So an unknown rate, a rate that
has just risen tenfold, and a list full of new items, of which more may have scrolled away, need no special rules. It
is the textbook gamma prior with forgetting, on a grid.

Sources: J. Cho and H. Garcia-Molina, "Effective page refresh policies for Web crawlers" (TODS 2003) and "Estimating
frequency of change" (TOIT 2003), for the Poisson model and its bias when changes between two visits are missed; R. P.
Adams and D. MacKay, "Bayesian online changepoint detection" (2007), for the jumps.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, log, log1p
from operator import mul

HOUR, DAY = 3600.0, 86400.0

LOWEST_RATE, RATE_STEP, RATE_COUNT = 0.04, 1.5, 24  # items a day: 0.04 to 450
RATES = tuple(LOWEST_RATE * RATE_STEP**n for n in range(RATE_COUNT))
LOGS = tuple(log(rate) for rate in RATES)
ALIKE = (1.0,) * RATE_COUNT

# The prior of a list that was never polled: every order of magnitude from one item in ten days to a hundred a day.
LIKELY_RATES = (0.1, 100.0)
UNLIKELY_WEIGHT = 0.1

BACK_SECONDS = 5.0 * DAY  # mean time until a rate returns to its usual value
ANYWHERE_SECONDS = 20.0 * DAY  # and until it jumps anywhere
UNLIKELY_HIGH, MAY_COME_BACK = 0.05, 0.2
HABIT_SECONDS = 10.0 * DAY  # time constant for learning the usual rate


@dataclass(frozen=True, slots=True)
class Belief:
    """The probability of each of :data:`RATES` now, and the share of time at each in the last weeks (``habit``).
    Arrays, for thousands of tuples of floats, scattered over the memory, are read too slowly."""

    now: array[float]
    habit: array[float]
    rate: float  # expected, in items a day
    most: float  # 95 % upper bound


def _prior() -> array[float]:
    weights = [1.0 if LIKELY_RATES[0] <= rate <= LIKELY_RATES[1] else UNLIKELY_WEIGHT for rate in RATES]
    return array("d", [weight / sum(weights) for weight in weights])


PRIOR = _prior()
UNKNOWN = Belief(PRIOR, PRIOR, sum(map(mul, PRIOR, RATES)), RATES[-3])


def text_of(belief: Belief) -> str:
    """Serialise a belief; :func:`belief_of` reads it."""
    return json.dumps(
        [[float(f"{probability:.4g}") for probability in row] for row in (belief.now, belief.habit)],
        separators=(",", ":"),
    )


def belief_of(text: str) -> Belief:
    """The belief of a stored text; the prior if it is empty or has other rates."""
    rows = json.loads(text) if text else []
    if [len(row) for row in rows] != [RATE_COUNT, RATE_COUNT]:
        return UNKNOWN
    now, habit = (array("d", [weight / sum(row) for weight in row]) for row in rows)
    return Belief(now, habit, sum(map(mul, now, RATES)), _most(now, habit))


def learned(belief: Belief, seconds: float, days: float, new: int, *, full: bool = False) -> Belief:
    """The belief after a poll that found ``new`` items, ``seconds`` or ``days`` of average activity after the last one
    (nights count less). ``full``: all items on the list were new, so there may have been more.

    >>> round(learned(UNKNOWN, DAY, 1.0, 5).rate)
    5
    >>> learned(UNKNOWN, DAY, 1.0, 20, full=True).rate > learned(UNKNOWN, DAY, 1.0, 20).rate
    True
    """
    weighed = _weighed(belief, seconds, _at_least(new, days) if full else _exactly(new, days))
    total = sum(weighed)
    if not total:  # impossible under every rate: learn nothing
        weighed, total = _weighed(belief, seconds, ALIKE), 1.0
    now = [weight / total for weight in weighed]
    share = 1.0 - exp(-seconds / HABIT_SECONDS)
    habit = [old + (new - old) * share for old, new in zip(belief.habit, now, strict=True)]
    return Belief(array("d", now), array("d", habit), sum(map(mul, now, RATES)), _most(now, habit))


def _weighed(belief: Belief, seconds: float, likelihood: Sequence[float]) -> list[float]:
    """The probabilities of the rates after this many seconds without observation, each times its likelihood."""
    back, anywhere = 1.0 - exp(-seconds / BACK_SECONDS), 1.0 - exp(-seconds / ANYWHERE_SECONDS)
    stays, back = (1.0 - back) * (1.0 - anywhere), back * (1.0 - anywhere)
    return [
        (stays * probability + back * usual + anywhere * prior) * likely
        for probability, usual, prior, likely in zip(belief.now, belief.habit, PRIOR, likelihood, strict=True)
    ]


def _most(now: Sequence[float], habit: Sequence[float]) -> float:
    """The rate exceeded with a probability of :data:`UNLIKELY_HIGH`, if the usual rate may return at any moment."""
    remaining = UNLIKELY_HIGH
    for n in range(RATE_COUNT - 1, 0, -1):
        remaining -= (1.0 - MAY_COME_BACK) * now[n] + MAY_COME_BACK * habit[n]
        if remaining < 0.0:
            return RATES[n]
    return RATES[0]


def _exactly(new: int, days: float) -> list[float]:
    """The likelihood of ``new`` items at each rate, up to a common factor."""
    if not new:
        return [exp(-rate * days) for rate in RATES]
    logs = [new * log_rate - rate * days for log_rate, rate in zip(LOGS, RATES, strict=True)]
    top = max(logs)
    return [exp(log_rate - top) for log_rate in logs]


def _at_least(new: int, days: float) -> Sequence[float]:
    """The likelihood of ``new`` items or more at each rate: the tail of the Poisson distribution."""
    logs = [_tail(new, rate * days) for rate in RATES]
    top = max(logs)
    return [exp(log_likelihood - top) for log_likelihood in logs]


def _tail(new: int, mean: float) -> float:
    """The logarithm of the probability of ``new`` items or more."""
    if mean >= new:
        return 0.0
    mean = max(mean, 1e-300)
    return min(0.0, new * log(mean) - mean - lgamma(new + 1) - log1p(-mean / (new + 1)))
