"""What an alert would have told in the last days."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.matching import indexed_text
from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_language import parse_query
from newsspider.features.alerts.event_and_source_alerts import matches_since
from newsspider.features.alerts.messages import match_reasons
from newsspider.features.alerts.stored_alerts import Alert, AlertKind
from newsspider.features.events.detection_run import numbers_of
from newsspider.features.health.sources import source_health
from newsspider.search.hits import search
from newsspider.sites.holidays import Holidays
from newsspider.store.index.contents import of_article

PREVIEW_DAYS = 7
MOST_STORIES = 200  # stories, the latest
MOST_NEWEST = 5  # articles that are shown for a query without stories


def preview_alert(conn: Connection, alert: Alert, now: datetime, holidays: Holidays) -> list[dict[str, Any]]:
    """The stories of the last :data:`PREVIEW_DAYS` days, the latest first; for sources, their present problems."""
    begin = now - timedelta(days=PREVIEW_DAYS)
    if alert.kind is AlertKind.QUERY:
        return list(_articles(conn, alert, begin, now))
    ago = begin.timestamp()
    untold = replace(alert, id=0)  # whatever was told already
    sightings = matches_since(
        conn, untold, ago, ago, lambda: source_health(conn, holidays, now.timestamp()), now.timestamp()
    )
    return [{**sighting.story, "article_id": sighting.article_id} for sighting in sightings]


def newest_stories(conn: Connection, alert: Alert, now: datetime) -> list[dict[str, Any]]:
    """The stories of the newest articles that the query of an alert finds, however old they are."""
    if alert.kind is not AlertKind.QUERY:
        return []
    return list(_articles(conn, alert, datetime.fromtimestamp(0, now.tzinfo), now, most=MOST_NEWEST))


def _articles(
    conn: Connection, alert: Alert, begin: datetime, now: datetime, *, most: int = MOST_STORIES
) -> Iterator[dict[str, Any]]:
    try:
        query = parse_query(alert.query, now)
    except RuleError:  # another release wrote it
        return
    within = replace(query, since=max(query.since, begin) if query.since else begin)
    hits = search(conn, within, limit=most, now=now.timestamp()).hits[:most]
    events = numbers_of(conn, [hit.record["id"] for hit in hits])
    stories: dict[object, dict[str, Any]] = {}
    for hit in reversed(hits):  # the first article of an event is told
        number = hit.record["id"]
        event = events.get(number) if alert.once == "event" else None
        story = f"article {number}" if event is None else event
        if story in stories:
            stories[story]["others"] = stories[story].get("others", 0) + 1
        elif (source := of_article(conn, number)) is not None:
            content = source.content()
            values = indexed_text(content.texts, content.values)
            named = {name: hit.record[name] for name in ("title", "url", "site", "source", "published_at")}
            why = match_reasons(query.wanted, hit.record["title"], hit.record["text"], values)
            stories[story] = {**json.loads(json.dumps(named, default=str)), "article_id": number, "why": why}
    yield from reversed(stories.values())
