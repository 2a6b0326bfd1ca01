"""The queries that people search for, counted by day. Nothing about the people is stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.moments import date_of
from newsspider.store.engine.statement import Statement

KEPT_DAYS = 90
LEAST_SEARCHES = 3  # of a query that is shown: a rare one may reveal who searched
MOST_QUERIES = 1_000  # different ones of a day

_NOTE = Statement(
    """
    INSERT INTO search_counts (day, query, searches)
    SELECT CAST(:day AS TEXT), CAST(:query AS TEXT), CAST(:searches AS INTEGER)
    WHERE (SELECT count(*) FROM search_counts WHERE day = :day) < :most
       OR EXISTS (SELECT 1 FROM search_counts WHERE day = :day AND query = :query)
    ON CONFLICT (day, query) DO UPDATE SET searches = search_counts.searches + excluded.searches
    """
)
_FORGET = Statement("DELETE FROM search_counts WHERE day < :day")
_HOT = Statement(
    """
    SELECT query, sum(searches) AS searches FROM search_counts WHERE day >= :first AND day <= :last
    GROUP BY query HAVING sum(searches) >= :least ORDER BY sum(searches) DESC, query LIMIT :limit
    """
)


def note(conn: Connection, searches: Mapping[str, int], now: float) -> None:
    """Add to the counts of today, in China, and delete days older than :data:`KEPT_DAYS`."""
    today = date_of(now)
    _FORGET.change(conn, {"day": (today - timedelta(days=KEPT_DAYS)).isoformat()})
    values = {"day": today.isoformat(), "most": MOST_QUERIES}
    _NOTE.change_many(conn, [{**values, "query": query, "searches": searches[query]} for query in sorted(searches)])


def hot(conn: Connection, now: float, days: int, limit: int) -> list[Any]:
    """The most frequent queries of the last ``days`` days, each with the number of its searches."""
    today = date_of(now)
    first = today - timedelta(days=days - 1)
    values = {"first": first.isoformat(), "last": today.isoformat(), "least": LEAST_SEARCHES, "limit": limit}
    return _HOT.run(conn, values)
