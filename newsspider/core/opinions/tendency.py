"""The tendency (sentiment) of a sentence: whether it praises, blames, or does neither.

A trained linear model over character n-grams (a :class:`~newsspider.core.relevance.learned_model.Layer` with one
column a tendency) gives each tendency a probability. Where the best one is below the model's threshold the model
abstains: the sentence is *unsure*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import exp

from newsspider.core.relevance.learned_model import HEADLINE_READ, Layer, word_contributions
from newsspider.core.text.ngrams import headline_buckets
from newsspider.core.text.words import cut

DECIDING = 4  # words that a verdict names
LEAST_WEIGHT = 0.05


class Tendency(StrEnum):
    """What a sentence says of its subject; ``unsure``: the model abstains."""

    POSITIVE = "positive"
    NEUTRAL = "neutral"
    NEGATIVE = "negative"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The tendency of a sentence and the probability of each tendency, in the order positive, neutral, negative."""

    tendency: Tendency
    shares: tuple[float, float, float]

    @property
    def best(self) -> Tendency:
        """The most probable tendency, be the model sure or not."""
        return TENDENCIES[self.shares.index(max(self.shares))]


TENDENCIES = (Tendency.POSITIVE, Tendency.NEUTRAL, Tendency.NEGATIVE)


@dataclass(frozen=True, slots=True)
class TendencyModel:
    """Trained weights, with a column for each of :data:`TENDENCIES`, and the probability from which it is sure."""

    layer: Layer = field(repr=False)
    threshold: float

    def judge(self, sentence: str) -> Verdict:
        """The tendency of one sentence."""
        outputs = self.layer.outputs(headline_buckets(sentence[:HEADLINE_READ], self.layer.table.bits))
        odds = [exp(output) for output in outputs]
        whole = sum(odds)
        shares = (odds[0] / whole, odds[1] / whole, odds[2] / whole)
        best = TENDENCIES[shares.index(max(shares))]
        return Verdict(best if max(shares) >= self.threshold else Tendency.UNSURE, shares)

    def reasons(self, sentence: str) -> dict[str, float]:
        """The words that speak most for the best tendency of a sentence, heaviest first, and the share of each in the
        weights of all its words."""
        text = " ".join(sentence[:HEADLINE_READ].split())
        weights = word_contributions(self.layer, text, cut(text))
        whole = sum(map(abs, weights.values())) or 1.0
        heaviest = sorted(weights.items(), key=lambda entry: -entry[1] if entry[0].isalnum() else 0.0)[:DECIDING]
        least = LEAST_WEIGHT * whole
        return {word: round(weight / whole, 2) for word, weight in heaviest if weight >= least and word.isalnum()}
