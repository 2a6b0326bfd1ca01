"""Trains the weights of a topic from labelled texts: the same texts and words give the same bytes.

A linear support vector machine for each class of each source against all other texts (scikit-learn's ``LinearSVC``), on
n-grams weighted by their rarity; then a logistic regression on what machines that have not seen a text say of it, which
makes the output a probability; it is solved to the end, so that neither threads nor the kind of processor show in it.
Half of these machines are *strangers* that learned from few texts: they know the texts as badly as the full ones know a
source that they never saw, which teaches the regression how far to trust words where the grams are unsure. A text's
fold follows from its hash, so copies of a text stay together and no clock or dice takes part. What stands in one text
only says nothing of others: its bucket weighs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from newsspider.core.relevance.learned_model import (
    HEADLINE_READ,
    OPENING_READ,
    Curve,
    Layer,
    Learned,
    OutputHead,
    SourceColumns,
    Words,
    body_words,
    features_of,
    headline_words,
    log_odds_of,
    opening_features,
    whole_of,
)
from newsspider.core.text.ngrams import ZERO_BYTE, Buckets, Table, body_buckets, headline_buckets

TOPIC = "topic"  # the class of what is about it
HEADLINE_BITS, BODY_BITS = 17, 16
WEIGHT_LEVELS, SQUARE_LEVELS = 31, 255  # steps to the largest: finer ones say no more and pack worse
LEAST_TEXTS = 2  # that a bucket must stand in
HEADLINE_C, BODY_C = 1.0, 4.0  # how little the machines are held back
FOLDS = 6
STRANGERS_ONE_IN = 30  # strangers learn from one text in this many, or from the other sources
STRANGER_WEIGHT = 0.05  # what a stranger counts
BOTH_CLASSES = 2  # on topic and off topic
# texts on the topic, and texts on other things: of fewer the machines say less than the words of a profile
LEAST_EACH = 20
# slope at which a regression is solved: stopped earlier it ends elsewhere with other threads or another processor
CONVERGED_SLOPE = 1e-12
NUMBER_DIGITS = 6  # of the numbers that are not bytes: below them machines may differ
# percent; few headlines are seldom mixed as what is read: there a low threshold keeps too much
LEAST_THRESHOLD, LEAST_OF_FEW = 20, 50
PRECISION_LEADS = 0.01
MANY_TEXTS = 200  # fewest relevant texts for a threshold: with fewer, one text moves the result by a point

Array = np.ndarray  # of floats
Outputs = list[list[list[float]]]  # of the machines that know the sources, and of strangers, for each text
WordsOf = Callable[[str, str], Words]  # of a headline and a text: what the words of a profile say of them


@dataclass(frozen=True, slots=True)
class Sample:
    """One labelled text. ``kind`` is its class among those of its source: :data:`TOPIC`, or any other."""

    source: str
    kind: str
    headline: str = ""
    text: str = ""
    weight: float = 1.0  # in the regression

    @property
    def relevant(self) -> bool:
        return self.kind == TOPIC

    @property
    def hash(self) -> int:
        return crc32(f"{self.headline}\n{self.text}".encode("utf-8", "replace"))


def train_weights(samples: Sequence[Sample], words_of: WordsOf) -> Learned:
    """Weights learned from ``samples``; raises :exc:`ValueError` if they do not teach both what is on topic and what
    is not."""
    return with_bodies(of_headlines(samples, words_of), samples, words_of)


def of_headlines(samples: Sequence[Sample], words_of: WordsOf) -> Learned:
    """Weights learned from the headlines alone."""
    headlines = [sample for sample in samples if not sample.text]
    on_topic, others = _each(headlines)
    if min(on_topic, others) < LEAST_EACH:
        raise ValueError(
            f"training needs at least {LEAST_EACH} headlines on the topic and {LEAST_EACH} on other things, not"
            f" {on_topic} and {others}"
        )
    layer, outputs = _headline_layer(headlines)
    count = len(layer.sources)
    texts = [words_of(sample.headline, "") for sample in headlines]
    layers = [[features_of(layer.sources, row) for row in rows] for rows in outputs]
    words = [[headline_words(w, row, count) for w, row in zip(texts, rows, strict=True)] for rows in layers]
    alone, with_words, least, curve = _heads(layers, words, headlines, LEAST_OF_FEW)
    return Learned(layer, alone, with_words, thresholds=(least, least), curves=(curve, curve))


def with_bodies(learned: Learned, samples: Sequence[Sample], words_of: WordsOf) -> Learned:
    """These weights with what the articles among ``samples`` teach beside, if there are enough of them."""
    articles = [sample for sample in samples if sample.text]
    if min(_each(articles)) < LEAST_EACH:
        return learned
    bodies, outputs = _body_layer(articles)
    openings = [whole_of(sample.headline, sample.text)[:OPENING_READ] for sample in articles]
    beside = [opening_features(learned.headlines, opening) for opening in openings]
    layers = [[[*row, *more] for row, more in zip(rows, beside, strict=True)] for rows in outputs]
    words = [body_words(words_of(sample.headline, sample.text)) for sample in articles]
    alone, with_words, least, curve = _heads(layers, [words, words], articles, LEAST_THRESHOLD)
    thresholds, curves = (least, learned.thresholds[1]), (curve, learned.curves[1])
    return replace(learned, bodies=bodies, body_alone=alone, body_head=with_words, thresholds=thresholds, curves=curves)


def _each(samples: Sequence[Sample]) -> tuple[int, int]:
    """How many are on the topic, and how many are not."""
    on_topic = sum(sample.relevant for sample in samples)
    return on_topic, len(samples) - on_topic


def _headline_layer(samples: Sequence[Sample]) -> tuple[Layer, Outputs]:
    names = dict.fromkeys(sample.source for sample in samples)
    classes = [
        (name, kind)
        for name in names
        for kind in [TOPIC, *sorted({s.kind for s in samples if s.source == name} - {TOPIC})]
    ]
    place = {entry: at for at, entry in enumerate(classes)}
    sources = tuple(SourceColumns(name, place[name, TOPIC], sum(of == name for of, _ in classes) - 1) for name in names)
    counts = _matrix(
        [headline_buckets(sample.headline[:HEADLINE_READ], HEADLINE_BITS) for sample in samples], HEADLINE_BITS
    )
    labels = np.array([place[sample.source, sample.kind] for sample in samples])
    columns = [TrainingColumn(counts, labels == at) for at in range(len(classes))]
    return _layer(samples, columns, sources, HEADLINE_C)


def _body_layer(samples: Sequence[Sample]) -> tuple[Layer, Outputs]:
    wholes = [whole_of(sample.headline, sample.text) for sample in samples]
    relevant = np.array([sample.relevant for sample in samples])
    columns = [
        TrainingColumn(_matrix([body_buckets(text, BODY_BITS) for text in texts], BODY_BITS), relevant)
        for texts in (wholes, [whole[:OPENING_READ] for whole in wholes])
    ]
    return _layer(samples, columns, (SourceColumns("bodies", 0),), BODY_C)


def _layer(
    samples: Sequence[Sample], columns: Sequence[TrainingColumn], sources: tuple[SourceColumns, ...], c: float
) -> tuple[Layer, Outputs]:
    """The layer learned from all texts; what machines that have not seen a text's fold say of it; what strangers say
    of it."""
    folds = np.array([sample.hash for sample in samples])
    outputs = np.zeros((len(samples), len(columns)))
    for fold in range(FOLDS):
        in_training = folds % FOLDS != fold
        outputs[~in_training] = _machines(columns, in_training, c).outputs(columns, ~in_training)
    of = np.array([sample.source for sample in samples])
    strange = np.zeros(outputs.shape)
    for name in dict.fromkeys(of.tolist()):
        theirs = of == name
        in_training = ~theirs
        if len(sources) > 1 or sources[0].others or len(set(columns[0].target[in_training].tolist())) < BOTH_CLASSES:
            # the columns are those of the sources, or nothing is left to learn from
            in_training = folds % STRANGERS_ONE_IN == 0
        strange[theirs] = _machines(columns, in_training, c).outputs(columns, theirs)
    machines = _machines(columns, np.full(len(samples), fill_value=True), c)
    return _in_bytes(machines, sources), [outputs.tolist(), strange.tolist()]


@dataclass(frozen=True, slots=True)
class TrainingColumn:
    """What one machine is to learn: the counts of each bucket in each text, and of which texts it shall say yes."""

    counts: sparse.csr_matrix
    target: Array


@dataclass(frozen=True, slots=True)
class Machines:
    """What was learned: how rare each bucket is, and a row of weights and a bias for each column."""

    rarity: Array
    weights: Array
    biases: Array

    def outputs(self, columns: Sequence[TrainingColumn], rows: Array) -> Array:
        units = {id(column.counts): _unit(column.counts[rows], self.rarity) for column in columns}
        outputs = [units[id(column.counts)] @ weights for column, weights in zip(columns, self.weights, strict=True)]
        return np.column_stack(outputs) + self.biases


def _matrix(texts: Sequence[Buckets], bits: int) -> sparse.csr_matrix:
    places = np.concatenate(texts).astype(np.int32)
    ends = np.cumsum([0, *map(len, texts)])
    matrix = sparse.csr_matrix((np.ones(len(places), np.float32), places, ends), (len(texts), 1 << bits))
    matrix.sum_duplicates()
    return matrix


def _machines(columns: Sequence[TrainingColumn], in_training: Array, c: float) -> Machines:
    """The machines that learn from the texts that ``in_training`` selects. The first column's counts say how rare a
    bucket is."""
    in_texts = np.asarray((columns[0].counts[in_training] > 0).sum(axis=0)).ravel()
    rarity = (np.log((1 + in_training.sum()) / (1 + in_texts)) + 1) * (in_texts >= LEAST_TEXTS)
    units = {id(column.counts): _unit(column.counts[in_training], rarity) for column in columns}
    learned = [_machine(units[id(column.counts)], column.target[in_training], c) for column in columns]
    return Machines(rarity, np.vstack([weights for weights, _ in learned]), np.array([bias for _, bias in learned]))


def _machine(unit: sparse.csr_matrix, target: Array, c: float) -> tuple[Array, float]:
    if target.all() or not target.any():  # nothing to tell apart: it says the same of every text
        return np.zeros(unit.shape[1]), 1.0 if target.all() else -1.0
    fitted = LinearSVC(C=c, random_state=0).fit(unit, target)
    return fitted.coef_[0], float(fitted.intercept_[0])


def _unit(counts: sparse.csr_matrix, rarity: Array) -> sparse.csr_matrix:
    weighted = counts @ sparse.diags(rarity)
    squares = counts @ (rarity**2)  # as the layer counts: a bucket that two grams share counts twice
    return sparse.diags(1 / np.sqrt(np.maximum(squares, 1e-9))) @ weighted


def _in_bytes(machines: Machines, sources: tuple[SourceColumns, ...]) -> Layer:
    rarity = machines.rarity
    columns, scales = [], []
    for column in machines.weights * rarity:
        scales.append(round(float(np.abs(column).max() or 1.0) / WEIGHT_LEVELS, NUMBER_DIGITS + 3))
        columns.append(np.rint(column / scales[-1]) + ZERO_BYTE)
    scales.append(round(float((rarity**2).max() or 1.0) / SQUARE_LEVELS, NUMBER_DIGITS + 3))
    columns.append(np.rint(rarity**2 / scales[-1]))
    rows = np.column_stack(columns).astype(np.uint8)
    table = Table(rows.tobytes(), len(columns), len(rarity).bit_length() - 1)
    return Layer(table, tuple(scales), tuple(round(float(bias), NUMBER_DIGITS) for bias in machines.biases), sources)


def _heads(
    layer_outputs: Outputs, words: Outputs, samples: Sequence[Sample], least_of_few: int
) -> tuple[OutputHead, OutputHead, float, Curve]:
    """The head that hears the grams alone, the one that hears the words too, and the threshold and curve of that
    one."""
    relevant = [sample.relevant for sample in samples]
    both = [
        [[*row, *values] for row, values in zip(rows, says, strict=True)]
        for rows, says in zip(layer_outputs, words, strict=True)
    ]
    weights = [sample.weight for sample in samples]
    head, alone = _head(both, relevant, weights), _head(layer_outputs, relevant, weights)
    odds = np.array([head.odds(row).learned for row in both[0]])
    return alone, head, threshold(odds, samples, least_of_few), curve(odds, samples)


def _head(features: Outputs, relevant: Sequence[bool], weights: Sequence[float]) -> OutputHead:
    values = np.array([row for rows in features for row in rows])
    counts = np.outer([1.0, STRANGER_WEIGHT], weights).ravel()
    middle, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    regression = LogisticRegression(C=1.0, solver="newton-cholesky", tol=CONVERGED_SLOPE)
    fitted = regression.fit((values - middle) / spread, np.tile(relevant, 2), sample_weight=counts)
    weights = fitted.coef_[0] / spread
    bias = float(fitted.intercept_[0] - weights @ middle)
    return OutputHead(tuple(round(float(weight), NUMBER_DIGITS) for weight in weights), round(bias, NUMBER_DIGITS))


def threshold(odds: Array, samples: Sequence[Sample], least_of_few: int = LEAST_THRESHOLD) -> float:
    """The lowest probability, in steps of 0.01, at which precision is a point above recall on every source: it goes
    before recall. Sources of few relevant texts are judged together, and there precision is not below recall; where
    there are no others, it is at least ``least_of_few`` percent.

    ``odds`` are the log odds that machines give which have not seen the text.
    """
    truth = np.array([sample.relevant for sample in samples])
    of = np.array([sample.source for sample in samples])
    few = [name for name in dict.fromkeys(of.tolist()) if truth[of == name].sum() < MANY_TEXTS]
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
    lead = PRECISION_LEADS if truth.sum() >= MANY_TEXTS else 0.0
    return bool(right / max(1, predicted.sum()) >= right / truth.sum() + lead)
