"""Reads which sentences of comments, posts and articles criticise something, by weights that were trained on the
labelled sentences of ``tests/quality/opinions``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from sqlalchemy import Connection

from newsspider.core.model import PageType
from newsspider.core.relevance.learned_model import unpacked
from newsspider.features.events.rules.criticism import Criticism, CriticismModel, Voice, alike
from newsspider.features.events.rules.sentences import sentences, stands_alone
from newsspider.store.engine.statement import rows_among

MOST_SENTENCES = 2_000  # that are judged at once

_TEXTS = "SELECT id, kind, text, comments FROM articles WHERE id IN ({keys}) ORDER BY id"


@dataclass(frozen=True, slots=True)
class Criticisms:
    """The groups of like sentences that criticise, the largest first, in so many sentences."""

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
    learned = unpacked(files("newsspider.features.events").joinpath("opinions.bin").read_bytes())
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
            for sentence in sentences(comment):
                yield row.id, Voice.COMMENT, sentence
    for row in rows:
        voice = Voice.ARTICLE if row.kind == PageType.ARTICLE else Voice.POST
        for sentence in sentences(row.text):
            yield row.id, voice, sentence
