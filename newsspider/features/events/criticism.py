"""Criticism (sentiment of one kind): which sentences of comments, posts and articles blame, and what many say alike.

A linear model over character n-grams (a :class:`~newsspider.core.relevance.learned_model.Layer` of one class), trained
on the labelled sentences of ``tests/quality/opinions``, gives the log odds. Only a sentence that is clearly above the
threshold criticises: of the others nothing is said. What does not stand alone is not shown (``rules/sentences.py``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection

from newsspider.core.model import PageType
from newsspider.core.relevance.learned_model import HEADLINE_READ, Layer, unpack_weights
from newsspider.core.text.ngrams import headline_buckets
from newsspider.features.events.rules.sentences import split_sentences, stands_alone
from newsspider.store.engine.statement import rows_among

MOST_SENTENCES = 2_000  # that are judged at once

_TEXTS = "SELECT id, kind, text, comments FROM articles WHERE id IN ({keys}) ORDER BY id"

LIKE_SHARE = 0.4  # shared pairs of characters, of the pairs of both sentences
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


@dataclass(frozen=True, slots=True)
class Criticisms:
    """The groups of similar sentences that criticise, the largest first, and how many ``sentences`` they have."""

    groups: tuple[tuple[Criticism, ...], ...]
    sentences: int
    is_complete: bool  # false: there are more

    def record(self, limit: int | None) -> dict[str, Any]:
        """The same as JSON has it, with at most ``limit`` groups."""
        return {
            "sentences": self.sentences,
            "complete": self.is_complete,
            "criticism": [
                {
                    "sentence": group[0].sentence,
                    "count": len(group),
                    "voices": Counter(criticism.voice for criticism in group),
                    "articles": sorted({criticism.article for criticism in group}),
                }
                for group in self.groups[:limit]
            ],
        }


@cache
def criticism_model() -> CriticismModel:
    """The model of education news in Chinese."""
    learned = unpack_weights(files("newsspider.features.events").joinpath("opinions.bin").read_bytes())
    return CriticismModel(learned.headlines, learned.thresholds[1])


def criticisms_in(
    conn: Connection, model: CriticismModel, articles: Iterable[int], most: int = MOST_SENTENCES
) -> Criticisms:
    """What the first ``most`` sentences of these articles and their comments criticise. A sentence that several texts
    repeat counts once, except in comments."""
    found: list[Criticism] = []
    counted_sentences: set[str] = set()
    judged = 0
    for article, voice, sentence in _sentences(conn, articles):
        if voice is not Voice.COMMENT:
            if sentence in counted_sentences:
                continue
            counted_sentences.add(sentence)
        if judged == most:
            return Criticisms(tuple(alike(found)), judged, is_complete=False)
        judged += 1
        odds = model.odds(sentence)
        if odds >= model.threshold and stands_alone(sentence):
            found.append(Criticism(sentence, odds, voice, article))
    return Criticisms(tuple(alike(found)), judged, is_complete=True)


def _sentences(conn: Connection, articles: Iterable[int]) -> Iterator[tuple[int, Voice, str]]:
    """All sentences, comments first."""
    rows = rows_among(conn, _TEXTS, sorted(set(articles)))
    for row in rows:
        for comment in json.loads(row.comments):
            for sentence in split_sentences(comment):
                yield row.id, Voice.COMMENT, sentence
    for row in rows:
        voice = Voice.ARTICLE if row.kind == PageType.ARTICLE else Voice.POST
        for sentence in split_sentences(row.text):
            yield row.id, voice, sentence


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
        if best >= 0 and likeness[best] >= LIKE_SHARE:
            groups[best].append(criticism)
            continue
        for pair in pairs:
            holders.setdefault(pair, []).append(len(groups))
        groups.append([criticism])
        sizes.append(len(pairs))
    return [tuple(group) for group in sorted(groups, key=lambda group: -len(group))]
