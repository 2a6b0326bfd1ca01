"""Finds damage in a store: a quick look when a crawl starts, a complete check on request."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

from sqlalchemy import Connection, Engine

from newsspider.core.model import State

GLANCE_SECONDS = 0.3  # small stores are read completely in this time
MOST_PROBLEMS = 20  # of one kind that SQLite names

_HEADER = b"SQLite format 3\0"
_STATES = ", ".join(f"'{state.value}'" for state in State)
_IN_QUEUE = "q.host = u.host AND q.site = u.site AND q.queue = u.queue"

# What must hold across the tables after any crawl, kill and restart: the sentence, and the rows that break it.
INVARIANTS = {
    "URLs are in none of the four states": f"urls WHERE state NOT IN ({_STATES})",
    "URLs are being fetched by nobody": "urls WHERE state = 'processing' AND (lease_worker IS NULL OR lease_ends_at IS NULL)",
    "addresses are being asked for a page that nobody fetches": "addresses a WHERE a.busy_key IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM urls u WHERE u.key = a.busy_key AND u.state = 'processing')",
    "URLs wait in no queue and would never be fetched": "urls u WHERE u.queue IN (0, 1, 3) "
    f"AND NOT EXISTS (SELECT 1 FROM queues q WHERE {_IN_QUEUE} AND q.due_at IS NOT NULL)",
    "URLs are due before their queue": f"urls u JOIN queues q ON {_IN_QUEUE} WHERE u.queue IN (0, 1, 3) AND u.due_at < q.due_at",
    "articles have no URL": "articles a WHERE NOT EXISTS (SELECT 1 FROM article_urls u WHERE u.article_id = a.id)",
    "URLs of articles lead to no article": "article_urls u WHERE NOT EXISTS (SELECT 1 FROM articles a WHERE a.id = u.article_id)",
    "URLs of articles are not in the ledger":  # those of explore crawls have other keys there
    "article_urls a WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.key = a.key) "
    "AND a.site NOT IN (SELECT site FROM explore_crawls)",
}


def glance_at_file(engine: Engine, seconds: float = GLANCE_SECONDS) -> str | None:
    """The damage seen in a SQLite file within ``seconds``, ``None`` if there is none; PostgreSQL checks itself."""
    if engine.dialect.name != "sqlite":
        return None
    if shortfall := _cut_short(Path(engine.url.database or "")):
        return shortfall
    with engine.connect() as conn:
        raw: Any = conn.connection.driver_connection
        watch = Timer(seconds, raw.interrupt)
        watch.daemon = True
        watch.start()
        try:
            message = raw.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return None
            raise
        finally:
            watch.cancel()
            watch.join()
    return None if message == "ok" else _one_line(message)


def integrity_problems(conn: Connection) -> Iterator[str]:
    """Every problem, one sentence each. On SQLite every page of the file is read."""
    if conn.dialect.name == "sqlite":
        for (message,) in conn.exec_driver_sql(f"PRAGMA integrity_check({MOST_PROBLEMS})"):
            if message != "ok":
                yield _one_line(message)
        missing: dict[tuple[str, str], int] = {}
        for table, _, parent, _ in conn.exec_driver_sql("PRAGMA foreign_key_check"):
            missing[table, parent] = missing.get((table, parent), 0) + 1
        yield from (
            f"{count} rows of {table} refer to rows of {parent} that are not there"
            for (table, parent), count in missing.items()
        )
    for sentence, rows in INVARIANTS.items():
        if count := conn.exec_driver_sql(f"SELECT count(*) FROM {rows}").scalar_one():
            yield f"{count} {sentence}"


def _cut_short(file: Path) -> str | None:
    """The problem if a file has fewer pages than its header says; changes in the log can only make it longer."""
    with file.open("rb") as opened:
        head = opened.read(100)
    size = file.stat().st_size
    if not head.startswith(_HEADER):
        return "the file does not begin like a SQLite file"
    page_size = int.from_bytes(head[16:18]) or 1
    page_size = 65_536 if page_size == 1 else page_size
    pages = int.from_bytes(head[28:32]) if head[24:28] == head[92:96] else 0
    return f"the file ends after {size} of {pages * page_size} bytes" if size < pages * page_size else None


def _one_line(message: object) -> str:
    return " ".join(str(message).split())
