"""The labelled sentences of ``tests/quality/opinions``, the training of the shipped weights, and how these do.

python -m tests.quality.opinion_lines             precision, recall and F1 on the held half
python -m tests.quality.opinion_lines --train     writes ``newsspider/topics/opinions.bin`` from the training half
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from newsspider.core.opinions.tendency import TENDENCIES, Tendency, TendencyModel, Verdict
from newsspider.core.relevance.learned_model import Head, Learned, Source
from newsspider.core.relevance.weights_file import packed
from newsspider.core.text.ngrams import headline_buckets
from newsspider.topics.opinions import tendency_model

FOLDER = Path(__file__).parent / "opinions"
WEIGHTS = Path(__file__).parents[2] / "newsspider" / "topics" / "opinions.bin"
TRAINING_ONLY = "more_"  # batches whose names begin so
BITS, C, FOLDS = 15, 10.0, 6
TARGET = 0.82  # macro F1 that the threshold shall reach, of the sentences that are not abstained from


@dataclass(frozen=True, slots=True)
class Line:
    """One labelled sentence."""

    tendency: Tendency
    form: str
    batch: str
    text: str

    @property
    def hash(self) -> bytes:
        return hashlib.sha256(self.text.encode()).digest()

    @property
    def is_held(self) -> bool:
        return self.hash[0] % 2 == 1 and not self.batch.startswith(TRAINING_ONLY)


@dataclass(frozen=True, slots=True)
class Figures:
    """How verdicts compare with labels; an abstention is missing from the answers and from the recall."""

    sentences: int
    answered: float  # the share
    precision: dict[Tendency, float]
    recall: dict[Tendency, float]
    answered_recall: dict[Tendency, float]  # of the sentences that were answered

    @property
    def macro_f1(self) -> float:
        """Of the answers."""
        return sum(_f1(self.precision[of], self.answered_recall[of]) for of in TENDENCIES) / len(TENDENCIES)

    @property
    def strict_macro_f1(self) -> float:
        """With each abstention counted as a miss."""
        return sum(_f1(self.precision[of], self.recall[of]) for of in TENDENCIES) / len(TENDENCIES)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall or 1.0)


def lines() -> Iterator[Line]:
    """All labelled sentences, file by file."""
    for path in sorted(FOLDER.glob("*.tsv")):
        for row in path.read_text("utf-8").splitlines():
            label, form, batch, text = row.split("\t")
            yield Line(Tendency(label), form, batch, text)


def figures(judged: Sequence[Line], verdicts: Sequence[Verdict], *, abstaining: bool = True) -> Figures:
    """How good these verdicts are; without ``abstaining`` the best tendency counts even where it is not sure."""
    answers = [verdict.tendency if abstaining else verdict.best for verdict in verdicts]
    pairs = Counter(zip((line.tendency for line in judged), answers, strict=True))

    def share(right: Tendency, others: list[tuple[Tendency, Tendency]]) -> float:
        return pairs[right, right] / (sum(pairs[pair] for pair in others) or 1)

    sure = sum(count for (_, answer), count in pairs.items() if answer is not Tendency.UNSURE)
    return Figures(
        len(judged),
        sure / (len(judged) or 1),
        {of: share(of, [(label, of) for label in TENDENCIES]) for of in TENDENCIES},
        {of: share(of, [(of, answer) for answer in Tendency]) for of in TENDENCIES},
        {of: share(of, [(of, answer) for answer in TENDENCIES]) for of in TENDENCIES},
    )


def trained(samples: Sequence[Line]) -> TendencyModel:
    """A model of ``samples``; its threshold is the lowest at which models that have not seen a sentence reach
    :data:`TARGET` on the batches that are also measured."""
    folds = np.array([line.hash[1] % FOLDS for line in samples])
    measured: list[Line] = []
    verdicts: list[Verdict] = []
    for fold in range(FOLDS):
        model = _fitted([line for line, of in zip(samples, folds, strict=True) if of != fold], 0.0)
        unseen = [line for line, of in zip(samples, folds, strict=True) if of == fold]
        unseen = [line for line in unseen if not line.batch.startswith(TRAINING_ONLY)]
        measured += unseen
        verdicts += [model.judge(line.text) for line in unseen]
    return _fitted(samples, _threshold(measured, verdicts))


def _threshold(measured: Sequence[Line], verdicts: Sequence[Verdict]) -> float:
    for percent in range(34, 100):
        sure = [
            Verdict(v.best if max(v.shares) >= percent / 100 else Tendency.UNSURE, v.shares) for v in verdicts
        ]
        if figures(measured, sure).macro_f1 >= TARGET:
            break
    return percent / 100


def _fitted(samples: Sequence[Line], threshold: float) -> TendencyModel:
    from sklearn.linear_model import LogisticRegression

    from newsspider.topics.training import Machines, _in_bytes, _matrix, _unit

    counts = _matrix([headline_buckets(line.text, BITS) for line in samples], BITS)
    in_texts = np.asarray((counts > 0).sum(axis=0)).ravel()
    rarity = (np.log((1 + len(samples)) / (1 + in_texts)) + 1) * (in_texts > 1)
    labels = [TENDENCIES.index(line.tendency) for line in samples]
    regression = LogisticRegression(C=C, solver="newton-cg", max_iter=5000, tol=1e-6).fit(_unit(counts, rarity), labels)
    sources = tuple(Source(of, at) for at, of in enumerate(TENDENCIES))
    return TendencyModel(_in_bytes(Machines(rarity, regression.coef_, regression.intercept_), sources), threshold)


def write(model: TendencyModel) -> None:
    """The weights file; its heads say nothing."""
    none = Head((), 0.0)
    WEIGHTS.write_bytes(packed(Learned(model.layer, none, none, thresholds=(model.threshold, model.threshold))))


def show_figures() -> None:
    model = tendency_model()
    held = [line for line in lines() if line.is_held]
    parts = {"all": held} | {f"batch {name}": [x for x in held if x.batch == name] for name in sorted({x.batch for x in held})}
    parts |= {name: [x for x in held if x.form == name] for name in sorted({x.form for x in held})}
    for name, part in parts.items():
        verdicts = [model.judge(line.text) for line in part]
        of, every = figures(part, verdicts), figures(part, verdicts, abstaining=False)
        right = sum(v.best is line.tendency for v, line in zip(verdicts, part, strict=True)) / len(part)
        sys.stdout.write(
            f"{name:16}{of.sentences:>5}  answered {of.answered:.3f}  F1 {of.macro_f1:.3f}"
            f"  F1 with abstentions as misses {of.strict_macro_f1:.3f}  F1 without abstaining {every.macro_f1:.3f}"
            f"  right without abstaining {right:.3f}\n"
        )
        if name == "all":
            for tendency in TENDENCIES:
                p, r = of.precision[tendency], of.answered_recall[tendency]
                sys.stdout.write(
                    f"  {tendency:10} P {p:.3f}  R {r:.3f}  F1 {_f1(p, r):.3f}  R with misses {of.recall[tendency]:.3f}\n"
                )


if __name__ == "__main__":
    if "--train" in sys.argv:
        write(trained([line for line in lines() if not line.is_held]))
    else:
        show_figures()
