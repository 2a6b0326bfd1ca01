"""Finds stored articles by a query: from the index, one a group of reprints, in the order that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, func, select

from newsspider.core.query.matching import document, matches
from newsspider.core.query.ranking import Candidate, ranked
from newsspider.core.query.tree import All, Either, Node, Text, Value, has_near, parts, wanted_texts, widened
from newsspider.core.text.search_tokens import value_token
from newsspider.search.language import Query
from newsspider.store.articles.export import FINDABLE, MOMENT, THERE, records
from newsspider.store.engine.statement import LONGEST_LIST, batched
from newsspider.store.index.backend import Choice, Entry
from newsspider.store.index.contents import of_article
from newsspider.store.index.entries import backend
from newsspider.store.tables import article_urls, articles, ranks, reprints, revisions

NEWEST = 300  # hits that are put in another order than that of time
IN_TITLE = 100  # hits in titles that are put in order with them
MOST_COUNTED = 10_000
MOST_READ = 5_000  # hits that are read to fill a page, or to decide on how near words are
AT_ONCE = 100  # hits that are read from the index at once


class Sort(StrEnum):
    """What comes first."""

    TIME = "time"  # the latest
    RELEVANCE = "relevance"  # what says most of the query's words, among the newest hits and those in titles
    PRIORITY = "priority"  # the heaviest source, then the latest, among the newest hits
    RANK = "rank"  # the heaviest page by the links to it, then the latest, among the newest hits


@dataclass(frozen=True, slots=True)
class Hit:
    """An article that was found."""

    record: dict[str, Any]
    revised_at: float | None = None  # an old version of it was found, which was there until then
    text: str = ""  # of what was found
    first: tuple[str, int] | None = None  # source, else site, and moment of the first source of its reprints


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a page; how many articles there are in all; ``more`` than that if they were not all counted."""

    total: int
    hits: tuple[Hit, ...]
    more: bool = False
    grouped: bool = True  # the total counts a group of reprints once


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched beside the present text of what is there: ``reprints`` of one article, ``vanished`` articles, old
    ``revisions``."""

    reprints: bool = False
    vanished: bool = False
    revisions: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """An entry with its article."""

    entry: Entry
    article_id: int
    group: int  # of its reprints, else a number of its own
    priority: int


def narrowed(query: Query, **values: str | None) -> Query:
    """The query, if given with these values of fields (``site``, ``topic`` ...)."""
    wanted = [Value(value_token(field, value)) for field, value in values.items() if value]
    return replace(query, wanted=All((query.wanted, *wanted))) if wanted else query


def search(
    conn: Connection, query: Query, scope: Scope = Scope(), *, limit: int = 20, sort: Sort = Sort.TIME, now: float = 0
) -> Found:
    """The articles that a query asks for.

    Of an article and its reprints that are found one is shown: the first source if it has what is asked for, else the
    latest. What META robots or X-Robots-Tag keep out of an index (``noindex``) is not found, unless another page shows
    the same body. In another order than that of time, the newest :data:`NEWEST` hits and those in titles are sorted.
    """
    choice = _choice(query, scope)
    if sort is Sort.TIME:
        rows, ended = _page(conn, query.wanted, choice, scope, limit)
    else:
        rows, ended = _sorted(conn, query.wanted, choice, scope, sort, now)
    shown = rows[:limit]
    hits = tuple(_hits(conn, query.wanted, shown, scope))
    if ended:
        return Found(len(rows), hits)
    if has_near(query.wanted):  # the index counts what is not near, too
        return Found(len(rows), hits, more=True, grouped=False)
    total = backend(conn).count(conn, choice, MOST_COUNTED + 1)
    return Found(min(total, MOST_COUNTED), hits, total > MOST_COUNTED, grouped=False)


def shown_rows(conn: Connection, query: Query, scope: Scope, most: int) -> Iterator[Row]:
    """What a query asks for and may be shown, the latest first, of at most so many hits."""
    return _rows(conn, query.wanted, _choice(query, scope), scope, most)


def articles_with(conn: Connection, wanted: Node, after: int, limit: int) -> list[int]:
    """The numbers of the newest articles that are there, can be found and are what is asked for, of those with a
    number above ``after``."""
    choice = Choice(widened(wanted), after_article=after or None)
    return [row.article_id for row in _rows(conn, wanted, choice, Scope(), limit)]


def _choice(query: Query, scope: Scope) -> Choice:
    since = None if query.since is None else int(query.since.timestamp())
    until = None if query.until is None else int(query.until.timestamp())
    return Choice(widened(query.wanted), since, until, revisions=scope.revisions)


def _page(conn: Connection, wanted: Node, choice: Choice, scope: Scope, limit: int) -> tuple[list[Row], bool]:
    """The newest row of each group, at least ``limit`` of them, and whether these are all."""
    rows: dict[object, Row] = {}
    read = 0
    for row in _rows(conn, wanted, choice, scope, MOST_READ):
        read += 1
        rows.setdefault(_group(row, scope), row)
        if len(rows) > limit:
            return list(rows.values()), False
    return list(rows.values()), read < MOST_READ


def _group(row: Row, scope: Scope) -> object:
    if row.entry.revision_id is not None:
        return row.entry.id
    return row.article_id if scope.reprints else (row.group,)


def _rows(conn: Connection, wanted: Node, choice: Choice, scope: Scope, most: int) -> Iterator[Row]:
    """The entries of the index that are really asked for and may be shown, the latest first, of at most so many hits."""
    read = 0
    while read < most:
        entries = backend(conn).newest(conn, choice, min(AT_ONCE, most - read))
        yield from _shown(conn, wanted, entries, scope)
        read += len(entries)
        if len(entries) < AT_ONCE:
            return
        choice = replace(choice, before=entries[-1])


def _shown(conn: Connection, wanted: Node, entries: Sequence[Entry], scope: Scope) -> Iterator[Row]:
    owners = _owners(conn, entries)
    columns = select(
        articles.c.id, articles.c.priority, func.coalesce(reprints.c.group_id, -articles.c.id).label("group")
    ).outerjoin(reprints, reprints.c.article_id == articles.c.id)
    conditions = [articles.c.id.in_(owners.values()), FINDABLE, *([] if scope.vanished else [THERE])]
    rows = {row.id: row for row in conn.execute(columns.where(*conditions))}
    near = has_near(wanted)
    for entry in entries:
        row = rows.get(owners.get(entry.id))
        if row is not None and (not near or _matches(conn, wanted, entry)):
            yield Row(entry, row.id, row.group, row.priority)


def _owners(conn: Connection, entries: Sequence[Entry]) -> dict[int, int]:
    """The article of each entry; a revision has that of its URL, if there is one."""
    owners = {entry.id: entry.article_id for entry in entries if entry.article_id is not None}
    kept = {entry.revision_id: entry.id for entry in entries if entry.revision_id is not None}
    if kept:
        of_url = select(revisions.c.id, article_urls.c.article_id).join(
            article_urls, article_urls.c.key == revisions.c.key
        )
        owners |= {kept[row.id]: row.article_id for row in conn.execute(of_url.where(revisions.c.id.in_(kept)))}
    return owners


def _matches(conn: Connection, wanted: Node, entry: Entry) -> bool:
    if entry.article_id is None:  # how near words are is not asked of revisions
        return False
    return _article_matches(conn, wanted, entry.article_id)


def _article_matches(conn: Connection, wanted: Node, article_id: int) -> bool:
    source = of_article(conn, article_id)
    if source is None:
        return False
    content = source.content()
    return matches(wanted, document(content.title, content.body, content.values))


def _sorted(
    conn: Connection, wanted: Node, choice: Choice, scope: Scope, sort: Sort, now: float
) -> tuple[list[Row], bool]:
    """The best row of each group among the newest hits, best first, and whether these are all."""
    rows = list(_rows(conn, wanted, choice, scope, NEWEST))
    ended = len(rows) < NEWEST and backend(conn).count(conn, choice, NEWEST + 1) <= NEWEST
    if sort is Sort.RELEVANCE and not ended and any(isinstance(part, Text) for part in parts(wanted)):
        titles = replace(choice, wanted=widened(_titled(wanted)))
        seen = {row.entry.id for row in rows}
        rows += [row for row in _rows(conn, wanted, titles, scope, IN_TITLE) if row.entry.id not in seen]
    if sort is Sort.PRIORITY:
        rows.sort(key=lambda row: (-row.priority, -row.entry.moment))
    else:
        weights = _weights(conn, [row.article_id for row in rows])
        if sort is Sort.RANK:
            rows.sort(key=lambda row: (*(-figure for figure in weights.get(row.article_id, (0, 0))), -row.entry.moment))
        else:
            places = ranked(_candidates(conn, rows, weights), list(wanted_texts(wanted)), now)
            rows = [rows[place] for place in places]
    best: dict[object, Row] = {}
    for row in rows:
        best.setdefault(_group(row, scope), row)
    return list(best.values()), ended


def _titled(node: Node) -> Node:
    if isinstance(node, Text):
        return replace(node, field=node.field or "title")
    return type(node)(tuple(map(_titled, node.sides))) if isinstance(node, All | Either) else node


def _weights(conn: Connection, ids: Sequence[int]) -> dict[int, tuple[float, float]]:
    """The page weight and the PageRank of the best page of each of these articles that links lead to."""
    weights: dict[int, tuple[float, float]] = {}
    for some in batched(ids, LONGEST_LIST):
        best = (
            select(article_urls.c.article_id, func.max(ranks.c.weight), func.max(ranks.c.pagerank))
            .join(ranks, ranks.c.key == article_urls.c.key)
            .where(article_urls.c.article_id.in_(some))
            .group_by(article_urls.c.article_id)
        )
        weights |= {article_id: (weight or 0.0, rank or 0.0) for article_id, weight, rank in conn.execute(best)}
    return weights


def _candidates(conn: Connection, rows: Sequence[Row], weights: dict[int, tuple[float, float]]) -> Iterator[Candidate]:
    groups = Counter(row.group for row in rows)
    texts = _texts(conn, rows)
    for row in rows:
        title, body = texts.get(row.entry.id, ("", ""))
        weight = weights.get(row.article_id, (0.0, 0.0))[0]
        yield Candidate(title, body, row.entry.moment, weight, groups[row.group] - 1)


def _texts(conn: Connection, rows: Sequence[Row]) -> dict[int, tuple[str, str]]:
    """Title and text of what each entry stands for."""
    texts: dict[int, tuple[str, str]] = {}
    for table, name in ((articles, "article_id"), (revisions, "revision_id")):
        entries = {number: row.entry.id for row in rows if (number := getattr(row.entry, name)) is not None}
        for some in batched(list(entries), LONGEST_LIST):
            stored = conn.execute(select(table.c.id, table.c.title, table.c.text).where(table.c.id.in_(some)))
            texts |= {entries[row.id]: (row.title, row.text) for row in stored}
    return texts


def _hits(conn: Connection, wanted: Node, rows: Sequence[Row], scope: Scope) -> Iterator[Hit]:
    firsts = {} if scope.reprints else first_sources(conn, [row.group for row in rows if row.group >= 0])
    chosen: list[tuple[Row, int]] = []
    for row in rows:
        first = firsts.get(row.group)
        number = row.article_id
        if first is not None and row.entry.revision_id is None and first.id != number:
            number = first.id if _article_matches(conn, wanted, first.id) else number
        chosen.append((row, number))
    stored = conn.execute(select(articles).where(articles.c.id.in_([number for _, number in chosen]))).mappings().all()
    by_number = {record["id"]: record for record in records(conn, stored)}
    old = {row.id: row for row in _old(conn, [row.entry.revision_id for row, _ in chosen if row.entry.revision_id])}
    for row, number in chosen:
        record, first = by_number[number], firsts.get(row.group)
        named = None if first is None or first.id == number else (first.source or first.site, first.moment)
        version = old.get(row.entry.revision_id)
        if version is None:
            yield Hit(record, None, record["text"], named)
        else:
            yield Hit(record, version.changed_at, version.text)


def _old(conn: Connection, ids: Iterable[int]) -> Iterable[Any]:
    return conn.execute(select(revisions.c.id, revisions.c.changed_at, revisions.c.text).where(revisions.c.id.in_(ids)))


def first_sources(conn: Connection, groups: Sequence[int]) -> dict[int, Any]:
    """The article of the first source of each group that can be found and is there."""
    columns = select(reprints.c.group_id, articles.c.id, articles.c.source, articles.c.site, MOMENT.label("moment"))
    wanted = columns.join(articles, articles.c.id == reprints.c.article_id).where(
        reprints.c.group_id.in_(groups), reprints.c.is_first, FINDABLE, THERE
    )
    return {row.group_id: row for row in conn.execute(wanted)}
