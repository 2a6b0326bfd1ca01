"""What one would otherwise pick to tell whether a text is about a topic, beside the models of the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import exp, log

from newsspider.core.relevance.scoring import Document, score
from newsspider.core.relevance.topic import TopicProfile
from newsspider.features.workbench.labelled_texts import Labelled

Scored = list[tuple[float, bool]]  # of each text a score, and whether it is kept
READ = 1500  # characters of a text that naive Bayes reads
MOST_ODDS = 30.0


def ours(topic: TopicProfile, model: str, texts: Sequence[Labelled]) -> Scored:
    """A model of the project, at its own thresholds."""
    results = [
        score(topic, Document(title=example.headline, meta_title=example.headline, text=example.text), model)
        for example in texts
    ]
    return [(result.score, result.relevant) for result in results]


def substrings(topic: TopicProfile, texts: Sequence[Labelled]) -> Scored:
    """A list of the topic's words, found by ``in``; one word is enough."""
    words = topic.spellings()
    hit_counts = [sum(word in f"{example.headline}\n{example.text}" for word in words) for example in texts]
    return [(1 - 0.5**hits, hits > 0) for hits in hit_counts]


class NaiveBayes:
    """Multinomial, on character bigrams, with add-one smoothing."""

    def __init__(self, train: Sequence[Labelled]) -> None:
        counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for example in train:
            counts[example.relevant].update(bigrams(example))
        vocabulary_size = len(counts[True] | counts[False])
        on, off = (sum(counts[answer].values()) + vocabulary_size for answer in (True, False))
        self.says = {
            gram: log((counts[True][gram] + 1) / on) - log((counts[False][gram] + 1) / off)
            for gram in counts[True] | counts[False]
        }
        self.unknown = log(off / on)
        relevant = sum(example.relevant for example in train)
        self.prior = log(relevant / (len(train) - relevant))

    def scored(self, texts: Sequence[Labelled]) -> Scored:
        odds = [self.prior + sum(self.says.get(gram, self.unknown) for gram in bigrams(example)) for example in texts]
        return [(1 / (1 + exp(-max(-MOST_ODDS, min(MOST_ODDS, value)))), value > 0) for value in odds]


def bigrams(example: Labelled) -> list[str]:
    return [first + second for first, second in pairwise(f"{example.headline}\n{example.text[:READ]}")]
