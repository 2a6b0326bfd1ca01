"""The transactional outbox of alerts: notes the stories that match them in the transactions that store the articles.

New and changed articles are compared with the queries of all alerts, in memory, by the rules of the search index. So an
alert matches what a search for its query finds, and no crash can come between an article and its story. Without alerts
this takes one query a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.query.matching import IndexedText, asks_for, indexed_text
from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_dates import ZONE
from newsspider.core.query.query_language import Query, parse_query
from newsspider.features.alerts.messages import match_reasons
from newsspider.store.articles.article_filters import IS_FINDABLE
from newsspider.store.engine.batch import defer_step
from newsspider.store.engine.statement import Statement
from newsspider.store.index.contents import of_article

MINUTE = 60  # a query with a time span such as `since:3d` is parsed again every minute

_QUERIES = Statement("SELECT id, query FROM alerts WHERE kind = 'query' ORDER BY id")
_LOCK = Statement("SELECT id FROM alerts WHERE id = :id [FOR UPDATE]")
_ARTICLE = Statement(
    f"""
    SELECT articles.id, articles.title, articles.text, articles.url, articles.site, articles.source,
           articles.published_at, articles.crawled_at, articles.body_md5, r.group_id
    FROM articles LEFT JOIN reprints r ON r.article_id = articles.id WHERE articles.id = :id AND {IS_FINDABLE}
    """
)
_OPEN_URLS = Statement("SELECT count(*) FROM article_urls WHERE article_id = :id AND NOT noindex")
_NOTED = Statement(
    """
    SELECT 1 FROM alert_stories WHERE alert_id = :alert_id AND article_id = :id
    UNION ALL
    SELECT 1 FROM reprints r JOIN alert_stories s ON s.article_id = r.article_id
    WHERE r.group_id = :group_id AND s.alert_id = :alert_id LIMIT 1
    """
)
_NOTE = Statement(
    """
    INSERT INTO alert_stories (alert_id, subject, article_id, story, noted_at)
    VALUES (:alert_id, :subject, :id, :story, :now) ON CONFLICT DO NOTHING
    """
)


class AlertQuery(NamedTuple):
    """The query of an alert."""

    alert_id: int
    query: Query


class Story(NamedTuple):
    """An article that matches an alert, and what the alert says about it."""

    alert_id: int
    row: Any
    content: dict[str, Any]


def note(conn: Connection, changed: Sequence[int], seen_again: Sequence[int], now: float) -> None:
    """Note the stories of these articles at the end of the transaction, after they have joined their reprints."""
    defer_step(conn, _note_all, (changed, seen_again, now))


def _note_all(conn: Connection, noted: Sequence[tuple[Sequence[int], Sequence[int], float]]) -> None:
    for changed, seen_again, now in noted:
        note_articles(conn, changed, seen_again, now)


def note_articles(conn: Connection, changed: Sequence[int], seen_again: Sequence[int], now: float) -> None:
    """Note the stories of new and ``changed`` articles, and of those that one more page shows (``seen_again``) if it is
    their first page that may be indexed."""
    rules = rules_of(conn, now)
    if not rules:
        return
    opened = [number for number in seen_again if _OPEN_URLS.run(conn, {"id": number}).scalar() == 1]
    stories = [story for number in sorted({*changed, *opened}) for story in _stories(conn, rules, number)]
    for alert_id, stories_of_alert in groupby(sorted(stories, key=itemgetter(0)), itemgetter(0)):
        # if the articles of two writers are one story, the second writer sees what the first one noted
        if _LOCK.run(conn, {"id": alert_id}):  # else it was removed just now
            for story in stories_of_alert:
                _note(conn, story, now)


def rules_of(conn: Connection, now: float) -> list[AlertQuery]:
    """The queries of all alerts, without those of another release that this one cannot parse."""
    return _rules(tuple((row.id, row.query) for row in _QUERIES.run(conn, {})), int(now // MINUTE))


@lru_cache(1)  # cache: the queries of all alerts
def _rules(rows: tuple[tuple[int, str], ...], minute: int) -> list[AlertQuery]:
    queries = ((alert_id, _read(query, minute)) for alert_id, query in rows)
    return [AlertQuery(alert_id, query) for alert_id, query in queries if query is not None]


def _read(query: str, minute: int) -> Query | None:
    try:
        return parse_query(query, datetime.fromtimestamp(minute * MINUTE, ZONE))
    except RuleError:
        return None


def _stories(conn: Connection, rules: Sequence[AlertQuery], number: int) -> Iterator[Story]:
    source = of_article(conn, number)
    if source is None:
        return
    content = source.content()
    article = indexed_text(content.texts, content.values)
    matching = [rule for rule in rules if asks_for(rule.query, article, content.moment)]
    row = _ARTICLE.run(conn, {"id": number}).first() if matching else None
    if row is not None:
        yield from (Story(rule.alert_id, row, story_of(row, rule.query, article)) for rule in matching)


def note_story(
    conn: Connection, alert_id: int, subject: str, article_id: int | None, story: Mapping[str, Any], now: float
) -> None:
    """Note a story for an alert, unless it has one with this subject."""
    written = json.dumps(story, ensure_ascii=False)
    _NOTE.change(conn, {"alert_id": alert_id, "subject": subject, "id": article_id, "story": written, "now": now})


def _note(conn: Connection, story: Story, now: float) -> None:
    row = story.row
    values = {"alert_id": story.alert_id, "id": row.id, "group_id": row.group_id}
    if not _NOTED.run(conn, values):
        subject = f"article {row.body_md5 or row.url}"
        note_story(conn, story.alert_id, subject, row.id, story.content, now)


def story_of(row: Any, query: Query, article: IndexedText) -> dict[str, Any]:
    """What an alert says about an article."""
    return {
        "title": row.title,
        "url": row.url,
        "site": row.site,
        "source": row.source,
        "published_at": row.published_at,
        "found_at": row.crawled_at,
        "why": match_reasons(query.wanted, row.title, row.text, article),
    }
