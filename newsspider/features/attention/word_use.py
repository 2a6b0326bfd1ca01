"""Compares the words of the articles that two queries find: of two times, or of two groups of sources."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.query_language import Query
from newsspider.core.text.characters import fold_text
from newsspider.core.text.phrases import STOP_WORDS
from newsspider.core.text.tokenizer import cut_words
from newsspider.features.attention.counting import FoundArticles, found_in, groups_of
from newsspider.features.attention.rules.periods import Span
from newsspider.features.attention.rules.word_contrast import Contrast, contrasting_words
from newsspider.features.events.rules.terms import LEAD_CHARACTERS, WORD_PATTERN
from newsspider.store.engine.statement import rows_among

MOST_FOUND = 2_000  # articles of each query, the newest
MOST_READ = 500  # stories among them, the newest; their words are cut in half a second
MOST_WORDS = 15  # of each side

_TEXTS = f"SELECT id, title, SUBSTR(text, 1, {LEAD_CHARACTERS}) AS lead FROM articles WHERE id IN ({{keys}})"


@dataclass(frozen=True, slots=True)
class WordUse:
    """The words that the first of two queries finds more, and those of the second, the strongest first; in how many
    stories of each they were counted. Not ``complete``: the newest."""

    first: tuple[Contrast, ...]
    second: tuple[Contrast, ...]
    stories: tuple[int, int]
    is_complete: bool

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        sides = {"first": self.first, "second": self.second}
        words = {name: [one.record() for one in side] for name, side in sides.items()}
        return {**words, "stories": list(self.stories), "complete": self.is_complete}


def word_use(conn: Connection, first: Query, second: Query, span: Span) -> WordUse:
    """The words of the titles and leads that two queries find in this time, each counted once a story."""
    both = [found_in(conn, query, span, MOST_FOUND) for query in (first, second)]
    several = [_stories(conn, found) for found in both]
    counts = [_words(conn, numbers[:MOST_READ]) for numbers in several]
    words = contrasting_words(*counts)
    return WordUse(
        tuple(word for word in words if word.z > 0)[:MOST_WORDS],
        tuple(word for word in reversed(words) if word.z < 0)[:MOST_WORDS],
        (min(len(several[0]), MOST_READ), min(len(several[1]), MOST_READ)),
        is_complete=max(map(len, several)) <= MOST_READ and not any(found.since for found in both),
    )


def _stories(conn: Connection, found: FoundArticles) -> list[int]:
    """The first article of each story that was found, the newest first."""
    groups = groups_of(conn, found.moments)
    first: dict[int, int] = {}
    for article in found.moments:
        first.setdefault(groups.get(article, -article), article)
    return list(first.values())[::-1]


def _words(conn: Connection, articles: list[int]) -> Counter[str]:
    """In how many of these articles each word stands."""
    counts: Counter[str] = Counter()
    for row in rows_among(conn, _TEXTS, articles):
        words = set(cut_words(fold_text(f"{row.title}\n{row.lead}")))
        counts.update(word for word in words if WORD_PATTERN.fullmatch(word) and word not in STOP_WORDS)
    return counts
