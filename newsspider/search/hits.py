"""Finds stored articles by a query: from the index, one a group of reprints, in the order that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.query_dates import ZONE
from newsspider.core.query.query_language import Query
from newsspider.core.query.query_tree import All, Either, Node, Text, Value, has_near, parts_of_query, wanted_texts
from newsspider.core.query.ranking import NEWEST_RANKED, TITLES_RANKED, RankedHit, rank_places
from newsspider.core.text.tokenizer import value_token
from newsspider.search.entry_rows import (
    MOST_READ,
    PRESENT_TEXTS,
    EntryRow,
    SearchScope,
    article_matches,
    newest_entries,
    rows_of,
    texts_of,
    wanted_among,
)
from newsspider.store.articles.article_filters import IS_FINDABLE, IS_THERE, hidden_among
from newsspider.store.articles.article_records import articles_of
from newsspider.store.engine.statement import LONGEST_LIST, batched, rows_among
from newsspider.store.index.backend import Choice, SearchEntry
from newsspider.store.index.entries import backend_of
from newsspider.store.page_weights import weights_of

MOST_COUNTED = 1_000
READ_FOR_EACH = 10  # hits of the index that are read for each article of a long page: most are reprints of others
MOST_NEAR = 500  # hits of which it is tested how near words are, one by one
HITS_AT_ONCE = 50  # hits that are looked at together
FEW_HITS = 3  # articles are counted whatever the limit is: a phrase that finds fewer is also looked for by its words

_FIRST_SOURCES = f"""
SELECT r.group_id, articles.id, articles.source, articles.site,
       COALESCE(articles.published_ts, articles.crawled_ts) AS moment
FROM reprints r JOIN articles ON articles.id = r.article_id
WHERE r.group_id IN ({{keys}}) AND r.is_first AND {IS_FINDABLE} AND {IS_THERE}
"""
_ANCHORS = "SELECT article_id, anchors FROM search_entries WHERE article_id IN ({keys})"
_OLD = "SELECT id, changed_at, text FROM revisions WHERE id IN ({keys})"


class Sort(StrEnum):
    """What comes first."""

    TIME = "time"  # the latest
    RELEVANCE = "relevance"  # what says most of the query's words, among the newest hits and those in titles
    PRIORITY = "priority"  # the heaviest source, then the latest, among the newest hits
    RANK = "rank"  # the heaviest page by the links to it, then the latest, among the newest hits


DEFAULT_SORT = Sort.TIME  # of every search that names none


@dataclass(frozen=True, slots=True)
class Hit:
    """An article that was found."""

    record: dict[str, Any]
    revised_at: float | None = None  # an old version of it was found, which was there until then
    text: str = ""  # what was found: the text, or the comments or anchors if only these were asked for
    first: tuple[str, int] | None = None  # source, else site, and moment of the first source of its reprints
    copied_at: int | None = None  # when the copy was published that was found, where its first source is shown instead
    moment: int | None = None  # of what was found, by which hits are ordered in time
    figure: float = 0.0  # by which it is ordered, if not by time: a score or a weight


@dataclass(frozen=True, slots=True)
class FoundHits:
    """A page of hits, and how many articles there are: ``total``, or ``more`` if not all were counted. In the order
    of time, ``last`` is the last entry that was read, if more follow it. ``went_back_to``, in seconds since the epoch,
    is where a search stopped that took too long."""

    total: int
    hits: tuple[Hit, ...]
    more: bool = False
    grouped: bool = True  # the total counts a group of reprints once
    last: SearchEntry | None = None
    went_back_to: int | None = None

    @property
    def first_day(self) -> str:
        """The day of that moment, as ``until:`` reads it; empty if all that there is was looked at."""
        return "" if self.went_back_to is None else datetime.fromtimestamp(self.went_back_to, ZONE).date().isoformat()


def narrow_query(query: Query, **values: str | None) -> Query:
    """The query with a test of each of these fields (``site``, ``topic`` ...) that has a value."""
    tests = [Value(value_token(field, value)) for field, value in values.items() if value]
    return replace(query, wanted=All((query.wanted, *tests))) if tests else query


def search(
    conn: Connection,
    query: Query,
    scope: SearchScope = PRESENT_TEXTS,
    *,
    limit: int = 20,
    sort: Sort = DEFAULT_SORT,
    now: float = 0,
) -> FoundHits:
    """The articles that a query asks for.

    Of an article and its reprints that are found one is shown: the first source if it has what is asked for, else the
    latest. What META robots or X-Robots-Tag keep out of an index (``noindex``) is not found, unless another page shows
    the same body. In another order than that of time, the newest :data:`NEWEST_RANKED` hits and those in titles are
    sorted.
    """
    choice = choice_of(query, scope)
    most = max(MOST_COUNTED, min(READ_FOR_EACH * limit, MOST_READ))
    entries, tested_last = newest_entries(conn, choice, scope, most + 1)
    near = has_near(query.wanted)
    looked_at = entries[: MOST_NEAR if near else most]
    is_cut = tested_last is not None or len(entries) > len(looked_at)
    last = None
    if sort is Sort.TIME:
        counted = most if scope.among else max(limit, FEW_HITS)
        rows = _page(conn, query.wanted, looked_at, scope, counted)
        are_all = not is_cut and len(rows) <= counted
        if len(rows) > limit:
            last = rows[limit - 1].entry
        elif not are_all:
            last = tested_last or looked_at[-1]
    else:
        rows = _sorted(conn, query, choice, scope, sort, now, looked_at)
        are_all = not is_cut and len(entries) <= NEWEST_RANKED
    hits = tuple(hits_of(conn, query, rows[:limit], scope))
    if are_all:
        return FoundHits(len(rows), hits, last=last)
    went_back_to = None if tested_last is None else tested_last.moment
    if near or scope.among:  # entries that do not match are counted, too
        return FoundHits(len(rows), hits, more=True, grouped=False, last=last, went_back_to=went_back_to)
    numbers = {entry.article_id for entry in looked_at if entry.article_id is not None}
    hidden = set() if scope.vanished else hidden_among(conn, numbers)
    return FoundHits(len(looked_at) - len(hidden), hits, is_cut, grouped=False, last=last, went_back_to=went_back_to)


def articles_with(conn: Connection, node: Node, after: int, limit: int) -> list[int]:
    """The numbers of the newest articles above the number ``after`` that match, can be found and have not vanished."""
    entries = backend_of(conn).newest(conn, Choice(node, after_article=after or None), limit).entries
    return [row.article_id for row in _rows(conn, node, entries, PRESENT_TEXTS)]


def choice_of(query: Query, scope: SearchScope) -> Choice:
    """The entries that a query asks for."""
    since = None if query.since is None else int(query.since.timestamp())
    until = None if query.until is None else int(query.until.timestamp())
    return Choice(query.wanted, since, until, revisions=scope.revisions)


def _rows(
    conn: Connection, node: Node, entries: Sequence[SearchEntry], scope: SearchScope, at_once: int = HITS_AT_ONCE
) -> Iterator[EntryRow]:
    """The entries that match the query and may be shown."""
    for some in batched(entries[:MOST_NEAR] if has_near(node) else entries, at_once):
        yield from rows_of(conn, node, some, scope)


def _page(
    conn: Connection, node: Node, entries: Sequence[SearchEntry], scope: SearchScope, limit: int
) -> list[EntryRow]:
    """The newest row of each group, at most ``limit`` and one more."""
    rows: dict[object, EntryRow] = {}
    for row in _rows(conn, node, entries, scope):
        rows.setdefault(group_of(row, scope), row)
        if len(rows) > limit:
            break
    return list(rows.values())


def group_of(row: EntryRow, scope: SearchScope) -> object:
    """The key of the entries that are shown as one hit."""
    if row.entry.revision_id is not None:
        return row.entry.id
    return row.article_id if scope.reprints else (row.group,)


def _sorted(
    conn: Connection,
    query: Query,
    choice: Choice,
    scope: SearchScope,
    sort: Sort,
    now: float,
    entries: Sequence[SearchEntry],
) -> list[EntryRow]:
    """The best row of each group among the newest hits, best first."""
    chosen, node = entries[:NEWEST_RANKED], query.wanted
    if (
        scope.among is None
        and sort is Sort.RELEVANCE
        and len(entries) > NEWEST_RANKED
        and any(isinstance(part, Text) for part in parts_of_query(node))
    ):
        titles = replace(choice, wanted=_titled(node))
        chosen = list(dict.fromkeys([*chosen, *backend_of(conn).newest(conn, titles, TITLES_RANKED).entries]))
    rows = list(_rows(conn, node, chosen, scope, LONGEST_LIST))
    if sort is Sort.PRIORITY:
        rows = [replace(row, figure=row.priority) for row in rows]
        rows.sort(key=lambda row: (-row.priority, -row.entry.moment))
    else:
        weights = weights_of(conn, [row.article_id for row in rows])
        if sort is Sort.RANK:
            rows = [replace(row, figure=weights.get(row.article_id, 0.0)) for row in rows]
            rows.sort(key=lambda row: (-row.figure, -row.entry.moment))
        else:
            terms = list(dict.fromkeys([*wanted_texts(node), *query.neighbours]))
            scores = rank_places(_candidates(conn, rows, weights), terms, now)
            rows = [replace(rows[place], figure=score) for place, score in scores]
    best: dict[object, EntryRow] = {}
    for row in rows:
        best.setdefault(group_of(row, scope), row)
    return list(best.values())


def _titled(node: Node) -> Node:
    if isinstance(node, Text):
        return replace(node, field=node.field or "title")
    return type(node)(tuple(map(_titled, node.sides))) if isinstance(node, All | Either) else node


def _candidates(conn: Connection, rows: Sequence[EntryRow], weights: dict[int, float]) -> Iterator[RankedHit]:
    groups = Counter(row.group for row in rows)
    texts = texts_of(conn, rows)
    for row in rows:
        title, body, anchors = texts.get(row.entry.id, ("", "", ""))
        weight = weights.get(row.article_id, 0.0)
        yield RankedHit(title, body, row.entry.moment, weight, groups[row.group] - 1, anchors)


def hits_of(conn: Connection, query: Query, rows: Sequence[EntryRow], scope: SearchScope) -> Iterator[Hit]:
    """The hits of these entries, in their order; of a group of reprints the first source, if
    that matches and is wanted."""
    node = query.wanted
    firsts = {} if scope.reprints else first_sources(conn, [row.group for row in rows if row.group >= 0])
    wanted = wanted_among(conn, (first.id for first in firsts.values()), scope)
    shown = {group: first for group, first in firsts.items() if first.id in wanted}
    chosen = [(row, _shown_article(conn, query, row, shown)) for row in rows]
    by_number = {record["id"]: record for record in articles_of(conn, [number for _, number in chosen])}
    old = {row.id: row for row in rows_among(conn, _OLD, filter(None, (row.entry.revision_id for row, _ in chosen)))}
    texts = _asked_texts(conn, node, by_number)
    for row, number in chosen:
        record, first = by_number[number], firsts.get(row.group)
        named = None if first is None or first.id == number else (first.source or first.site, first.moment)
        version, moment = old.get(row.entry.revision_id), row.entry.moment
        if version is None:
            copied_at = None if number == row.article_id else moment
            yield Hit(record, None, texts.get(number, record["text"]), named, copied_at, moment, row.figure)
        else:
            yield Hit(record, version.changed_at, version.text, moment=moment, figure=row.figure)


def _shown_article(conn: Connection, query: Query, row: EntryRow, firsts: Mapping[int, Any]) -> int:
    """The first source of a row's group if that matches, else the article that was found."""
    first = firsts.get(row.group)
    if first is None or row.entry.revision_id is not None or first.id == row.article_id:
        return row.article_id
    is_asked_for = query.covers(first.moment) and article_matches(conn, query.wanted, first.id)
    return int(first.id) if is_asked_for else row.article_id


def newest_articles(conn: Connection, query: Query, limit: int) -> list[int]:
    """The numbers of the articles that a search in the order of time shows first; none of them is read."""
    entries = backend_of(conn).newest(conn, choice_of(query, PRESENT_TEXTS), READ_FOR_EACH * limit).entries
    rows = _page(conn, query.wanted, entries, PRESENT_TEXTS, limit)[:limit]
    firsts = first_sources(conn, [row.group for row in rows if row.group >= 0])
    return [_shown_article(conn, query, row, firsts) for row in rows]


def _asked_texts(conn: Connection, node: Node, records: Mapping[int, Mapping[str, Any]]) -> dict[int, str]:
    """The comments or the anchors of the articles, if a query asks for nothing else."""
    fields = {text.field for text in wanted_texts(node)}
    if fields == {"comment"}:
        return {number: "\n".join(record["comments"]) for number, record in records.items()}
    return {row.article_id: row.anchors for row in rows_among(conn, _ANCHORS, records)} if fields == {"anchor"} else {}


def first_sources(conn: Connection, groups: Iterable[int]) -> dict[int, Any]:
    """The article of the first source of each group that can be found and is there."""
    return {row.group_id: row for row in rows_among(conn, _FIRST_SOURCES, groups)}
