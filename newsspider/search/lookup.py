"""Answers a query as people mean it: a run of Chinese that is hardly found as a phrase is looked for by its words."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from newsspider.core.query.grammar import BadRule
from newsspider.core.query.language import Query, parsed
from newsspider.search.entry_rows import Scope
from newsspider.search.query import Found, Sort, narrowed, search
from newsspider.store.articles.export import ALL, Filters

FEW = 3  # a phrase that finds fewer articles is also looked for by its words


@dataclass(frozen=True, slots=True)
class Result:
    """What was found, for which query; ``by_words``: of the runs of Chinese all words were asked for."""

    found: Found
    query: Query
    by_words: bool = False


def looked_up(
    conn: Connection, query: str, scope: Scope, *, limit: int, sort: Sort, now: datetime, filters: Filters = ALL
) -> Result:
    """The articles for a query within these filters; raises :exc:`BadRule` for one that cannot be read."""
    wanted = within(query, filters, now)
    result = Result(search(conn, wanted, scope, limit=limit, sort=sort, now=now.timestamp()), wanted)
    if result.found.total >= FEW:
        return result
    with suppress(BadRule):  # more words than a query may have
        by_words = within(query, filters, now, as_words=True)
        if by_words != wanted:
            found = search(conn, by_words, scope, limit=limit, sort=sort, now=now.timestamp())
            if found.total > result.found.total:
                return Result(found, by_words, by_words=True)
    return result


def within(query: str, filters: Filters, now: datetime, *, as_words: bool = False) -> Query:
    """The query, narrowed by the filters."""
    read = parsed(query, now, as_words=as_words)
    read = narrowed(read, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)
    since = [moment for moment in (read.since, filters.since) if moment]
    until = [moment for moment in (read.until, filters.until) if moment]
    return Query(read.wanted, max(since, default=None), min(until, default=None))
