"""Deletes old rows that a store need not keep for ever: snapshots, links, revisions, and records of runs.

Articles stay, and so do the URLs of the ledger: without them a page would be fetched and stored again. The links of
lists stay, too: a poll needs them to know what is new on a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from math import inf
from typing import NamedTuple

from sqlalchemy import Connection, Engine

from newsspider.store import url_history
from newsspider.store.articles import snapshots
from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.statement import LEAST_KEY, Statement, batched, in_order
from newsspider.store.index import entries
from newsspider.store.ledger.stored_links import in_pages, unpack_links

ROWS_AT_ONCE = 500  # rows in a transaction: a crawl writes in between
LAST_KEY = 2**63 - 1  # keys are signed numbers of 64 bits

_COUNT_SNAPSHOTS = Statement(
    "SELECT count(*) FROM articles WHERE crawled_ts < :before"
    " AND (snapshot <> '' OR id IN (SELECT article_id FROM article_part_snapshots))"
)
_SNAPSHOTS = Statement(
    """
    SELECT id, snapshot, parts FROM articles WHERE id > :after AND crawled_ts < :before
    AND (snapshot <> '' OR id IN (SELECT article_id FROM article_part_snapshots)) ORDER BY id LIMIT :count
    """
)
_COUNT_LINKS = Statement("SELECT count(*) FROM page_links WHERE found_at < :before")
_PAGE = Statement("SELECT src FROM page_links WHERE src > :after ORDER BY src LIMIT 1 OFFSET :count")
_LINKS = Statement("DELETE FROM page_links WHERE src > :after AND src <= :last AND found_at < :before")
_LAST_LINK = Statement("SELECT COALESCE(max(id), 0) FROM distinct_links")
_SHOWN = Statement("SELECT DISTINCT link FROM list_links WHERE link > :after ORDER BY link LIMIT :count")
_FORMS = Statement("SELECT id, form IS NULL FROM distinct_links WHERE id > :after ORDER BY id LIMIT :count")
_HIDE = Statement("UPDATE distinct_links SET form = NULL WHERE id = :id")
_DROP = Statement("DELETE FROM distinct_links WHERE id = :id")
_COUNT_REVISIONS = Statement("SELECT count(*) FROM revisions WHERE changed_at < :before")
_REVISIONS = Statement(
    "SELECT id, snapshot, further FROM revisions WHERE id > :after AND changed_at < :before ORDER BY id LIMIT :count"
)
_REVISION = Statement("DELETE FROM revisions WHERE id = :id")
_COUNT_RUNS = Statement("SELECT count(*) FROM runs WHERE finished_at < :before")
_RUNS = Statement("DELETE FROM runs WHERE finished_at < :before")


class ExpiringRows(NamedTuple):
    """Rows that can be deleted by age: how old ones are counted, and how those after a key are deleted."""

    meaning: str
    old: Statement
    step: Callable[[Connection, int, float], tuple[int, int | None]]  # (how many, the last key; None: none remain)


def _delete_snapshots(conn: Connection, after: int, before: float) -> tuple[int, int | None]:
    rows = _SNAPSHOTS.run(conn, {"after": after, "before": before, "count": ROWS_AT_ONCE}).all()
    for row in rows:
        snapshots.forget_pages(conn, row.id, row.parts)
        snapshots.drop(conn, {row.snapshot, *snapshots.further(row.parts)} - {""})
    return len(rows), rows[-1].id if rows else None


def _delete_links(conn: Connection, after: int, before: float) -> tuple[int, int | None]:
    last = _PAGE.run(conn, {"after": after, "count": ROWS_AT_ONCE}).scalar()
    count = _LINKS.change(conn, {"after": after, "last": LAST_KEY if last is None else last, "before": before})
    return count, last


def _delete_revisions(conn: Connection, after: int, before: float) -> tuple[int, int | None]:
    rows = _REVISIONS.run(conn, {"after": after, "before": before, "count": ROWS_AT_ONCE}).all()
    for row in rows:
        entries.drop_revision(conn, row.id)
        _REVISION.change(conn, {"id": row.id})
        snapshots.drop(conn, {row.snapshot, *snapshots.further(row.further)} - {""})
    return len(rows), rows[-1].id if rows else None


def _delete_runs(conn: Connection, after: int, before: float) -> tuple[int, int | None]:
    return _RUNS.change(conn, {"before": before}), None


KINDS_OF_ROWS = {
    "snapshots": ExpiringRows("pages of articles as they were fetched", _COUNT_SNAPSHOTS, _delete_snapshots),
    "links": ExpiringRows("pages that are no lists: their links", _COUNT_LINKS, _delete_links),
    "revisions": ExpiringRows("earlier versions of articles", _COUNT_REVISIONS, _delete_revisions),
    "runs": ExpiringRows("records of crawls", _COUNT_RUNS, _delete_runs),
}


def count_old(conn: Connection, kind: str, before: float) -> int:
    """The number of rows of a kind from before a moment."""
    return int(KINDS_OF_ROWS[kind].old.run(conn, {"before": before}).scalar())


def delete_old(engine: Engine, kind: str, before: float) -> Iterator[tuple[int, int]]:
    """Delete the rows of a kind from before a moment; yields repeatedly how many rows are done, and of how many. For
    links, the rows that are read afterwards to find links without pages count, too."""
    sweeps = kind == "links"
    with reading(engine) as conn:
        total = count_old(conn, kind, before)
        further = 2 * (count_old(conn, kind, inf) - total) if sweeps else 0
    after: int | None = LEAST_KEY
    done = 0
    while after is not None:
        with writing(engine) as conn:
            count, after = KINDS_OF_ROWS[kind].step(conn, after, before)
        done += count
        yield done, total + further
    if sweeps:
        for swept, to_sweep in _sweep(engine, further):
            yield done + swept, total + to_sweep


def _sweep(engine: Engine, total: int) -> Iterator[tuple[int, int]]:
    """Delete the distinct links that no page has any more; yields how many rows are done, and of how many.

    First clear the hash, so that writers stop reusing the row. A writer that already runs may still use it, so check
    again before deleting.
    """
    done = 0
    for statement in (_HIDE, _DROP):
        with reading(engine) as conn:
            used = _shown(conn)
            for rows in in_pages(conn):
                for number in chain.from_iterable(unpack_links(row.links) for row in rows):
                    used[number >> 1] = 1
                done += len(rows)
                yield done, max(done, total)
            links = chain.from_iterable(in_order(conn, _FORMS))
            unused = [link for link, hidden in links if bool(hidden) is (statement is _DROP) and not used[link]]
        total += len(unused)
        for part in batched(unused, ROWS_AT_ONCE):
            with writing(engine) as conn:
                statement.change_many(conn, [{"id": link} for link in part])
                url_history.count_deletion(conn)
            done += len(part)
            yield done, max(done, total)
        with writing(engine):
            pass  # waits for the writers that already ran


def _shown(conn: Connection) -> bytearray:
    """For each number of a link, 1 if a list has it."""
    used = bytearray(_LAST_LINK.run(conn, {}).scalar() + 1)
    for rows in in_order(conn, _SHOWN):
        for (link,) in rows:
            used[link] = 1
    return used
