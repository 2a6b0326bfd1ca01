"""Builds the search index of all stored articles while crawls write; :mod:`~newsspider.store.index.entries` keeps it up
to date."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import Connection

from newsspider.store.articles import batch_jobs
from newsspider.store.articles.batch_jobs import Pass
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries
from newsspider.store.tables.search import REINDEX, start_again

_NEXT = Statement("SELECT id FROM articles WHERE id > :after AND id <= :last ORDER BY id LIMIT :count")
_REVISIONS = Statement(
    """
    SELECT r.id FROM revisions r
    WHERE NOT EXISTS (SELECT 1 FROM search_entries e WHERE e.revision_id = r.id) ORDER BY r.id LIMIT :count
    """
)


def unfinished(conn: Connection) -> Pass | None:
    """The unfinished job, if there is one: until it is finished, some articles are not found."""
    return batch_jobs.unfinished(conn, REINDEX)


def begin(conn: Connection, now: float, *, again: bool = False) -> Pass | None:
    """The unfinished job; with ``again`` a new one, which first empties the index. ``None`` if there is nothing to
    do."""
    if again:
        start_again(conn, now)
    return unfinished(conn)


def go_on(conn: Connection, run: Pass, count: int) -> Pass | None:
    """Index the next articles; returns the job after them, ``None`` at its end. Raises :exc:`OvertakenError`."""
    ids = [row.id for row in _NEXT.run(conn, {"after": run.after_id, "last": run.last_id, "count": count})]
    if ids:
        next_run = batch_jobs.advanced(conn, run, ids[-1], Counter(indexed=len(ids)))
        for article_id in ids:
            entries.add(conn, article_id)
        return next_run
    return None


def add_revisions(conn: Connection, count: int) -> int:
    """Index the next revisions that are not indexed; returns how many there were."""
    rows = _REVISIONS.run(conn, {"count": count})
    return sum(entries.add_revision(conn, row.id) for row in rows)
