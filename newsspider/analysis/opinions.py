"""Reads what comments, posts and articles think of something: counts of each tendency, the sentences that decided."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from newsspider.core.model import PageType
from newsspider.core.opinions.key_sentences import Cluster, Opinion, Voice, clusters
from newsspider.core.opinions.sentences import sentences
from newsspider.core.opinions.tendency import Tendency, TendencyModel
from newsspider.store.engine.statement import rows_among

MOST_SENTENCES = 5_000  # that are judged

_TEXTS = "SELECT id, kind, text, comments FROM articles WHERE id IN ({keys}) ORDER BY id"


@dataclass(frozen=True, slots=True)
class Opinions:
    """The judged sentences of some articles, and the groups of like ones that praise or blame."""

    judged: tuple[Opinion, ...]
    clusters: tuple[Cluster, ...]
    is_complete: bool  # false: there are more than :data:`MOST_SENTENCES`

    def shares(self) -> dict[Voice, dict[Tendency, int]]:
        """How many sentences of each voice have each tendency."""
        counts = Counter((opinion.voice, opinion.verdict.tendency) for opinion in self.judged)
        voices = [voice for voice in Voice if any(of is voice for of, _ in counts)]
        return {voice: {tendency: counts[voice, tendency] for tendency in Tendency} for voice in voices}

    def record(self, model: TendencyModel, limit: int | None) -> dict[str, Any]:
        """The same as JSON has it, with at most ``limit`` groups and the words that decided."""
        return {
            "sentences": len(self.judged), "complete": self.is_complete, "voices": self.shares(),
            "clusters": [
                {
                    "tendency": group.key.verdict.tendency, "count": len(group.opinions),
                    "sentence": group.key.sentence, "probability": round(group.key.certainty, 2),
                    "words": model.reasons(group.key.sentence),
                    "voices": Counter(opinion.voice for opinion in group.opinions),
                    "articles": sorted({opinion.article for opinion in group.opinions}),
                }
                for group in self.clusters[:limit]
            ],
        }  # fmt: skip


def opinions_of(conn: Connection, model: TendencyModel, articles: Iterable[int]) -> Opinions:
    """The opinions in these articles and in their comments. A sentence that several texts repeat counts once, except in
    comments."""
    judged: list[Opinion] = []
    counted_sentences: set[str] = set()
    for article, voice, sentence in _sentences(conn, articles):
        if voice is not Voice.COMMENT:
            if sentence in counted_sentences:
                continue
            counted_sentences.add(sentence)
        if len(judged) == MOST_SENTENCES:
            return Opinions(tuple(judged), tuple(clusters(judged)), is_complete=False)
        judged.append(Opinion(sentence, model.judge(sentence), voice, article))
    return Opinions(tuple(judged), tuple(clusters(judged)), is_complete=True)


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
