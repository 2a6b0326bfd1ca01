"""The answers of the index to a question, with their scores; and where they lead."""

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

CANDIDATES = 1000  # articles that are scored, the latest stored first

_LINKS = "SELECT url, anchor FROM links WHERE src IN ({keys}) AND NOT nofollow"


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored article, and how much it resembles the question."""

    score: float
    whole: bool  # it holds every word of the question
    record: dict[str, Any]
    words: tuple[str, ...]  # of the question

    def place(self) -> tuple[float, str]:
        """What answers are sorted by: the best first, then by URL."""
        return -self.score, self.record["url"]


@dataclass(frozen=True, slots=True)
class Heard:
    """The answers among the articles with a number above ``after``, best first, and the highest number there is."""

    answers: tuple[Answer, ...]
    last: int


def answers(conn: Connection, question: str, after: int = 0, enough: int = 0) -> Heard:
    """The articles that hold every word of a question; where these are less than ``enough``, those with any of its
    parts as well."""
    wanted = words(question)
    whole = [holds(word) for word in wanted]
    found = _scored(conn, wanted, and_(*whole), after, whole=True)
    if len(found) < enough:
        some = or_(*map(holds, parts_of(wanted)))
        urls = {answer.record["url"] for answer in found}
        more = _scored(conn, wanted, some, after, whole=False)
        found += [answer for answer in more if answer.record["url"] not in urls]
    last = conn.execute(select(articles.c.id).order_by(articles.c.id.desc()).limit(1)).scalar()
    return Heard(tuple(sorted(found, key=Answer.place)), max(after, last or 0))


def links_of(conn: Connection, answer: Answer) -> list[tuple[str, str]]:
    """The URLs that the pages of an answer link to, each with its anchor."""
    found: dict[str, str] = {}
    keys = [key for url in answer.record["urls"] for key in keys_of(conn, url)]
    for row in rows_among(conn, _LINKS, keys):
        found[row.url] = found.get(row.url) or row.anchor
    return list(found.items())


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
