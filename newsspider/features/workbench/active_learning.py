"""Chooses the texts whose labels would teach the weights of a topic most.

Uncertainty sampling (Lewis and Gale, "A sequential algorithm for training text classifiers", 1994): the nearer a score
is to the threshold, the more its label says. Texts like those already chosen repeat them: the worth of a text shrinks
with its largest resemblance to one of them, as in maximal marginal relevance (Carbonell and Goldstein, 1998). Weights
that learn only from doubtful texts forget what the others are like, so half of the labels go to the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from newsspider.core.relevance.anchor_text_and_precedents import pairs_of
from newsspider.core.relevance.learned_model import log_odds_of

SUREST_SCORE = 0.0001  # a score this near to 0 or 1 is no surer than one there


class UnlabelledText(NamedTuple):
    """A text that nobody has labelled: its title, its score and the threshold for it."""

    title: str
    score: float
    threshold: float

    @property
    def uncertainty(self) -> float:
        """1 at the threshold, less with every unit of log odds away from it.

        >>> UnlabelledText("", 0.5, 0.5).uncertainty, round(UnlabelledText("", 0.9, 0.5).uncertainty, 2)
        (1.0, 0.31)
        """
        return 1 / (1 + abs(_odds(self.score) - _odds(self.threshold)))


def most_telling(candidates: Sequence[UnlabelledText], count: int) -> list[int]:
    """The places of at most ``count`` texts: half of them the most telling ones, and behind these a sample of the
    others, evenly over their scores, so that what is learned also knows what is easy.

    >>> texts = [("县中招生新规", 0.45), ("县中招生新规发布", 0.46), ("菜价上涨", 0.01), ("校服", 0.3)]
    >>> most_telling([UnlabelledText(title, score, 0.5) for title, score in texts], 3)
    [1, 3, 2]
    """
    chosen = _uncertain(candidates, (count + 1) // 2)
    others = sorted(set(range(len(candidates))) - set(chosen), key=lambda at: (candidates[at].score, at))
    sample = min(count - len(chosen), len(others))
    return [*chosen, *(others[len(others) * at // sample] for at in range(sample))]


def _uncertain(candidates: Sequence[UnlabelledText], count: int) -> list[int]:
    """The places of the texts nearest to the threshold that are not like each other."""
    pairs = [pairs_of(candidate.title) for candidate in candidates]
    uncertainty = [candidate.uncertainty for candidate in candidates]
    resemblance = [0.0] * len(candidates)
    chosen: list[int] = []
    remaining = set(range(len(candidates)))
    while remaining and len(chosen) < count:
        best = max(remaining, key=lambda at: (uncertainty[at] * (1 - resemblance[at]), -at))
        chosen.append(best)
        remaining.remove(best)
        for at in remaining:
            resemblance[at] = max(resemblance[at], _resemblance(pairs[at], pairs[best]))
    return chosen


def _resemblance(pairs: frozenset[str], other_pairs: frozenset[str]) -> float:
    shared = len(pairs & other_pairs)
    return shared / (len(pairs) + len(other_pairs) - shared) if shared else 0.0


def _odds(score: float) -> float:
    return log_odds_of(min(1 - SUREST_SCORE, max(SUREST_SCORE, score)))
