"""Query relaxation: answers a query as people mean it. A run of Chinese that finds fewer than ``FEW_HITS`` (of
``hits.py``) as a phrase is looked for by its words, without the stop words (``core/text/phrases.py``), and by most of
them if few articles have all, as happens with a whole question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations

from sqlalchemy import Connection

from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_language import Query, neighbours_of, parse_query, words_of
from newsspider.core.query.query_tree import All, Either, Text
from newsspider.search.entry_rows import PRESENT_TEXTS, SearchScope
from newsspider.search.hits import DEFAULT_SORT, FEW_HITS, FoundHits, Hit, Sort, choice_of, narrow_query, search
from newsspider.store.articles.article_filters import NO_FILTERS, Filters
from newsspider.store.index.backend import COPY, ServerAwayError

MOST_WORDS = 6  # of a question: the longest
LEAST_WORDS = 2  # of them that an article has


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a query, and what was searched for if that differs from what was typed."""

    found: FoundHits
    query: Query
    searched_as: str = ""
    order: Sort = DEFAULT_SORT  # of the hits


def looked_up(
    conn: Connection,
    query: str,
    scope: SearchScope,
    *,
    limit: int,
    sort: Sort,
    now: datetime,
    filters: Filters = NO_FILTERS,
    questions: bool = True,
) -> SearchResult:
    """The articles for a query within these filters; raises :exc:`RuleError` for one that cannot be read. With
    ``questions``, a question of which few articles have all words finds those with most of them, by relevance
    whatever ``sort`` says."""

    def answered(read: Query, searched_as: str = "", order: Sort = sort) -> SearchResult:
        found = search(conn, read, scope, limit=limit, sort=order, now=now.timestamp())
        return SearchResult(found, read, searched_as, order)

    result = answered(within_filters(query, filters, now))
    alternatives = _instead(query, now, sort, questions=questions)
    with suppress(RuleError):  # more words than a query may have
        while result.found.total < FEW_HITS and (alternative := next(alternatives, None)):
            other_query, searched_as, order = alternative
            other = answered(_within(other_query, filters), searched_as, order)
            result = other if other.found.total > result.found.total else result
    return result


def _instead(query: str, now: datetime, sort: Sort, *, questions: bool) -> Iterator[tuple[Query, str, Sort]]:
    """What else a query may mean, the nearest meaning first: the query, its text, and the order of its hits."""
    typed, by_words = parse_query(query, now), parse_query(query, now, as_words=True)
    if by_words == typed:
        return
    run = typed.wanted.units[0] if isinstance(typed.wanted, Text) and isinstance(by_words.wanted, All) else ""
    if run:
        by_words = replace(by_words, neighbours=neighbours_of(run))
    yield by_words, words_of(query), sort
    if run and questions:
        yield from _by_most_words(by_words)


def _by_most_words(by_words: Query) -> Iterator[tuple[Query, str, Sort]]:
    assert isinstance(by_words.wanted, All)
    words = dict.fromkeys(part for part in by_words.wanted.sides if isinstance(part, Text))
    longest = sorted(words, key=lambda word: -len("".join(word.units)))[:MOST_WORDS]
    names = " ".join("".join(word.units) for word in words if word in longest)
    for least in range(len(longest) - 1, LEAST_WORDS - 1, -1):
        some = Either(tuple(map(All, combinations(longest, least))))
        yield replace(by_words, wanted=some), f"{least} of {names}, the best first", Sort.RELEVANCE


def found_in_all_stores(conn: Connection, query: str, *, limit: int, now: datetime) -> SearchResult | None:
    """The newest articles for a query in all stores that copy their index to the server of this one, one a story; their
    records have their ``store``, and an ``id`` if it is this one. ``None`` if it has no name among them, or the server
    is away. Raises :exc:`RuleError` for a query that cannot be read."""
    copy, read = conn.get_execution_options().get(COPY), parse_query(query, now)
    if copy is None or not copy.store:
        return None
    try:
        stories = copy.find_in_all_stores(choice_of(read, PRESENT_TEXTS), limit)
    except ServerAwayError:
        return None
    hits = []
    for store, record, moment in stories.newest:
        own = {"store": store, "id": record["id"] if store == copy.store else None}
        hits.append(Hit(record | own, text=record["text"], moment=moment))
    return SearchResult(FoundHits(stories.total, tuple(hits), stories.more), read)


def within_filters(query: str, filters: Filters, now: datetime) -> Query:
    """The query, narrowed by the filters."""
    return _within(parse_query(query, now), filters)


def _within(query: Query, filters: Filters) -> Query:
    values = {name: getattr(filters, name) for name in ("site", "topic", "subtopic", "region", "about")}
    read = narrow_query(query, **values)
    since = [moment for moment in (read.since, filters.since) if moment]
    until = [moment for moment in (read.until, filters.until) if moment]
    return replace(read, since=max(since, default=None), until=min(until, default=None))
