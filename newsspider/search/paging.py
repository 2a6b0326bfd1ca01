"""Goes through all that a query finds, page by page, in the order of time.

A cursor says where a page ended and which articles there were when the first one was asked for: what is stored
meanwhile moves nothing, so each article, or group of reprints, comes once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.query_language import Query
from newsspider.core.query.query_tree import has_near
from newsspider.core.text.numbers import cursor_numbers
from newsspider.search.entry_rows import (
    MOST_READ,
    EntryRow,
    SearchScope,
    article_matches,
    is_within,
    newest_entries,
    rows_of,
)
from newsspider.search.hits import HITS_AT_ONCE, Hit, choice_of, group_of, hits_of
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.index.backend import Choice, SearchEntry
from newsspider.store.index.entries import backend_of

EXPORTED_AT_ONCE = 200  # articles that are read at once
_BEHIND_ALL = (1 << 45, 1 << 60)  # behind every moment, and every entry

_LAST_ARTICLE = Statement("SELECT COALESCE(max(id), 0) FROM articles")
_MEMBERS = """
SELECT r.group_id, e.id, e.article_id, e.revision_id, e.moment
FROM reprints r JOIN search_entries e ON e.article_id = r.article_id WHERE r.group_id IN ({keys})
"""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Behind which entry a page begins, of the articles up to the number ``known``."""

    known: int
    moment: int
    entry: int

    def __str__(self) -> str:
        return f"{self.known}.{self.moment}.{self.entry}"


def cursor_of(written: str) -> Cursor | None:
    """The cursor that was written so; ``None`` if none was.

    >>> cursor_of("5.1800000000.28800000000"), cursor_of("5.x.1")
    (Cursor(known=5, moment=1800000000, entry=28800000000), None)
    """
    numbers = cursor_numbers(written, 3)
    return None if numbers is None else Cursor(*numbers)


def known_articles(conn: Connection) -> int:
    """The highest number of an article."""
    return int(_LAST_ARTICLE.run(conn, {}).scalar())


def page_of_hits(
    conn: Connection, query: Query, scope: SearchScope, limit: int, cursor: Cursor
) -> tuple[list[Hit], Cursor | None]:
    """Return up to ``limit`` hits after the cursor, and the next cursor, ``None`` after the last hit. A slow search may
    return fewer hits, even none, and still a cursor."""
    choice = replace(choice_of(query, scope), known_article=cursor.known)
    behind = SearchEntry(cursor.entry, None, None, cursor.moment)
    chosen: dict[object, EntryRow] = {}
    last, count = behind, 0
    while count < MOST_READ:
        entries, tested_last = newest_entries(conn, replace(choice, behind=last), scope, HITS_AT_ONCE)
        for row in _unseen(conn, query, scope, choice, behind, entries):
            if len(chosen) == limit and group_of(row, scope) not in chosen:
                return _shown(conn, query, scope, chosen), replace(cursor, moment=last.moment, entry=last.id)
            chosen.setdefault(group_of(row, scope), row)
            last = row.entry
        if tested_last is not None:
            last = tested_last
            break
        if len(entries) < HITS_AT_ONCE:
            return _shown(conn, query, scope, chosen), None
        last, count = entries[-1], count + len(entries)
    return _shown(conn, query, scope, chosen), replace(cursor, moment=last.moment, entry=last.id)


def all_records(
    opened: Callable[[], AbstractContextManager[Connection]], query: Query, scope: SearchScope
) -> Iterator[dict[str, Any]]:
    """The records of all that a query finds, the latest first; each page of them is a reading of its own, so that a
    slow reader keeps no state of the store."""
    with opened() as conn:
        cursor: Cursor | None = Cursor(known_articles(conn), *_BEHIND_ALL)
    while cursor is not None:
        with opened() as conn:
            hits, cursor = page_of_hits(conn, query, scope, EXPORTED_AT_ONCE, cursor)
        yield from (hit.record for hit in hits)


def _shown(conn: Connection, query: Query, scope: SearchScope, chosen: dict[object, EntryRow]) -> list[Hit]:
    return list(hits_of(conn, query, list(chosen.values()), scope))


def _unseen(
    conn: Connection,
    query: Query,
    scope: SearchScope,
    choice: Choice,
    behind: SearchEntry,
    entries: Sequence[SearchEntry],
) -> Iterator[EntryRow]:
    """The rows of the entries that may be shown; not those of groups of which an earlier page had a reprint."""
    rows = list(rows_of(conn, query.wanted, entries, scope))
    groups = {row.group for row in rows if row.group >= 0 and row.entry.revision_id is None and not scope.reprints}
    members: dict[int, list[SearchEntry]] = {}
    for member in rows_among(conn, _MEMBERS, groups):
        entry = SearchEntry(member.id, member.article_id, member.revision_id, member.moment)
        if _is_before(conn, entry, behind) and is_within(choice, entry):
            members.setdefault(member.group_id, []).append(entry)
    shown_groups = {group for group, several in members.items() if _is_shown(conn, query, scope, several)}
    yield from (row for row in rows if row.entry.revision_id is not None or row.group not in shown_groups)


def _is_shown(conn: Connection, query: Query, scope: SearchScope, entries: Sequence[SearchEntry]) -> bool:
    rows = rows_of(conn, query.wanted, entries, scope)
    return any(has_near(query.wanted) or article_matches(conn, query.wanted, row.article_id) for row in rows)


def _is_before(conn: Connection, entry: SearchEntry, other: SearchEntry) -> bool:
    """Whether an entry comes before another one, or is it."""
    if backend_of(conn).numbers_by_moment:
        return entry.id >= other.id
    return (entry.moment, entry.id) >= (other.moment, other.id)
