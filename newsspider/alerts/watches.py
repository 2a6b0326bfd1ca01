"""Looks for what no single article shows: events that grow, and lists that fail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, or_, select

from newsspider.analysis.events import Event, read
from newsspider.core.model import PageType
from newsspider.core.query.language import parsed
from newsspider.core.query.matching import document
from newsspider.core.query.moments import ZONE
from newsspider.store.alerts.outbox import asks_for
from newsspider.store.alerts.rules import Alert, Kind, checked, every
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.index.contents import of_article
from newsspider.store.tables import channels, sites, urls

DAY = 86_400.0
FAILURES = 3  # polls of a list in a row that failed
MOST_TRIED = 50  # articles of an event that are held against a query

_LARGE = Statement(
    """
    SELECT e.id FROM events e JOIN event_articles m ON m.event_id = e.id
    JOIN article_urls u ON u.article_id = m.article_id
    WHERE e.seen_ts >= :since AND NOT u.noindex GROUP BY e.id HAVING count(*) >= :pages ORDER BY e.id
    """
)
_SUBJECTS = Statement("SELECT subject FROM alert_stories WHERE alert_id = :id")
_MERGED = "SELECT event_id, other_id FROM event_changes WHERE event_id IN ({keys})"
_NOTE = Statement(
    """
    INSERT INTO alert_stories (alert_id, subject, article_id, story, noted_at)
    VALUES (:alert_id, :subject, :article_id, :story, :now) ON CONFLICT DO NOTHING
    """
)
_OVER = Statement("DELETE FROM alert_stories WHERE alert_id = :alert_id AND subject = :subject AND told_in IS NOT NULL")


class Sighting(NamedTuple):
    """What an alert waits for."""

    subject: str
    story: dict[str, Any]
    article_id: int | None = None


class Look(NamedTuple):
    """What was seen for an alert."""

    alert: Alert
    sightings: tuple[Sighting, ...]


def look(conn: Connection) -> list[Look]:
    """What the alerts for events and lists wait for and is there now."""
    watching = [alert for alert in every(conn) if alert.kind is not Kind.QUERY]
    return [
        Look(alert, tuple(seen(conn, alert, alert.created_at, max(alert.checked_at, alert.created_at) - DAY)))
        for alert in watching
    ]


def note(conn: Connection, looks: Sequence[Look], now: float) -> None:
    """Note what was seen and is new; a list that recovered after it was told may be told again."""
    there = {alert.id for alert in every(conn)}
    for alert, sightings in looks:
        if alert.id not in there:
            continue  # it was removed just now
        noted = {row.subject for row in _SUBJECTS.run(conn, {"id": alert.id})}
        _note(conn, alert, [one for one in sightings if one.subject not in noted], now)
        if alert.kind is Kind.SOURCE:
            over = noted - {one.subject for one in sightings}
            _OVER.change_many(conn, [{"alert_id": alert.id, "subject": subject} for subject in sorted(over)])
        checked(conn, alert, now)


def seen(conn: Connection, alert: Alert, since: float, seen_since: float) -> Iterator[Sighting]:
    """What an alert waits for: events that grew after ``since``, among those with articles found after
    ``seen_since``; the lists that fail now."""
    if alert.kind is Kind.EVENT:
        yield from _events(conn, alert, since, seen_since)
    elif alert.kind is Kind.SOURCE:
        yield from _lists(conn, alert.query)


def _note(conn: Connection, alert: Alert, sightings: Sequence[Sighting], now: float) -> None:
    for one in sightings:
        story = json.dumps(one.story, ensure_ascii=False)
        values = {"alert_id": alert.id, "subject": one.subject, "article_id": one.article_id, "now": now}
        _NOTE.change(conn, {**values, "story": story})


def _events(conn: Connection, alert: Alert, since: float, seen_since: float) -> Iterator[Sighting]:
    numbers = [row.id for row in _LARGE.run(conn, {"since": int(seen_since), "pages": alert.pages})]
    parts: dict[int, set[int]] = {number: {number} for number in numbers}
    for row in rows_among(conn, _MERGED, numbers):
        parts[row.event_id].add(row.other_id)
    noted = {row.subject for row in _SUBJECTS.run(conn, {"id": alert.id})}
    new = [number for number in numbers if not noted & {f"event {part}" for part in parts[number]}]
    for number, event in read(conn, new).items():
        most = most_in_a_day([page.moment for page in event.pages], since)
        if most >= alert.pages and (not alert.query or _is_about(conn, event, alert.query)):
            first = event.first
            sentence = f"24 小时内有 {most} 个页面（提醒线：{alert.pages}），共 {event.articles} 篇文章"
            story = {
                "title": event.title, "url": first.copy.url, "site": first.copy.site, "source": first.copy.source,
                "published_at": None, "event_id": number, "why": {"sentence": sentence, "pages": most, "hours": 24},
            }  # fmt: skip
            yield Sighting(f"event {number}", story, first.article_id)


def most_in_a_day(moments: Sequence[float], since: float) -> int:
    """The largest number of moments within 24 hours that end after ``since``.

    >>> most_in_a_day([0.0, 10.0, 86_390.0, 86_500.0], since=0.0), most_in_a_day([0.0, 10.0], since=20.0)
    (3, 0)
    """
    ordered = sorted(moments)
    most = first = 0
    for place, moment in enumerate(ordered):
        while ordered[first] <= moment - DAY:
            first += 1
        if moment >= since:
            most = max(most, place - first + 1)
    return most


def _is_about(conn: Connection, event: Event, query: str) -> bool:
    from datetime import datetime

    wanted = parsed(query, datetime.fromtimestamp(event.pages[-1].moment, ZONE))
    for number in list(dict.fromkeys(page.article_id for page in event.pages))[:MOST_TRIED]:
        source = of_article(conn, number)
        if source is not None:
            content = source.content()
            if asks_for(wanted, document(content.texts, content.values), content.moment):
                return True
    return False


def _lists(conn: Connection, site: str) -> Iterator[Sighting]:
    polled = [kind.value for kind in PageType if kind.polled]
    columns = select(
        channels.c.site, channels.c.name, channels.c.url, channels.c.list_lost_at, urls.c.failures, urls.c.reason,
        urls.c.last_status,
    ).select_from(channels.join(sites).join(urls, urls.c.key == channels.c.key))  # fmt: skip
    troubled = or_(urls.c.failures >= FAILURES, channels.c.list_lost_at.is_not(None))
    query = columns.where(sites.c.enabled, urls.c.kind.in_(polled), troubled).order_by(channels.c.site, channels.c.name)
    for row in conn.execute(query.where(channels.c.site == site) if site else query):
        lost = row.failures < FAILURES
        status = f"，HTTP {row.last_status}" if row.last_status else ""
        sentence = "页面取到了，但找不到列表" if lost else f"连续 {row.failures} 次取不到（{row.reason}{status}）"
        story = {
            "title": f"{row.site}·{row.name}", "url": row.url, "site": row.site, "source": row.site,
            "published_at": None, "why": {"sentence": sentence, "failures": row.failures, "reason": row.reason},
        }  # fmt: skip
        yield Sighting(f"list {'lost' if lost else 'fails'} {row.url}", story)
