"""Decides by trained weights whether a text is about a topic: hashed n-grams, linear margins between classes, a
probability.

A *layer* reads grams. It has one column of weights for each class of each source that it was trained on (a source of
headlines sorts them into classes of its own; the first of these is the topic), and one for the length of the text's
vector:

    output_k = scale_k * (sum of the weights of the grams) / (length of the vector of the grams) + bias_k

Of the outputs are made, for each source: how much the topic leads over the other classes (its *margin*), and how much
the text looks like one of that source (its *share*; an editor's headline and one of an app differ). A *head* weighs
these and what the words of the profile say into log odds. A body has a layer of its own with two columns, one that
reads all of it and one that reads its opening, where the news stands; beside it, the layer of the headlines reads the
opening too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, log1p, sqrt
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsspider.core.text.ngrams import MIDDLE, Buckets, Table, body_buckets, buckets_in_order, headline_buckets

HEADLINE_READ = 200  # characters; a headline that is longer is none
OPENING_READ = 300  # characters of an article that are its opening
BODY_READ = 1500
SHARPNESS = 3.0  # of the shares: a lead of 1 between the best classes of two sources is a share of 0.95
MOST_FOR = 4.0  # bits that words can say for a headline
MOST_ODDS = 30.0


@dataclass(frozen=True, slots=True)
class Words:
    """What the words of a profile say of a text, in bits: for the topic, against it (not above 0), and how many
    speak for it."""

    in_favour: float = 0.0
    against: float = 0.0
    count: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """The columns of one source: the topic's, and behind it those of its other classes."""

    name: str
    topic: int
    others: int = 0


@dataclass(frozen=True, slots=True)
class Layer:
    """A table of weights; its last column is the square of a gram's length, ``scales[-1]`` the scale of that."""

    table: Table
    scales: tuple[float, ...]
    biases: tuple[float, ...]
    sources: tuple[Source, ...]

    def outputs(self, buckets: Buckets) -> list[float]:
        """One number for each class: above 0 if the text looks like it."""
        sums = self.table.sums(buckets)
        shrink = 1.0 / (sqrt(sums[-1] * self.scales[-1]) or 1.0)
        middle = float(MIDDLE * len(buckets))
        return [
            (found - middle) * (scale * shrink) + bias
            for found, scale, bias in zip(sums, self.scales, self.biases, strict=False)
        ]


class Odds(NamedTuple):
    """Log odds, by where they come from."""

    learned: float
    words: float = 0.0


@dataclass(frozen=True, slots=True)
class Head:
    """Weighs features into log odds."""

    weights: tuple[float, ...]
    bias: float

    def odds(self, features: Sequence[float], of_words: Sequence[float] = ()) -> Odds:
        """What the features give, the bias with them, and what those of the words give."""
        learned = self.bias + sum(map(mul, self.weights, features))
        return Odds(learned, sum(map(mul, self.weights[len(features) :], of_words)) if of_words else 0.0)


@dataclass(frozen=True, slots=True)
class Learned:
    """The trained weights of a topic. ``alone`` heads hear the grams only, the others the words of the profile too."""

    headlines: Layer
    headline_alone: Head
    headline_head: Head
    bodies: Layer | None = None
    body_alone: Head | None = None
    body_head: Head | None = None
    thresholds: tuple[float, float] = (0.5, 0.5)  # the probability from which an article, a headline is relevant

    def of_headline(self, headline: str, words: Words | None = None) -> Odds:
        """The log odds that ``headline`` is about the topic."""
        found = headline_features(self.headlines, headline)
        if words is None:
            return self.headline_alone.odds(found)
        return self.headline_head.odds(found, headline_words(words, found, len(self.headlines.sources)))

    def of_article(self, headline: str, text: str, words: Words | None = None) -> Odds:
        """The log odds that an article is about the topic; its headline may be empty."""
        if self.bodies is None or self.body_alone is None or self.body_head is None:
            return self.of_headline(headline or text[:OPENING_READ], words)
        found = body_features(self.headlines, self.bodies, headline, text)
        if words is None:
            return self.body_alone.odds(found)
        return self.body_head.odds(found, body_words(words))

    def spoke(self, headline: str, words: Sequence[str]) -> dict[str, float]:
        """What each of the words that ``headline`` consists of added to the lead of the topic over the next best
        class; its blanks are single ones."""
        return spoken(self.headlines, headline, words)


def headline_features(layer: Layer, headline: str) -> list[float]:
    """What the layer says of a headline: see :func:`features_of`."""
    return features_of(layer.sources, layer.outputs(headline_buckets(headline[:HEADLINE_READ], layer.table.bits)))


def features_of(sources: Sequence[Source], outputs: Sequence[float]) -> list[float]:
    """The margin over all classes; for each source the topic's output, the share, the margin times the share; then
    the margin squared with either sign, that within each source, and the outputs."""
    # of each source: the topic, the best other class, how much the text looks like it
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
    """What words say for a headline, once for each source by its share; what they say against it; both with the
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
    """What the layer of the bodies says of all and of the opening, and what the layer of the headlines says of the
    opening by source."""
    whole = whole_of(headline, text)
    opening = whole[:OPENING_READ]
    of_all = bodies.outputs(body_buckets(whole, bodies.table.bits))
    of_opening = bodies.outputs(body_buckets(opening, bodies.table.bits))
    return [of_all[0], of_opening[1], *opening_features(headlines, opening)]


def opening_features(layer: Layer, opening: str) -> list[float]:
    """What the layer of the headlines says of an opening, by source."""
    outputs = layer.outputs(headline_buckets(opening, layer.table.bits))
    return features_of(layer.sources, outputs)[: 1 + 3 * len(layer.sources)]


def whole_of(headline: str, text: str) -> str:
    """What is read of an article."""
    return f"{headline}\n{text[:BODY_READ]}" if headline else text[:BODY_READ]


def body_words(words: Words) -> list[float]:
    """What words say of a body."""
    return [words.in_favour, words.against, log1p(words.count)]


def spoken(layer: Layer, headline: str, words: Sequence[str]) -> dict[str, float]:
    """What each word of ``headline`` added to the margin: each gram's part is shared out to its characters."""
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
    said: dict[str, float] = {}
    start = 1
    for word in words:
        end = start + len(word.encode("utf-16-le", "surrogatepass")) // 2
        said[word] = said.get(word, 0.0) + float(shares[start:end].sum())
        start = end
    return said


def _weights(layer: Layer, buckets: Buckets, column: int) -> NDArray[np.float64]:
    return layer.scales[column] * (layer.table.cells(buckets, column).astype(np.float64) - MIDDLE)


def probability(log_odds: float) -> float:
    """The probability that has these log odds.

    >>> probability(0.0)
    0.5
    """
    return 1 / (1 + exp(-max(-MOST_ODDS, min(MOST_ODDS, log_odds))))


def log_odds_of(share: float) -> float:
    """The other way round, for a share above 0 and below 1."""
    return log(share / (1 - share))
