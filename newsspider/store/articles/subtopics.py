"""The parts of the topic's field that the articles belong to, as their topic found them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from newsspider.store.engine.statement import Statement, rows_among

_OF = "SELECT article_id, name FROM subtopics WHERE article_id IN ({keys}) ORDER BY article_id, position"
_ADD = Statement("INSERT INTO subtopics (article_id, position, name) VALUES (:id, :position, :name)")
_DROP = Statement("DELETE FROM subtopics WHERE article_id = :id")


def of_articles(conn: Connection, ids: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """The sub-topics of each of these articles that has any, in the order of its topic's profile."""
    found: dict[int, tuple[str, ...]] = {}
    for article_id, name in rows_among(conn, _OF, ids):
        found[article_id] = (*found.get(article_id, ()), name)
    return found


def add(conn: Connection, article_id: int, names: Sequence[str]) -> None:
    """Give them to an article that has none."""
    _ADD.change_many(conn, [{"id": article_id, "position": place, "name": name} for place, name in enumerate(names, 1)])


def put(conn: Connection, article_id: int, names: Sequence[str]) -> None:
    """Give them to an article instead of those that it has."""
    _DROP.change(conn, {"id": article_id})
    add(conn, article_id, names)
