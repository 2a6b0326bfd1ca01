"""The searches that readers saved, and which articles each finds first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_language import parse_query
from newsspider.core.text.characters import storable_text
from newsspider.features.console.figures_cache import RecentFigures
from newsspider.search.hits import newest_articles
from newsspider.store.engine.statement import Statement

MOST_SEARCHES = 20  # of a reader
LONGEST_NAME = 100
MOST_COUNTED = 100  # newest articles of a search, among which the unread ones are counted
MOST_KEPT = 500  # searches whose newest articles are kept for a moment

_ALL = Statement("SELECT query, name, saved_at FROM saved_searches WHERE account = :account ORDER BY saved_at, query")
_SAVE = Statement(
    """
    INSERT INTO saved_searches (account, query, name, saved_at)
    SELECT CAST(:account AS TEXT), CAST(:query AS TEXT), CAST(:name AS TEXT), :now
    WHERE (SELECT count(*) FROM saved_searches WHERE account = :account AND query <> :query) < :most
    ON CONFLICT (account, query) DO UPDATE SET name = excluded.name
    """
)
_REMOVE = Statement("DELETE FROM saved_searches WHERE account = :account AND query = :query")
_FORGET = Statement("DELETE FROM saved_searches WHERE account = :account")
_TAKE_OVER = Statement("UPDATE saved_searches SET account = :account WHERE account = ''")


class NewestArticles:
    """The newest articles of saved searches, each kept for a moment, longer if it took long: who returns to a page of
    20 searches does not ask them all again. They are the same for all readers."""

    def __init__(self) -> None:
        self._kept: dict[str, RecentFigures[Sequence[int]]] = {}
        self._lock = Lock()

    def of(self, conn: Connection, query: str, now: float) -> Sequence[int]:
        """The newest :data:`MOST_COUNTED` articles of a query."""
        with self._lock:
            recent = self._kept.pop(query, None) or RecentFigures(lambda conn, now: _newest(conn, query, now))
            self._kept[query] = recent
            while len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        return recent.of(conn, now)


def _newest(conn: Connection, query: str, now: float) -> Sequence[int]:
    try:
        return newest_articles(conn, parse_query(query, datetime.fromtimestamp(now, UTC)), MOST_COUNTED)
    except RuleError:  # saved by a version that could read it; its own page says what is wrong
        return ()


def saved_searches(conn: Connection, account: str) -> list[Any]:
    """The searches of an account, or of the one reader where there are no accounts, in the order of saving."""
    return list(_ALL.run(conn, {"account": account}))


def save(conn: Connection, account: str, query: str, name: str, now: float) -> bool:
    """Save a search, or give it another name; ``False`` if there are :data:`MOST_SEARCHES` already."""
    values = {
        "account": account,
        "query": storable_text(query),
        "name": storable_text(name),
        "now": now,
        "most": MOST_SEARCHES,
    }
    return bool(_SAVE.change(conn, values))


def remove(conn: Connection, account: str, query: str) -> bool:
    """Remove a saved search; ``False`` if there is none."""
    return bool(_REMOVE.change(conn, {"account": account, "query": query}))


def forget_account(conn: Connection, account: str) -> None:
    """Delete the searches of an account."""
    _FORGET.change(conn, {"account": account})


def take_over(conn: Connection, account: str) -> None:
    """Give an account the searches of the one reader of the time before there were accounts."""
    _TAKE_OVER.change(conn, {"account": account})
