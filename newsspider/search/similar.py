"""More like this: the articles that share most of the keywords of one, those of its event first, then those of its
time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

from sqlalchemy import Connection

from newsspider.core.extraction.keywords import extract_keywords
from newsspider.core.query.query_language import Query
from newsspider.core.query.query_tree import All, Either, Text
from newsspider.core.text.tokenizer import units_of_text
from newsspider.hooks import plugins
from newsspider.search.hits import Hit, Sort, search
from newsspider.store.engine.statement import Statement

MOST_KEYWORDS = 6  # of an article: the weightiest
LEAST_SHARED = 2  # of them that a similar article has
TIME_APART = timedelta(days=7)  # first of all; if there are too few, any
MOST_COMPARED = 40  # of which those of the same event go first

_REPRINTS = Statement(
    """
    SELECT article_id FROM reprints WHERE group_id = (SELECT group_id FROM reprints WHERE article_id = :article)
    """
)


def similar_articles(conn: Connection, record: Mapping[str, Any], limit: int) -> list[Hit]:
    """The articles most like one, best first, without itself and its reprints; of other reprints one."""
    words = [
        tuple(units_of_text(word)) for word in extract_keywords(record["title"], record["text"], count=MOST_KEYWORDS)
    ]
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
    own = {record["id"], *(row.article_id for row in _REPRINTS.run(conn, {"article": record["id"]}))}
    others = [hit for number, hit in found.items() if number not in own]
    return sorted(others, key=lambda hit: event is None or events.get(hit.record["id"]) != event)[:limit]
