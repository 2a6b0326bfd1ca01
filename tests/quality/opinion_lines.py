"""The labelled sentences of ``tests/quality/opinions``, the training of the shipped weights, and how these do.

python -m tests.quality.opinion_lines             agreement of the labels, precision and recall on the held sentences
python -m tests.quality.opinion_lines --train     writes ``newsspider/features/events/opinions.bin`` from the others
"""

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from newsspider.core.relevance.learned_model import Learned, OutputHead, SourceColumns, pack_weights
from newsspider.core.text.ngrams import headline_buckets
from newsspider.features.events.criticism import CriticismModel, criticism_model

FOLDER = Path(__file__).parent / "opinions"
HELD, AFTER = FOLDER / "twice.tsv", FOLDER / "after.tsv"
WEIGHTS = Path(__file__).parents[2] / "newsspider/features/events/opinions.bin"
NEGATIVE = "negative"
BITS, C, FOLDS = 18, 10.0, 6
TARGET = 0.93  # precision that the threshold shall reach on sentences kept from training in turn


@dataclass(frozen=True, slots=True)
class Line:
    """A labelled sentence."""

    is_critical: bool
    text: str


@dataclass(frozen=True, slots=True)
class Figures:
    """How the verdicts compare with the labels."""

    sentences: int
    precision: float
    recall: float


def held_rows() -> list[list[str]]:
    """Both labels and the text of each held sentence."""
    return [row.split("\t") for row in HELD.read_text("utf-8").splitlines()]


def held() -> list[Line]:
    """The held sentences whose labels agree."""
    return [Line(first == NEGATIVE, text) for first, second, text in held_rows() if first == second]


def after() -> list[Line]:
    """Sentences that were written after the model was trained."""
    rows = (row.split("\t") for row in AFTER.read_text("utf-8").splitlines())
    return [Line(label == NEGATIVE, text) for label, text in rows]


def for_training() -> Iterator[Line]:
    for path in sorted(FOLDER.glob("*.tsv")):
        if path not in {HELD, AFTER}:
            for row in path.read_text("utf-8").splitlines():
                label, _, _, text = row.split("\t")
                yield Line(label == NEGATIVE, text)


def kappa(rows: Sequence[Sequence[str]]) -> float:
    """Cohen's kappa of the first two columns."""
    first, second = (Counter(row[column] for row in rows) for column in (0, 1))
    seen = sum(row[0] == row[1] for row in rows) / len(rows)
    chance = sum(first[label] * second[label] for label in first) / len(rows) ** 2
    return (seen - chance) / (1 - chance)


def figures(model: CriticismModel, lines: Sequence[Line]) -> Figures:
    said = [line.is_critical for line in lines if model.odds(line.text) >= model.threshold]
    return Figures(len(lines), sum(said) / (len(said) or 1), sum(said) / sum(line.is_critical for line in lines))


def trained(lines: Sequence[Line]) -> CriticismModel:
    """A model of ``lines``; its threshold is the lowest at which models that have not seen a sentence reach
    :data:`TARGET`."""
    folds = [hashlib.sha256(line.text.encode()).digest()[1] % FOLDS for line in lines]
    odds: list[tuple[float, bool]] = []
    for fold in range(FOLDS):
        model = _fitted([line for line, of in zip(lines, folds, strict=True) if of != fold], 0.0)
        unseen = [line for line, of in zip(lines, folds, strict=True) if of == fold]
        odds += [(model.odds(line.text), line.is_critical) for line in unseen]
    odds.sort(reverse=True)
    right = np.cumsum([is_critical for _, is_critical in odds]) / np.arange(1, len(odds) + 1)
    return _fitted(lines, odds[int(np.flatnonzero(right >= TARGET)[-1])][0])


def _fitted(lines: Sequence[Line], threshold: float) -> CriticismModel:
    from sklearn.linear_model import LogisticRegression

    from newsspider.features.workbench.training import Machines, _in_bytes, _matrix, _unit

    counts = _matrix([headline_buckets(line.text, BITS) for line in lines], BITS)
    in_texts = np.asarray((counts > 0).sum(axis=0)).ravel()
    rarity = (np.log((1 + len(lines)) / (1 + in_texts)) + 1) * (in_texts > 1)
    labels = [line.is_critical for line in lines]
    regression = LogisticRegression(C=C, solver="newton-cg", max_iter=5000, tol=1e-6).fit(_unit(counts, rarity), labels)
    machines = Machines(rarity, regression.coef_, regression.intercept_)
    return CriticismModel(_in_bytes(machines, (SourceColumns(NEGATIVE, 0),)), round(threshold, 2))


def write(model: CriticismModel) -> None:
    """The weights file; its heads say nothing."""
    none = OutputHead((), 0.0)
    WEIGHTS.write_bytes(pack_weights(Learned(model.layer, none, none, thresholds=(model.threshold, model.threshold))))


if __name__ == "__main__":
    if "--train" in sys.argv:
        write(trained(list(for_training())))
    else:
        sys.stdout.write(f"kappa {kappa(held_rows()):.3f}\n")
        for lines in (held(), after(), held() + after()):
            sys.stdout.write(f"{figures(criticism_model(), lines)}\n")
