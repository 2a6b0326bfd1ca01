"""Reads what the entries of the index stand for: the articles that may be shown, their texts and their weights."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.matching import indexed_text, matches_query
from newsspider.core.query.query_tree import Every, Node, has_near
from newsspider.core.query.ranking import MOST_RANKED
from newsspider.store.articles.article_filters import IS_FINDABLE, IS_THERE
from newsspider.store.engine.statement import rows_among
from newsspider.store.index.backend import Choice, Newest, SearchEntry
from newsspider.store.index.contents import of_article
from newsspider.store.index.entries import backend_of

MOST_READ = 5_000  # hits that are read to fill a page
READ_AT_ONCE = 1_000  # hits, where many of them are not wanted

_FINDABLE = f"""
SELECT articles.id, articles.priority, COALESCE(r.group_id, -articles.id) AS group_id
FROM articles LEFT JOIN reprints r ON r.article_id = articles.id WHERE articles.id IN ({{keys}}) AND {IS_FINDABLE}
"""
_SHOWN = f"{_FINDABLE} AND {IS_THERE}"
_ENTRIES = "SELECT id, article_id, revision_id, moment FROM search_entries WHERE article_id IN ({keys})"
_OWNERS = """
SELECT r.id, u.article_id FROM revisions r JOIN article_urls u ON u.key = r.key WHERE r.id IN ({keys})
"""
_TEXTS = f"""
SELECT t.id, t.title, SUBSTR(t.text, 1, {MOST_RANKED}) AS text, e.anchors
FROM {{table}} t JOIN search_entries e ON e.{{name}} = t.id WHERE t.id IN ({{{{keys}}}})
"""
_TEXTS_OF = {
    name: _TEXTS.format(table=table, name=name)
    for table, name in (("articles", "article_id"), ("revisions", "revision_id"))
}


@dataclass(frozen=True, slots=True)
class SearchScope:
    """What a search covers beside the present text of one article a group: its ``reprints``, ``vanished`` articles, old
    ``revisions``. ``among`` names the only articles that are looked at, a few hundred; ``only`` those of some that are
    wanted."""

    reprints: bool = False
    vanished: bool = False
    revisions: bool = False
    among: Callable[[Connection], Collection[int]] | None = None
    only: Callable[[Connection, Collection[int]], Set[int]] | None = None


PRESENT_TEXTS = SearchScope()


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry with its article."""

    entry: SearchEntry
    article_id: int
    group: int  # of its reprints, else a number of its own
    priority: int
    figure: float = 0.0  # by which it is ordered, if not by time


def newest_entries(conn: Connection, choice: Choice, scope: SearchScope, limit: int) -> Newest:
    """The newest entries of a choice; of a scope with ``among`` those of its articles, whose texts are still to be
    tested; of one with ``only`` those that are wanted among the newest :data:`MOST_READ` or more."""
    if scope.among is None:
        return (
            backend_of(conn).newest(conn, choice, limit) if scope.only is None else _wanted(conn, choice, scope, limit)
        )
    rows = rows_among(conn, _ENTRIES, scope.among(conn))
    entries = [entry for entry in (SearchEntry(*row) for row in rows) if is_within(choice, entry)]
    if (behind := choice.behind) is not None:
        entries = [entry for entry in entries if (entry.moment, entry.id) < (behind.moment, behind.id)]
    return Newest(sorted(entries, key=lambda entry: (-entry.moment, -entry.id))[:limit])


def _wanted(conn: Connection, choice: Choice, scope: SearchScope, limit: int) -> Newest:
    entries: list[SearchEntry] = []
    last, at_once, count = choice.behind, limit, 0
    while True:
        found, tested_last = backend_of(conn).newest(conn, replace(choice, behind=last), at_once)
        owners = article_of_each(conn, found)
        shown = _visible(conn, owners.values(), scope)
        entries += [entry for entry in found if owners.get(entry.id) in shown]
        count += len(found)
        if len(entries) >= limit and (len(entries) > limit or tested_last is None):
            return Newest(entries[:limit])
        if tested_last is not None or len(found) < at_once or count >= MOST_READ:
            is_end = tested_last is None and len(found) < at_once
            return Newest(entries, None if is_end else tested_last or found[-1])
        last, at_once = found[-1], READ_AT_ONCE


def is_within(choice: Choice, entry: SearchEntry) -> bool:
    """Whether the entry has been stored and published in the time of a choice."""
    was_stored = choice.known_article is None or (entry.article_id or 0) <= choice.known_article
    return (
        was_stored
        and (choice.since is None or entry.moment >= choice.since)
        and (choice.until is None or entry.moment < choice.until)
    )


def rows_of(conn: Connection, node: Node, entries: Sequence[SearchEntry], scope: SearchScope) -> Iterator[EntryRow]:
    """The entries that match the query and may be shown, in their order."""
    owners = article_of_each(conn, entries)
    rows = _visible(conn, owners.values(), scope)
    tested = has_near(node) or (scope.among is not None and node != Every())
    for entry in entries:
        row = rows.get(owners.get(entry.id, 0))
        if row is not None and (not tested or (entry.article_id is not None and article_matches(conn, node, row.id))):
            yield EntryRow(entry, row.id, row.group_id, row.priority)


def _visible(conn: Connection, articles: Iterable[int], scope: SearchScope) -> dict[int, Any]:
    """Those of the articles that may be shown and are wanted."""
    visible = rows_among(conn, _FINDABLE if scope.vanished else _SHOWN, dict.fromkeys(articles))
    rows = {row.id: row for row in visible}
    return rows if scope.only is None else {number: rows[number] for number in scope.only(conn, rows)}


def wanted_among(conn: Connection, articles: Iterable[int], scope: SearchScope) -> Set[int]:
    """Those of the articles that a scope wants."""
    wanted = set(articles)
    if scope.among is not None:
        wanted &= set(scope.among(conn))
    return wanted if scope.only is None else scope.only(conn, wanted)


def article_matches(conn: Connection, node: Node, article_id: int) -> bool:
    """Whether the present text of an article matches."""
    source = of_article(conn, article_id)
    if source is None:
        return False
    content = source.content()
    return matches_query(node, indexed_text(content.texts, content.values))


def texts_of(conn: Connection, rows: Sequence[EntryRow]) -> dict[int, tuple[str, str, str]]:
    """Title, beginning of the text and anchors of what each entry stands for."""
    texts: dict[int, tuple[str, str, str]] = {}
    for name, query in _TEXTS_OF.items():
        entries = {number: row.entry.id for row in rows if (number := getattr(row.entry, name)) is not None}
        texts |= {entries[row.id]: (row.title, row.text, row.anchors) for row in rows_among(conn, query, entries)}
    return texts


def article_of_each(conn: Connection, entries: Sequence[SearchEntry]) -> dict[int, int]:
    """The article of each entry; a revision has that of its URL, if there is one."""
    owners = {entry.id: entry.article_id for entry in entries if entry.article_id is not None}
    entry_of_revision = {entry.revision_id: entry.id for entry in entries if entry.revision_id is not None}
    return owners | {entry_of_revision[row.id]: row.article_id for row in rows_among(conn, _OWNERS, entry_of_revision)}
