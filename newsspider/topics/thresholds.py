"""Chooses the thresholds of trained weights, and measures their precision and recall at each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from newsspider.core.relevance.learned_model import Curve, log_odds_of

if TYPE_CHECKING:
    from newsspider.topics.training import Sample

# percent; few headlines are seldom mixed as what is read: there a low threshold keeps too much
LEAST_THRESHOLD, LEAST_OF_FEW = 20, 50
PRECISION_LEADS = 0.01
MANY = 200  # relevant texts: of fewer a threshold would be chance, and a point is not one text

Array = np.ndarray  # of floats


def threshold(odds: Array, samples: Sequence[Sample], least_of_few: int = LEAST_THRESHOLD) -> float:
    """The lowest probability, in steps of 0.01, at which precision is a point above recall on every source: it goes
    before recall. Sources of few relevant texts are judged together, and there precision is not below recall; where
    there are no others, it is at least ``least_of_few`` percent.

    ``odds`` are the log odds that machines give which have not seen the text.
    """
    truth = np.array([sample.relevant for sample in samples])
    of = np.array([sample.source for sample in samples])
    few = [name for name in dict.fromkeys(of.tolist()) if truth[of == name].sum() < MANY]
    least = LEAST_THRESHOLD if set(of.tolist()) - set(few) else least_of_few
    of = np.where(np.isin(of, few), "", of)
    sources = [name for name in dict.fromkeys(of.tolist()) if truth[of == name].any()]
    for percent in range(least, 100):
        predicted = odds >= log_odds_of(percent / 100)
        if all(_is_precise(predicted[of == name], truth[of == name]) for name in sources):
            return percent / 100
    return 0.99


def curve(odds: Array, samples: Sequence[Sample]) -> Curve:
    """Precision and recall at the thresholds 0.01 to 0.99, every source counting alike.

    ``odds`` are the log odds that machines give which have not seen the text.
    """
    names = [sample.source for sample in samples]
    sizes = Counter(names)
    weights = np.array([1 / sizes[name] for name in names])
    truth = np.array([sample.relevant for sample in samples])
    points = []
    for percent in range(1, 100):
        predicted = odds >= log_odds_of(percent / 100)
        right = float(weights[predicted & truth].sum())
        precision = right / float(weights[predicted].sum()) if predicted.any() else 1.0
        points.append((round(precision, 4), round(right / float(weights[truth].sum()), 4)))
    return tuple(points)


def _is_precise(predicted: Array, truth: Array) -> bool:
    right = float((predicted & truth).sum())
    lead = PRECISION_LEADS if truth.sum() >= MANY else 0.0
    return bool(right / max(1, predicted.sum()) >= right / truth.sum() + lead)
