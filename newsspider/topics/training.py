"""Trains the weights of a topic from labelled texts: the same texts and words give the same bytes.

A linear support vector machine for each class of each source against all other texts (scikit-learn's ``LinearSVC``), on n-grams
weighted by their rarity; then a logistic regression on what machines that have not seen a text say of it, which makes the
output a probability. Half of these machines are *strangers* that learned from few texts: they know the texts as badly as the
full ones know a source that they never saw, which teaches the regression how far to trust words where the grams are unsure.
A text's fold follows from its hash, so copies of a text stay together and no clock or dice takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from newsspider.core.learned import (
    BODY_READ,
    HEADLINE_READ,
    Head,
    Layer,
    Learned,
    Source,
    Words,
    body_features,
    body_words,
    features_of,
    headline_words,
    log_odds_of,
)
from newsspider.core.ngrams import MIDDLE, Gram, Table, body_grams, bucket, headline_grams

TOPIC = "topic"  # the class of what is about it
HEADLINE_BITS, BODY_BITS = 17, 16
WEIGHT_LEVELS, SQUARE_LEVELS = 127, 255  # what a byte tells apart
HEADLINE_C, BODY_C = 1.0, 4.0  # how little the machines are held back
FOLDS = 6
FEW = 30  # strangers learn from one text in so many, or from the other sources
HEADLINE_STRANGERS, BODY_STRANGERS = 0.2, 0.3  # what a stranger counts: articles differ more from source to source
BOTH = 2  # on topic and off topic
CLIPPED = 0.9995  # quantile of the weights that is the largest a byte holds
LEAST_THRESHOLD = 20  # percent
PRECISION_LEADS = 0.005
MANY = 200  # relevant texts: of fewer a threshold would be chance
DIGITS = 6  # of the numbers that are not bytes: below them machines may differ

Array = np.ndarray  # of floats
Outputs = list[list[list[float]]]  # of the machines that know the sources, and of strangers, for each text
Heard = Callable[[str, str], Words]  # what a profile's words say of (headline, text)


@dataclass(frozen=True, slots=True)
class Sample:
    """One labelled text. ``kind`` is its class among those of its source: :data:`TOPIC`, or any other."""

    source: str
    kind: str
    headline: str = ""
    text: str = ""

    @property
    def relevant(self) -> bool:
        return self.kind == TOPIC

    @property
    def hash(self) -> int:
        return crc32(f"{self.headline}\n{self.text}".encode("utf-8", "replace"))


def trained(samples: Sequence[Sample], heard: Heard) -> Learned:
    """Weights learned from ``samples``; raises :exc:`ValueError` if they do not teach both what is on topic and what is not."""
    headlines = [sample for sample in samples if not sample.text]
    articles = [sample for sample in samples if sample.text]
    if len({sample.relevant for sample in headlines}) < BOTH:
        raise ValueError("training needs headlines on the topic and headlines on other things")
    layer, outputs = _headline_layer(headlines)
    count = len(layer.sources)
    said = [heard(sample.headline, "") for sample in headlines]
    found = [[features_of(layer.sources, row) for row in rows] for rows in outputs]
    words = [[headline_words(w, row, count) for w, row in zip(said, rows, strict=True)] for rows in found]
    alone, with_words, least = _heads(found, words, headlines, HEADLINE_STRANGERS)
    if len({sample.relevant for sample in articles}) < BOTH:
        return Learned(layer, alone, with_words, thresholds=(least, least))
    bodies, outputs = _body_layer(articles)
    leads = [body_features(layer, bodies, sample.headline, sample.text)[1:] for sample in articles]
    found = [[[*row, *lead] for row, lead in zip(rows, leads, strict=True)] for rows in outputs]
    body = [body_words(heard(sample.headline, sample.text)) for sample in articles]
    body_alone, body_head, article_least = _heads(found, [body, body], articles, BODY_STRANGERS)
    return Learned(layer, alone, with_words, bodies, body_alone, body_head, (article_least, least))


def threshold(odds: Array, samples: Sequence[Sample]) -> float:
    """The lowest probability, in steps of 0.01, at which precision is half a point above recall on every source: it goes before recall.
    Sources of few relevant texts are judged together.

    ``odds`` are the log odds that machines give which have not seen the text.
    """
    truth = np.array([sample.relevant for sample in samples])
    of = np.array([sample.source for sample in samples])
    few = [name for name in dict.fromkeys(of.tolist()) if truth[of == name].sum() < MANY]
    of = np.where(np.isin(of, few), "", of)
    sources = [name for name in dict.fromkeys(of.tolist()) if truth[of == name].any()]
    for percent in range(LEAST_THRESHOLD, 100):
        kept = odds >= log_odds_of(percent / 100)
        if all(_is_precise(kept[of == name], truth[of == name]) for name in sources):
            return percent / 100
    return 0.99


def _is_precise(kept: Array, truth: Array) -> bool:
    right = float((kept & truth).sum())
    return bool(right / max(1, kept.sum()) >= right / truth.sum() + PRECISION_LEADS)


def _headline_layer(samples: Sequence[Sample]) -> tuple[Layer, Outputs]:
    names = dict.fromkeys(sample.source for sample in samples)
    classes = [(name, kind) for name in names for kind in [TOPIC, *sorted({s.kind for s in samples if s.source == name} - {TOPIC})]]
    place = {entry: at for at, entry in enumerate(classes)}
    sources = tuple(
        Source(name, place[name, TOPIC], tuple(at for at, (of, kind) in enumerate(classes) if of == name and kind != TOPIC))
        for name in names
    )
    texts = [headline_grams(sample.headline[:HEADLINE_READ]) for sample in samples]
    labels = np.array([place[sample.source, sample.kind] for sample in samples])
    targets = [labels == at for at in range(len(classes))]
    return _layer(samples, texts, targets, sources, HEADLINE_BITS, HEADLINE_C)


def _body_layer(samples: Sequence[Sample]) -> tuple[Layer, Outputs]:
    texts = [body_grams(f"{s.headline}\n{s.text[:BODY_READ]}" if s.headline else s.text[:BODY_READ]) for s in samples]
    targets = [np.array([sample.relevant for sample in samples])]
    return _layer(samples, texts, targets, (Source("bodies", 0),), BODY_BITS, BODY_C)


def _layer(
    samples: Sequence[Sample], texts: Sequence[Collection[Gram]], targets: list[Array], sources: tuple[Source, ...], bits: int, c: float
) -> tuple[Layer, Outputs]:
    """The layer learned from all texts; what machines that have not seen a text's fold say of it; what strangers say of it."""
    counts = _matrix(texts, bits)
    folds = np.array([sample.hash for sample in samples])
    outputs = np.zeros((len(texts), len(targets)))
    for fold in range(FOLDS):
        seen = folds % FOLDS != fold
        rarity, weights, biases = _machines(counts[seen], [target[seen] for target in targets], c)
        outputs[~seen] = _unit(counts[~seen], rarity) @ weights.T + biases
    of = np.array([sample.source for sample in samples])
    strange = np.zeros((len(texts), len(targets)))
    for name in dict.fromkeys(of.tolist()):
        theirs = of == name
        seen = ~theirs
        if len(targets) > 1 or len(set(targets[0][seen].tolist())) < BOTH:  # no column of its own, or nothing to learn
            seen = folds % FEW == 0
        rarity, weights, biases = _machines(counts[seen], [target[seen] for target in targets], c)
        strange[theirs] = _unit(counts[theirs], rarity) @ weights.T + biases
    rarity, weights, biases = _machines(counts, targets, c)
    return _in_bytes(rarity, weights * rarity, biases, sources, bits), [outputs.tolist(), strange.tolist()]


def _matrix(texts: Sequence[Collection[Gram]], bits: int) -> sparse.csr_matrix:
    known: dict[Gram, int] = {}
    places: list[int] = []
    ends = [0]
    for grams in texts:
        for gram in grams:
            if gram not in known:
                known[gram] = bucket(gram, bits)
        places += sorted(known[gram] for gram in grams)
        ends.append(len(places))
    found = sparse.csr_matrix((np.ones(len(places), np.float32), np.array(places, np.int32), np.array(ends)), (len(texts), 1 << bits))
    found.sum_duplicates()
    return found


def _machines(counts: sparse.csr_matrix, targets: list[Array], c: float) -> tuple[Array, Array, Array]:
    in_texts = np.asarray((counts > 0).sum(axis=0)).ravel()
    rarity = np.log((1 + counts.shape[0]) / (1 + in_texts)) + 1
    unit = _unit(counts, rarity)
    machines = [_machine(unit, target, c) for target in targets]
    return rarity, np.vstack([weights for weights, _ in machines]), np.array([bias for _, bias in machines])


def _machine(unit: sparse.csr_matrix, target: Array, c: float) -> tuple[Array, float]:
    if target.all() or not target.any():  # nothing to tell apart: it says the same of every text
        return np.zeros(unit.shape[1]), 1.0 if target.all() else -1.0
    fitted = LinearSVC(C=c, random_state=0).fit(unit, target)
    return fitted.coef_[0], float(fitted.intercept_[0])


def _unit(counts: sparse.csr_matrix, rarity: Array) -> sparse.csr_matrix:
    weighted = counts @ sparse.diags(rarity)
    squares = counts @ (rarity**2)  # as the layer counts: a bucket that two grams share counts twice
    return sparse.diags(1 / np.sqrt(np.maximum(squares, 1e-9))) @ weighted


def _in_bytes(rarity: Array, weights: Array, biases: Array, sources: tuple[Source, ...], bits: int) -> Layer:
    columns, scales = [], []
    for column in weights:
        most = float(np.quantile(np.abs(column[column != 0]), CLIPPED)) if column.any() else 1.0
        scales.append(round(most / WEIGHT_LEVELS, DIGITS + 3))
        columns.append(np.clip(np.rint(column / scales[-1]), -WEIGHT_LEVELS, WEIGHT_LEVELS) + MIDDLE)
    scales.append(round(float((rarity**2).max()) / SQUARE_LEVELS, DIGITS + 3))
    columns.append(np.clip(np.rint(rarity**2 / scales[-1]), 1, SQUARE_LEVELS))
    rows = np.column_stack(columns).astype(np.uint8).tobytes()
    table = Table(rows, len(columns), bits)
    return Layer(table, tuple(scales), tuple(round(float(bias), DIGITS) for bias in biases), sources)


def _heads(found: Outputs, words: Outputs, samples: Sequence[Sample], strangers: float) -> tuple[Head, Head, float]:
    """The head that hears the grams alone, the one that hears the words too, and the threshold of that one."""
    relevant = [sample.relevant for sample in samples]
    both = [[[*row, *said] for row, said in zip(rows, says, strict=True)] for rows, says in zip(found, words, strict=True)]
    head, alone = _head(both, relevant, strangers), _head(found, relevant, strangers)
    return alone, head, threshold(np.array([head.odds(row).learned for row in both[0]]), samples)


def _head(features: Outputs, relevant: Sequence[bool], strangers: float) -> Head:
    values = np.array([row for rows in features for row in rows])
    counts = np.repeat([1.0, strangers], len(relevant))
    middle, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    regression = LogisticRegression(C=1.0, max_iter=3000, tol=1e-6)
    fitted = regression.fit((values - middle) / spread, np.tile(relevant, 2), sample_weight=counts)
    weights = fitted.coef_[0] / spread
    bias = float(fitted.intercept_[0] - weights @ middle)
    return Head(tuple(round(float(weight), DIGITS) for weight in weights), round(bias, DIGITS))
