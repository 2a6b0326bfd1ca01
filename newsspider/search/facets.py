"""Counts hits by site, media class, sub-topic and day."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from sqlalchemy import Connection

from newsspider.core.query.language import Query
from newsspider.core.query.moments import ZONE
from newsspider.search.entry_rows import ALONE, Scope
from newsspider.search.query import shown_rows
from newsspider.store.engine.statement import rows_among

MOST_FACETED = 2_000

_ARTICLES = """
SELECT site, media_class, COALESCE(published_ts, crawled_ts) AS moment FROM articles WHERE id IN ({keys})
"""
_SUBTOPICS = "SELECT name FROM subtopics WHERE article_id IN ({keys})"


def facets(conn: Connection, query: Query, scope: Scope = ALONE) -> dict[str, list[tuple[str, int]]]:
    """How many articles of the newest :data:`MOST_FACETED` hits each site, media class, sub-topic and day has, most
    first; one of which old versions are found, too, counts once."""
    hits = dict.fromkeys(row.article_id for row in shown_rows(conn, query, scope, MOST_FACETED))
    rows = rows_among(conn, _ARTICLES, hits)
    counted = {
        "site": Counter(row.site for row in rows),
        "media": Counter(row.media_class for row in rows),
        "subtopic": Counter(row.name for row in rows_among(conn, _SUBTOPICS, hits)),
        "day": Counter(datetime.fromtimestamp(row.moment, ZONE).date().isoformat() for row in rows),
    }
    return {name: sorted(values.items(), key=lambda pair: (-pair[1], pair[0])) for name, values in counted.items()}
