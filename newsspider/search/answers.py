"""Searches the index for a query: the scored results, and the links of their pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from newsspider.core.relevance.question import parts_of, profile_of
from newsspider.core.relevance.scoring import Document, score
from newsspider.search.query import holds, words
from newsspider.store.articles.export import FINDABLE, THERE, records
from newsspider.store.engine.statement import rows_among
from newsspider.store.exploring.crawls import keys_of
from newsspider.store.tables import articles

CANDIDATES = 1000  # articles that are scored, latest first

_LINKS = "SELECT url, anchor FROM links WHERE src IN ({keys}) AND NOT nofollow"


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored article, and its similarity to the query."""

    score: float
    whole: bool  # it contains every word of the query
    record: dict[str, Any]
    words: tuple[str, ...]  # of the query

    def place(self) -> tuple[float, str]:
        """The sort key: best first, then by URL."""
        return -self.score, self.record["url"]


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results among the articles with an id above ``after``, best first, and the highest id."""

    answers: tuple[Answer, ...]
    last: int


def answers(conn: Connection, question: str, after: int = 0, enough: int = 0) -> SearchResults:
    """The articles that contain every word of a query; if these are less than ``enough``, also those with any of its
    parts."""
    wanted = words(question)
    conditions = [holds(word) for word in wanted]
    results = _scored(conn, wanted, and_(*conditions), after, whole=True)
    if len(results) < enough:
        any_part = or_(*map(holds, parts_of(wanted)))
        urls = {answer.record["url"] for answer in results}
        partial = _scored(conn, wanted, any_part, after, whole=False)
        results += [answer for answer in partial if answer.record["url"] not in urls]
    last = conn.execute(select(articles.c.id).order_by(articles.c.id.desc()).limit(1)).scalar()
    return SearchResults(tuple(sorted(results, key=Answer.place)), max(after, last or 0))


def links_of(conn: Connection, answer: Answer) -> list[tuple[str, str]]:
    """The URLs that the pages of a result link to, each with its anchor."""
    anchors: dict[str, str] = {}
    keys = [key for url in answer.record["urls"] for key in keys_of(conn, url)]
    for row in rows_among(conn, _LINKS, keys):
        anchors[row.url] = anchors.get(row.url) or row.anchor
    return list(anchors.items())


def _scored(
    conn: Connection, wanted: tuple[str, ...], condition: ColumnElement[bool], after: int, *, whole: bool
) -> list[Answer]:
    profile = profile_of(wanted)
    latest = select(articles).where(condition, FINDABLE, THERE, articles.c.id > after).order_by(articles.c.id.desc())
    rows: Sequence[Any] = conn.execute(latest.limit(CANDIDATES)).mappings().all()
    return [
        Answer(score(profile, Document(title=record["title"], text=record["text"])).score, whole, record, wanted)
        for record in records(conn, rows)
    ]
