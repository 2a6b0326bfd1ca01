"""The articles stored after a given number, in the order of their numbers; how many are stored in each hour.

On PostgreSQL a writer may commit an article after another writer has committed a higher number. So a reader that
continues after its last number reads no further than :func:`settled`.
"""

from __future__ import annotations

from sqlalchemy import Connection

from newsspider.store.engine import postgresql
from newsspider.store.engine.statement import Statement

HOURS_COUNTED = 24

_LAST = Statement("SELECT COALESCE(max(id), 0) FROM articles")
_AFTER = Statement("SELECT id FROM articles WHERE id > :after AND id <= :last ORDER BY id LIMIT :count")
_BY_HOUR = Statement(  # grouped by the bare column, SQLite would read all articles in the order of its index
    """
    SELECT site || '' AS name, (crawled_ts - :first) / 3600 AS hour, count(*) AS articles
    FROM articles WHERE crawled_ts >= :first GROUP BY 1, 2
    """
)
_LAST_GIVEN = Statement(f"SELECT {postgresql.LAST_NUMBER} AS number")
_UNDER_WAY = Statement(
    f"""
    SELECT min(objid::bigint) AS number FROM pg_locks
    WHERE locktype = 'advisory' AND classid = {postgresql.NUMBERS_LOCK} AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """
)


def settled(conn: Connection) -> int:
    """The number up to which all articles are committed.

    Call it before the statement, or the transaction of ``reading``, that is to see the articles up to it.
    """
    if conn.dialect.name != "postgresql":
        return int(_LAST.run(conn, {}).scalar())
    last_given = int(_LAST_GIVEN.run(conn, {}).scalar())  # first: whoever begins after this takes higher numbers
    under_way = _UNDER_WAY.run(conn, {}).scalar()
    return last_given if under_way is None else min(last_given, int(under_way))


def arrived_articles(conn: Connection, after: int, last: int, count: int) -> list[int]:
    """The numbers of up to ``count`` stored articles after the number ``after``, up to ``last``."""
    return [row.id for row in _AFTER.run(conn, {"after": after, "last": last, "count": count})]


def by_site_and_hour(conn: Connection, now: float) -> dict[str, list[int]]:
    """How many articles of each site were stored in each of the last :data:`HOURS_COUNTED` hours, the oldest first."""
    first = (int(now) // 3600 - HOURS_COUNTED + 1) * 3600
    counts: dict[str, list[int]] = {}
    for row in _BY_HOUR.run(conn, {"first": first}):
        if row.hour < HOURS_COUNTED:  # else the clock was set back since
            counts.setdefault(row.name, [0] * HOURS_COUNTED)[row.hour] = row.articles
    return counts
