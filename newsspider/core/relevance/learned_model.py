"""The trained text classifier: hashed character n-grams, linear class margins, a probability.

A *layer* is a linear model over n-grams. It has one column of weights for each class of each training source (a
source of headlines has classes of its own; the first is the topic), and one for the norm of the text vector:

    output_k = scale_k * (sum of the weights of the n-grams) / (norm of the n-gram vector) + bias_k

For each source, the outputs give a *margin* (the topic's lead over the other classes) and a *share* (how much the
text resembles that source: a newspaper headline differs from one of an app). A *head* combines these with the
evidence of the profile's terms into log odds. Bodies have their own layer of two columns, one for the whole text and
one for its opening, where the news is; the headline layer also reads the opening.

The file of trained weights is one line of JSON, then the tables column by column, compressed; numbers only. A threshold
that reaches a wanted precision or recall is found by ``Target`` of ``topic.py``.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import exp, inf, log, log1p, sqrt
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsspider.core.text.ngrams import ZERO_BYTE, Buckets, Table, body_buckets, buckets_in_order, headline_buckets

HEADLINE_READ = 200  # characters; anything longer is not a headline
OPENING_READ = 300  # characters of an article's opening
BODY_READ = 1500
SHARPNESS = 3.0  # softmax sharpness: a lead of 1 between the best classes of two sources is a share of 0.95
MOST_FOR = 4.0  # bits that the terms of a headline can add
MOST_ODDS = 30.0


Curve = tuple[tuple[float, float], ...]  # precision and recall at the thresholds 0.01, 0.02 ... 0.99
FORMAT = 2
HEADS = ("headline_alone", "headline_head", "body_alone", "body_head")
LAYERS = ("headlines", "bodies")
MOST_BYTES = 1 << 26  # unpacked; larger is not one of these files


@dataclass(frozen=True, slots=True)
class Words:
    """The evidence of a profile's terms in a text, in bits: for the topic, against it (0 or less), and the number of
    terms for it."""

    in_favour: float = 0.0
    against: float = 0.0
    count: int = 0


@dataclass(frozen=True, slots=True)
class SourceColumns:
    """The columns of one source: the topic's, followed by those of its other classes."""

    name: str
    topic: int
    others: int = 0


@dataclass(frozen=True, slots=True)
class Layer:
    """A table of weights. Its last column is the squared length of an n-gram, with the scale ``scales[-1]``."""

    table: Table
    scales: tuple[float, ...]
    biases: tuple[float, ...]
    sources: tuple[SourceColumns, ...]

    def outputs(self, buckets: Buckets) -> list[float]:
        """One output per class; above 0 if the text looks like that class."""
        sums = self.table.sums(buckets)
        shrink = 1.0 / (sqrt(sums[-1] * self.scales[-1]) or 1.0)
        middle = float(ZERO_BYTE * len(buckets))
        return [
            (total - middle) * (scale * shrink) + bias
            for total, scale, bias in zip(sums, self.scales, self.biases, strict=False)
        ]


class Odds(NamedTuple):
    """Log odds by origin."""

    learned: float
    words: float = 0.0


@dataclass(frozen=True, slots=True)
class OutputHead:
    """Combines features into log odds."""

    weights: tuple[float, ...]
    bias: float

    def odds(self, features: Sequence[float], of_words: Sequence[float] = ()) -> Odds:
        """The log odds from the features, with the bias, and those from the terms."""
        learned = self.bias + sum(map(mul, self.weights, features))
        return Odds(learned, sum(map(mul, self.weights[len(features) :], of_words)) if of_words else 0.0)


@dataclass(frozen=True, slots=True)
class Learned:
    """The trained weights of a topic. ``alone`` heads use n-grams only; the others also use the profile's terms."""

    headlines: Layer
    headline_alone: OutputHead
    headline_head: OutputHead
    bodies: Layer | None = None
    body_alone: OutputHead | None = None
    body_head: OutputHead | None = None
    thresholds: tuple[float, float] = (0.5, 0.5)  # the probability from which an article, a headline is relevant
    curves: tuple[Curve, Curve] = ((), ())  # of articles, of headlines, on texts kept from training in turn

    def of_headline(self, headline: str, words: Words | None = None) -> Odds:
        """The log odds that ``headline`` is about the topic."""
        features = headline_features(self.headlines, headline)
        if words is None:
            return self.headline_alone.odds(features)
        return self.headline_head.odds(features, headline_words(words, features, len(self.headlines.sources)))

    def of_article(self, headline: str, text: str, words: Words | None = None) -> Odds:
        """The log odds that an article is about the topic; its headline may be empty."""
        if self.bodies is None or self.body_alone is None or self.body_head is None:
            return self.of_headline(headline or text[:OPENING_READ], words)
        features = body_features(self.headlines, self.bodies, headline, text)
        if words is None:
            return self.body_alone.odds(features)
        return self.body_head.odds(features, body_words(words))

    def word_contributions(self, headline: str, words: Sequence[str]) -> dict[str, float]:
        """How much each word of ``headline`` adds to the topic's lead over the next best class. Words are separated by
        single spaces."""
        return word_contributions(self.headlines, headline, words)


def headline_features(layer: Layer, headline: str) -> list[float]:
    """The features of a headline: see :func:`features_of`."""
    return features_of(layer.sources, layer.outputs(headline_buckets(headline[:HEADLINE_READ], layer.table.bits)))


def features_of(sources: Sequence[SourceColumns], outputs: Sequence[float]) -> list[float]:
    """The margin over all classes; for each source the topic's output, the share, and margin times share; then the
    signed square of the margin overall and within each source, and the raw outputs."""
    # by source: the topic's output, that of the best other class, the likeness of the text
    leads: list[tuple[float, float, float]] = []
    topics = others = -inf
    total = 0.0
    for source in sources:
        at = source.topic
        topic = outputs[at]
        other = max(outputs[at + 1 : at + 1 + source.others]) if source.others else -topic
        likeness = exp(SHARPNESS * max(topic, other))
        total += likeness
        leads.append((topic, other, likeness))
        topics, others = max(topics, topic), max(others, other)
    margin = topics - others
    features = [margin]
    within = [margin * margin, margin * abs(margin)]
    for topic, other, likeness in leads:
        share, lead = likeness / total, topic - other
        features += (topic, share, lead * share)
        within.append(lead * abs(lead))
    features += within
    features += outputs
    return features


def headline_words(words: Words, features: Sequence[float], sources: int) -> list[float]:
    """Term evidence for a headline, once for each source weighted by its share; the evidence against it; both times the
    margin."""
    margin, shares = features[0], features[2 : 2 + 3 * sources : 3]
    in_favour = min(words.in_favour, MOST_FOR)
    return [
        *(in_favour * share for share in shares),
        words.against,
        in_favour * margin,
        words.against * margin,
        in_favour * in_favour,
        min(words.count, MOST_FOR),
    ]


def body_features(headlines: Layer, bodies: Layer, headline: str, text: str) -> list[float]:
    """The body layer's output for the whole text and for its opening, and the headline layer's features of the
    opening."""
    text_read = whole_of(headline, text)
    opening = text_read[:OPENING_READ]
    whole_outputs = bodies.outputs(body_buckets(text_read, bodies.table.bits))
    opening_outputs = bodies.outputs(body_buckets(opening, bodies.table.bits))
    return [whole_outputs[0], opening_outputs[1], *opening_features(headlines, opening)]


def opening_features(layer: Layer, opening: str) -> list[float]:
    """The headline layer's features of an opening, by source."""
    outputs = layer.outputs(headline_buckets(opening, layer.table.bits))
    return features_of(layer.sources, outputs)[: 1 + 3 * len(layer.sources)]


def whole_of(headline: str, text: str) -> str:
    """The part of an article that the model reads."""
    return f"{headline}\n{text[:BODY_READ]}" if headline else text[:BODY_READ]


def body_words(words: Words) -> list[float]:
    """Term evidence of a body."""
    return [words.in_favour, words.against, log1p(words.count)]


def word_contributions(layer: Layer, headline: str, words: Sequence[str]) -> dict[str, float]:
    """How much each word of ``headline`` adds to the margin; the part of each n-gram is spread over its characters."""
    buckets = buckets_in_order(headline, layer.table.bits)
    outputs = layer.outputs(buckets)
    source = max(layer.sources, key=lambda source: max(outputs[source.topic : source.topic + 1 + source.others]))
    rivals = range(source.topic + 1, source.topic + 1 + source.others)
    parts = _weights(layer, buckets, source.topic)
    if rivals:
        parts = parts - _weights(layer, buckets, max(rivals, key=outputs.__getitem__))
    count = (len(parts) + 3) // 3  # characters, the edges among them
    shares = np.zeros(count)
    start = 0
    for size in (1, 2, 3):
        grams = count - size + 1
        for at in range(size):
            shares[at : at + grams] += parts[start : start + grams] / size
        start += grams
    contributions: dict[str, float] = {}
    start = 1
    for word in words:
        end = start + len(word.encode("utf-16-le", "surrogatepass")) // 2
        contributions[word] = contributions.get(word, 0.0) + float(shares[start:end].sum())
        start = end
    return contributions


def _weights(layer: Layer, buckets: Buckets, column: int) -> NDArray[np.float64]:
    return layer.scales[column] * (layer.table.cells(buckets, column).astype(np.float64) - ZERO_BYTE)


def probability(log_odds: float) -> float:
    """The probability that has these log odds.

    >>> probability(0.0)
    0.5
    """
    return 1 / (1 + exp(-max(-MOST_ODDS, min(MOST_ODDS, log_odds))))


def log_odds_of(share: float) -> float:
    """The inverse of :func:`probability`, for a share above 0 and below 1."""
    return log(share / (1 - share))


class WeightsError(ValueError):
    """A file without weights that this version can read."""


def pack_weights(learned: Learned) -> bytes:
    """Serialise ``learned``; the same weights give the same bytes."""
    head: dict[str, Any] = {"format": FORMAT, "thresholds": learned.thresholds, "curves": learned.curves}
    rows = b""
    for name in LAYERS:
        layer: Layer | None = getattr(learned, name)
        if layer is not None:
            table = layer.table
            head[name] = {
                "columns": table.columns,
                "bits": table.bits,
                "scales": layer.scales,
                "biases": layer.biases,
                "sources": [asdict(source) for source in layer.sources],
            }
            rows += _transposed(table.rows, table.columns)
    head |= {name: asdict(part) for name in HEADS if (part := getattr(learned, name)) is not None}
    return json.dumps(head, sort_keys=True).encode() + b"\n" + zlib.compress(rows, 9)


def unpack_weights(content: bytes) -> Learned:
    """Read the bytes that :func:`pack_weights` wrote; raises :exc:`WeightsError`."""
    first, _, rest = content.partition(b"\n")
    try:
        head = json.loads(first)
        if head["format"] != FORMAT:
            raise WeightsError(f"format {head['format']} is not {FORMAT}: train again")
        rows = zlib.decompressobj().decompress(rest, MOST_BYTES)
        parts: dict[str, Any] = {}
        for name in LAYERS:
            if name in head:
                size = head[name]["columns"] << head[name]["bits"]
                parts[name] = _layer(head[name], rows[:size])
                rows = rows[size:]
        parts |= {name: OutputHead(tuple(head[name]["weights"]), head[name]["bias"]) for name in HEADS if name in head}
        article, headline = (
            tuple((precision, recall) for precision, recall in curve) for curve in head.get("curves", ((), ()))
        )
        return Learned(thresholds=tuple(head["thresholds"]), curves=(article, headline), **parts)
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        if isinstance(error, WeightsError):
            raise
        raise WeightsError(f"not a file of weights: {error}") from error


def _layer(head: dict[str, Any], content: bytes) -> Layer:
    sources = tuple(SourceColumns(entry["name"], entry["topic"], entry["others"]) for entry in head["sources"])
    table = Table(_transposed(content, 1 << head["bits"]), head["columns"], head["bits"])
    return Layer(table, tuple(head["scales"]), tuple(head["biases"]), sources)


def _transposed(content: bytes, columns: int) -> bytes:
    """The bytes of a table of ``columns`` columns, transposed."""
    return np.frombuffer(content, np.uint8).reshape(-1, columns).T.tobytes()
