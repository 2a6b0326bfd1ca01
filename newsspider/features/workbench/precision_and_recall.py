"""Measures scores against labels: precision, recall, F1, average precision, and how far the scores are from being
probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from newsspider.core.relevance.scoring import Document, score

if TYPE_CHECKING:
    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.features.workbench.labelled_texts import Labelled

CALIBRATION_BINS = 15  # of equal width, as is usual for the expected calibration error
FIGURE_DIGITS = 4


def measured(scored: Sequence[tuple[float, bool]], truth: Sequence[bool]) -> dict[str, float]:
    """Figures for (score, kept) of texts whose answers are ``truth``.

    >>> measured([(0.9, True), (0.8, True), (0.1, False)], [True, False, False])["precision"]
    0.5
    """
    predicted = sum(keep for _, keep in scored)
    right = sum(keep and answer for (_, keep), answer in zip(scored, truth, strict=True))
    precision, recall = right / max(1, predicted), right / max(1, sum(truth))
    figures = {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if right else 0.0,
        "average_precision": average_precision([score for score, _ in scored], truth),
        "calibration_error": calibration_error([score for score, _ in scored], truth),
    }
    return {name: round(value, FIGURE_DIGITS) for name, value in figures.items()}


def measured_on(
    topic: TopicProfile, labels: Sequence[Labelled], model: str | None
) -> tuple[dict[str, float], list[dict[str, float]]]:
    """The figures of a topic on labelled texts, and its :func:`curve`."""
    truth = [label.relevant for label in labels]
    judged = [score(topic, Document(title=label.headline, text=label.text), model) for label in labels]
    figures = measured([(row.score, row.relevant) for row in judged], truth)
    return figures, curve([row.score for row in judged], truth)


def curve(scores: Sequence[float], truth: Sequence[bool], step: int = 5) -> list[dict[str, float]]:
    """Precision, recall and F1 at thresholds ``step`` percent apart.

    >>> curve([0.9, 0.8, 0.1], [True, False, False], 50)
    [{'threshold': 0.5, 'precision': 0.5, 'recall': 1.0, 'f1': 0.6667}]
    """
    points = []
    for percent in range(step, 100, step):
        figures = measured([(score, score >= percent / 100) for score in scores], truth)
        points.append({"threshold": percent / 100, **{name: figures[name] for name in ("precision", "recall", "f1")}})
    return points


def average_precision(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The mean precision at each right text, the best score first."""
    hits, total = 0, 0.0
    for rank, (_, answer) in enumerate(sorted(zip(scores, truth, strict=True), key=lambda pair: -pair[0]), 1):
        if answer:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def bins(scores: Sequence[float], truth: Sequence[bool]) -> list[tuple[float, float, int]]:
    """The bins of the calibration that are not empty: mean score, share of right texts, number of texts."""
    pairs_by_bin: dict[int, list[tuple[float, bool]]] = {}
    for pair in zip(scores, truth, strict=True):
        pairs_by_bin.setdefault(min(CALIBRATION_BINS - 1, int(pair[0] * CALIBRATION_BINS)), []).append(pair)
    return [
        (sum(score for score, _ in pairs) / len(pairs), sum(answer for _, answer in pairs) / len(pairs), len(pairs))
        for _, pairs in sorted(pairs_by_bin.items())
    ]


def calibration_error(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The expected calibration error: the mean distance of a bin's mean score from its share of right texts."""
    off = sum(abs(sure - right) * count for sure, right, count in bins(scores, truth))
    return off / max(1, len(scores))
