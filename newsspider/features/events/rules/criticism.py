"""Criticism (sentiment of one kind): whether a sentence blames, and what many say alike.

A trained linear model over character n-grams (a :class:`~newsspider.core.relevance.learned_model.Layer` of one class)
gives the log odds. Only a sentence that is clearly above the threshold criticises: of the others nothing is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from newsspider.core.relevance.learned_model import HEADLINE_READ, Layer
from newsspider.core.text.ngrams import headline_buckets

LIKE = 0.4  # shared pairs of characters, of the pairs of both sentences
COMMON_GROUPS = 200  # groups: a pair that more have finds none, so that thousands of sentences take no seconds


class Voice(StrEnum):
    """Who speaks: a reader below the news or in a thread, the author of a blog or first post, or an article."""

    COMMENT = "comment"
    POST = "post"
    ARTICLE = "article"


@dataclass(frozen=True, slots=True)
class CriticismModel:
    """Trained weights, and the log odds from which a sentence criticises."""

    layer: Layer = field(repr=False)
    threshold: float

    def odds(self, sentence: str) -> float:
        """The log odds that a sentence criticises."""
        return self.layer.outputs(headline_buckets(sentence[:HEADLINE_READ], self.layer.table.bits))[0]


@dataclass(frozen=True, slots=True)
class Criticism:
    """A sentence that criticises with its log odds, its voice and the id of the article that has it."""

    sentence: str
    odds: float
    voice: Voice
    article: int


def alike(criticisms: Iterable[Criticism]) -> list[tuple[Criticism, ...]]:
    """Groups of similar sentences, the largest first; the surest sentence of a group is its first, and each other one
    is compared with that."""
    groups: list[list[Criticism]] = []
    sizes: list[int] = []
    holders: dict[str, list[int]] = {}
    for criticism in sorted(criticisms, key=lambda criticism: -criticism.odds):
        pairs = {first + second for first, second in pairwise(criticism.sentence)}
        rare = (holding for pair in pairs if len(holding := holders.get(pair, [])) <= COMMON_GROUPS)
        shared = Counter(group for holding in rare for group in holding)
        likeness = {group: count / (len(pairs) + sizes[group] - count) for group, count in shared.items()}
        best = max(likeness, key=lambda group: likeness[group], default=-1)
        if best >= 0 and likeness[best] >= LIKE:
            groups[best].append(criticism)
            continue
        for pair in pairs:
            holders.setdefault(pair, []).append(len(groups))
        groups.append([criticism])
        sizes.append(len(pairs))
    return [tuple(group) for group in sorted(groups, key=lambda group: -len(group))]
