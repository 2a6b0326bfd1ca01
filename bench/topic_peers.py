"""What one would otherwise pick to tell whether a text is about a topic, beside the models of the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import exp, log

from newsspider.core.relevance.scoring import Document, score
from newsspider.core.relevance.topic import TopicProfile
from newsspider.topics.corpus import Labelled

Scored = list[tuple[float, bool]]  # of each text a score, and whether it is kept
READ = 1500  # characters of a text that naive Bayes reads
MOST_ODDS = 30.0


def ours(topic: TopicProfile, model: str, texts: Sequence[Labelled]) -> Scored:
    """A model of the project, at its own thresholds."""
    found = [score(topic, Document(title=one.headline, meta_title=one.headline, text=one.text), model) for one in texts]
    return [(one.score, one.relevant) for one in found]


def substrings(topic: TopicProfile, texts: Sequence[Labelled]) -> Scored:
    """A list of the topic's words, found by ``in``; one word is enough."""
    words = topic.spellings()
    found = [sum(word in f"{one.headline}\n{one.text}" for word in words) for one in texts]
    return [(1 - 0.5**hits, hits > 0) for hits in found]


class NaiveBayes:
    """Multinomial, on character bigrams, with add-one smoothing."""

    def __init__(self, train: Sequence[Labelled]) -> None:
        counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for one in train:
            counts[one.relevant].update(bigrams(one))
        known = len(counts[True] | counts[False])
        on, off = (sum(counts[answer].values()) + known for answer in (True, False))
        self.says = {
            gram: log((counts[True][gram] + 1) / on) - log((counts[False][gram] + 1) / off)
            for gram in counts[True] | counts[False]
        }
        self.unknown = log(off / on)
        relevant = sum(one.relevant for one in train)
        self.prior = log(relevant / (len(train) - relevant))

    def scored(self, texts: Sequence[Labelled]) -> Scored:
        odds = [self.prior + sum(self.says.get(gram, self.unknown) for gram in bigrams(one)) for one in texts]
        return [(1 / (1 + exp(-max(-MOST_ODDS, min(MOST_ODDS, one)))), one > 0) for one in odds]


def bigrams(one: Labelled) -> list[str]:
    return [first + second for first, second in pairwise(f"{one.headline}\n{one.text[:READ]}")]
