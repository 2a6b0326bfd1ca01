"""Counts hits by site, media class, sub-topic and day."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from sqlalchemy import Connection, func, select

from newsspider.core.query.language import Query
from newsspider.core.query.moments import ZONE
from newsspider.search.entry_rows import ALONE, Scope
from newsspider.search.query import shown_rows
from newsspider.store.articles.export import MOMENT
from newsspider.store.engine.statement import LONGEST_LIST, batched
from newsspider.store.tables import articles, subtopics

MOST_FACETED = 2_000


def facets(conn: Connection, query: Query, scope: Scope = ALONE) -> dict[str, list[tuple[str, int]]]:
    """How many of the newest :data:`MOST_FACETED` hits each site, media class, sub-topic and day has, most first."""
    rows = list(shown_rows(conn, query, scope, MOST_FACETED))
    counted: dict[str, Counter[str]] = {name: Counter() for name in ("site", "media", "subtopic", "day")}
    for ids in batched([row.article_id for row in rows], LONGEST_LIST):
        columns = select(articles.c.site, articles.c.media_class, MOMENT.label("moment")).where(articles.c.id.in_(ids))
        for row in conn.execute(columns):
            counted["site"][row.site] += 1
            counted["media"][row.media_class] += 1
            counted["day"][datetime.fromtimestamp(row.moment, ZONE).strftime("%Y-%m-%d")] += 1
        names = select(subtopics.c.name, func.count()).where(subtopics.c.article_id.in_(ids)).group_by(subtopics.c.name)
        for name, count in conn.execute(names):
            counted["subtopic"][name] += count
    return {name: sorted(values.items(), key=lambda pair: (-pair[1], pair[0])) for name, values in counted.items()}
