"""More like this: the articles that share most of the keywords of one, those of its event first, then those of its
time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

from sqlalchemy import Connection

from newsspider.core.extraction.keywords import keywords
from newsspider.core.query.query_language import Query
from newsspider.core.query.tree import All, Either, Text
from newsspider.core.text.tokenizer import units
from newsspider.hooks import plugins
from newsspider.search.query import Hit, Sort, search

MOST_KEYWORDS = 6  # of an article: the weightiest
LEAST_SHARED = 2  # of them that a similar article has
TIME_APART = timedelta(days=7)  # first of all; if there are too few, any
MOST_COMPARED = 40  # of which those of the same event go first


def similar_articles(conn: Connection, record: Mapping[str, Any], limit: int) -> list[Hit]:
    """The articles most like one, best first, without itself; of a group of reprints one."""
    words = [tuple(units(word)) for word in keywords(record["title"], record["text"], count=MOST_KEYWORDS)]
    texts = [Text(word) for word in dict.fromkeys(words) if word]
    least = min(LEAST_SHARED, len(texts))
    if not least:
        return []
    wanted = Either(tuple(map(All, combinations(texts, least))))
    moment = datetime.fromisoformat(record["published_at"] or record["crawled_at"])
    found: dict[int, Hit] = {}
    for since, until in ((moment - TIME_APART, moment + TIME_APART), (None, None)):
        query = Query(wanted, since, until)
        hits = search(conn, query, limit=MOST_COMPARED, sort=Sort.RELEVANCE, now=moment.timestamp()).hits
        for hit in hits:
            found.setdefault(hit.record["id"], hit)
        if len(found) > limit:
            break
    events = plugins().hook.events_of(conn=conn, articles=[record["id"], *found]) or {}
    event = events.get(record["id"])
    found.pop(record["id"], None)
    return sorted(found.values(), key=lambda hit: event is None or events.get(hit.record["id"]) != event)[:limit]
