"""What readers marked: articles that they read, starred or wrote a note on, and those that they want no more of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine

from newsspider.core.text.characters import storable_text
from newsspider.hooks import plugins
from newsspider.store.engine.database import writing
from newsspider.store.engine.statement import Statement, rows_among

LONGEST_NOTE = 2000
MOST_AMONG = 500  # marked articles that a search looks at, the last ones
MOST_LESS = 500  # articles that a reader marked "not this": the last ones count
MOST_PENDING = 10_000  # opened articles that wait to be stored

_SET = Statement(
    """
    INSERT INTO reading_marks (account, mark, article_id, marked_at, note, is_shared)
    SELECT CAST(:account AS TEXT), CAST(:mark AS TEXT), a.id, :now, CAST(:note AS TEXT), :is_shared FROM articles a
    WHERE a.id = :article AND (
        EXISTS (SELECT 1 FROM accounts WHERE name = :account)
        OR (:account = '' AND NOT EXISTS (SELECT 1 FROM accounts))
    )
    ON CONFLICT (account, mark, article_id) DO UPDATE
    SET note = excluded.note, is_shared = excluded.is_shared, marked_at = excluded.marked_at
    """
)
_UNSET = Statement("DELETE FROM reading_marks WHERE account = :account AND mark = :mark AND article_id = :article")
_MARKS = """
SELECT article_id, mark FROM reading_marks
WHERE account = :account AND mark IN ('read', 'star', 'note', 'less') AND article_id IN ({keys})
"""
_READ = """
SELECT article_id FROM reading_marks WHERE account = :account AND mark = 'read' AND article_id IN ({keys})
"""
_NEWEST = Statement(
    """
    SELECT article_id FROM reading_marks WHERE account = :account AND mark = :mark
    ORDER BY marked_at DESC, article_id DESC LIMIT :most
    """
)
_NOTES = Statement(
    """
    SELECT account, note, is_shared, marked_at FROM reading_marks
    WHERE article_id = :article AND mark = 'note' AND (account = :account OR is_shared) ORDER BY marked_at
    """
)
_GROUPS = "SELECT article_id, group_id FROM reprints WHERE article_id IN ({keys})"
_ROWS = Statement(
    """
    SELECT m.mark, m.article_id, m.marked_at, m.note, m.is_shared, a.url, a.title
    FROM reading_marks m JOIN articles a ON a.id = m.article_id
    WHERE m.account = :account AND m.mark = :mark AND m.article_id > :after ORDER BY m.article_id LIMIT :most
    """
)
_HAND_OVER = Statement(
    """
    INSERT INTO reading_marks (account, mark, article_id, marked_at, note, is_shared)
    SELECT account, mark, :other, marked_at, note, is_shared FROM reading_marks WHERE article_id = :article
    ON CONFLICT (account, mark, article_id) DO UPDATE
    SET note = reading_marks.note || :newline || excluded.note, is_shared = reading_marks.is_shared AND excluded.is_shared
    WHERE excluded.note <> '' AND excluded.note <> reading_marks.note
    """
)
_FORGET = Statement("DELETE FROM reading_marks WHERE account = :account")
_TAKE_OVER = Statement("UPDATE reading_marks SET account = :account WHERE account = ''")


class Mark(StrEnum):
    """What a reader says of an article; ``LESS``: no more like it."""

    READ = "read"
    STAR = "star"
    NOTE = "note"
    LESS = "less"


class Opened:
    """Keeps which articles readers opened until that is stored, so that no page waits for a writer."""

    def __init__(self) -> None:
        self._moments: dict[tuple[str, int], float] = {}
        self._lock = Lock()

    def add(self, account: str, article: int, now: float) -> None:
        """A reader opens an article."""
        with self._lock:
            if len(self._moments) < MOST_PENDING:
                self._moments[account, article] = now

    def discard(self, account: str, articles: Iterable[int]) -> None:
        """A reader says of these articles that they are not read."""
        with self._lock:
            for article in articles:
                self._moments.pop((account, article), None)

    def among(self, account: str, articles: Collection[int]) -> set[int]:
        """Which of these articles wait to be stored as read."""
        moments = self._moments
        return {article for article in articles if (account, article) in moments} if moments else set()

    def store(self, engine: Engine) -> None:
        """Write down what was opened since the last time; not what a reader took back until it was its turn. Whoever
        takes it back later waits for the end of this transaction, since ``writing`` is alone on PostgreSQL, too, and so
        finds the mark to delete."""
        if not self._moments:
            return
        with writing(engine) as conn:
            with self._lock:
                moments = dict(self._moments)
            for (account, article), moment in sorted(moments.items()):
                if (account, article) in self._moments:
                    set_mark(conn, account, Mark.READ, [article], moment)
        with self._lock:
            self._moments = {key: moment for key, moment in self._moments.items() if moments.get(key) != moment}


def set_mark(
    conn: Connection,
    account: str,
    mark: Mark,
    articles: Iterable[int],
    now: float,
    *,
    note: str = "",
    is_shared: bool = False,
) -> None:
    """Mark stored articles for an account, or for the one reader where there are no accounts."""
    values = {"account": account, "mark": mark.value, "now": now, "note": storable_text(note), "is_shared": is_shared}
    _SET.change_many(conn, [{**values, "article": article} for article in articles])


def unset_mark(conn: Connection, account: str, mark: Mark, articles: Iterable[int]) -> None:
    """Take a mark back."""
    _UNSET.change_many(conn, [{"account": account, "mark": mark.value, "article": article} for article in articles])


def marks_of(conn: Connection, account: str, articles: Collection[int], opened: Opened) -> dict[int, set[Mark]]:
    """The marks of each of these articles."""
    marks: dict[int, set[Mark]] = {article: set() for article in articles}
    for row in rows_among(conn, _MARKS, marks, {"account": account}):
        marks[row.article_id].add(Mark(row.mark))
    for article in opened.among(account, marks):
        marks[article].add(Mark.READ)
    return marks


def unread_among(opened: Opened, account: str, conn: Connection, articles: Collection[int]) -> set[int]:
    """Which of these articles a reader has not read."""
    stored = {row.article_id for row in rows_among(conn, _READ, articles, {"account": account})}
    return set(articles) - stored - opened.among(account, articles)


def newest_marked(account: str, mark: Mark, conn: Connection, most: int = MOST_AMONG) -> list[int]:
    """The articles that a reader marked last."""
    return [int(row.article_id) for row in _NEWEST.run(conn, {"account": account, "mark": mark.value, "most": most})]


def scope_for(account: str, opened: Opened, mine: str) -> dict[str, Any]:
    """The part of a :class:`SearchScope` about a reader: ``unread``, ``star`` or ``note``; anything else: all."""
    if mine == "unread":
        return {"only": partial(unread_among, opened, account)}
    return {"among": partial(newest_marked, account, Mark(mine))} if mine in (Mark.STAR, Mark.NOTE) else {}


def unwanted_among(conn: Connection, account: str, articles: Collection[int]) -> set[int]:
    """Which of these articles are like one that a reader wants no more of: itself, its reprints, articles of its
    event."""
    if not articles or not (less := newest_marked(account, Mark.LESS, conn, MOST_LESS)):
        return set()
    groups = {row.article_id: row.group_id for row in rows_among(conn, _GROUPS, {*articles, *less})}
    events = plugins().hook.events_of(conn=conn, articles=[*articles, *less]) or {}
    unwanted = set().union(*(_kinds(article, groups, events) for article in less))
    return {article for article in articles if _kinds(article, groups, events) & unwanted}


def _kinds(article: int, groups: Mapping[int, int], events: Mapping[int, int]) -> set[tuple[str, int | None]]:
    kinds = {("article", article), ("group", groups.get(article)), ("event", events.get(article))}
    return {kind for kind in kinds if kind[1] is not None}


def notes_on(conn: Connection, account: str, article: int) -> list[Any]:
    """The note of a reader on an article, and those that others share."""
    return list(_NOTES.run(conn, {"account": account, "article": article}))


def rows_of_mark(conn: Connection, account: str, mark: Mark, after: int, most: int) -> Sequence[Any]:
    """The marked articles behind the number ``after``, in the order of their numbers."""
    return list(_ROWS.run(conn, {"account": account, "mark": mark.value, "after": after, "most": most}))


def hand_over(conn: Connection, article: int, other: int) -> None:
    """Mark the article that another one is merged into as that one was; marks of its own stay, and of
    two notes the texts are joined, which others see if they saw both."""
    _HAND_OVER.change(conn, {"article": article, "other": other, "newline": "\n"})


def forget_account(conn: Connection, account: str) -> None:
    """Delete all marks of an account."""
    _FORGET.change(conn, {"account": account})


def take_over(conn: Connection, account: str) -> None:
    """Give an account the marks of the one reader of the time before there were accounts."""
    _TAKE_OVER.change(conn, {"account": account})
