"""Puts due stories into messages: one for each story, or one for all since the last message."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from newsspider.features.alerts.messages import MOST_STORIES, key_of, message_about
from newsspider.features.alerts.stored_alerts import Alert, AlertKind, all_alerts
from newsspider.features.events.detection_run import numbers_of
from newsspider.features.events.tables import ANALYSE
from newsspider.store.engine.statement import Statement, batched, rows_among

ANALYSED_SECONDS = 60.0  # how long a story waits for its event to be known
MUTED, TOLD = "muted", "told"  # instead of a message

_SPANS = Statement(
    "SELECT alert_id, min(noted_at) AS first, max(noted_at) AS last FROM alert_stories WHERE told_in IS NULL"
    " GROUP BY alert_id"
)
_NEW = Statement(
    """
    SELECT id, subject, article_id, story, noted_at FROM alert_stories
    WHERE alert_id = :alert_id AND told_in IS NULL ORDER BY id
    """
)
_TOLD_EVENTS = """
    SELECT DISTINCT e.event_id FROM event_articles e JOIN alert_stories s ON s.article_id = e.article_id
    WHERE s.alert_id = :alert_id AND s.told_in <> 'muted' AND e.event_id IN ({keys})
    """
_ANALYSED = Statement("SELECT max(last_done_id) FROM batch_jobs WHERE kind = :kind AND finished_at IS NULL")
_TELL = Statement("UPDATE alert_stories SET told_in = :told_in WHERE id = :id AND told_in IS NULL")
_ADD = Statement(
    """
    INSERT INTO alert_deliveries (key, alert_id, channel, message, due_at, created_at, about)
    VALUES (:key, :alert_id, :channel, :message, :now, :now, :about) ON CONFLICT DO NOTHING
    """
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The rows of one message, with its stories; without stories the reason why they are not told."""

    alert: Alert
    rows: tuple[Any, ...]
    stories: tuple[dict[str, Any], ...] = ()
    untold: str = ""


def due(conn: Connection, now: float) -> list[Bundle]:
    """The messages that are due now."""
    spans = {row.alert_id: row for row in _SPANS.run(conn, {})}
    alerts = [alert for alert in all_alerts(conn) if alert.id in spans and _may_be_due(alert, spans[alert.id], now)]
    if not alerts:
        return []
    analysed = _ANALYSED.run(conn, {"kind": ANALYSE}).scalar() or 0
    return [
        bundle for alert in alerts for bundle in _of(conn, alert, _NEW.run(conn, {"alert_id": alert.id}), analysed, now)
    ]


def put(conn: Connection, bundles: Sequence[Bundle], console: str, now: float) -> int:
    """Store the messages, one a channel, and mark their stories as told; returns the number of messages."""
    count = 0
    for bundle in bundles:
        told_in = bundle.untold
        alert = bundle.alert
        if bundle.stories:
            subjects = [f"{row.subject} {row.noted_at:.3f}" for row in bundle.rows]
            sent = message_about(alert.shown, alert.token, bundle.stories, console, now)
            count += put_message(conn, alert, sent, subjects, now)
            told_in = key_of(alert.token, 0, subjects)
        _TELL.change_many(conn, [{"id": row.id, "told_in": told_in} for row in bundle.rows])
    return count


def put_message(
    conn: Connection, alert: Alert, sent: dict[str, Any], subjects: Sequence[str], now: float, about: str = ""
) -> int:
    """Store a message about these subjects for each channel; returns how many there are that were not there before."""
    written = json.dumps(sent, ensure_ascii=False)
    rows = [
        {
            "key": key_of(alert.token, number, subjects),
            "alert_id": alert.id,
            "channel": number,
            "message": written,
            "now": now,
            "about": about,
        }
        for number in range(len(alert.channels))
    ]
    return sum(_ADD.change(conn, row) for row in rows)


def _may_be_due(alert: Alert, span: Any, now: float) -> bool:
    """Whether one of the stories noted within this time span may be told or left out now."""
    return bool(span.last >= alert.muted_from) if alert.is_muted(now) else alert.rhythm.is_due(span.first, now)


def _of(conn: Connection, alert: Alert, rows: Sequence[Any], analysed: int, now: float) -> Iterator[Bundle]:
    left_out = tuple(row for row in rows if alert.is_left_out(row.noted_at))
    if left_out:
        yield Bundle(alert, left_out, untold=MUTED)
    if alert.is_muted(now):
        return
    rows = [row for row in rows if not alert.is_left_out(row.noted_at)]
    by_event = alert.kind is AlertKind.QUERY and alert.once == "event"
    if by_event:
        rows = [row for row in rows if (row.article_id or 0) <= analysed or row.noted_at < now - ANALYSED_SECONDS]
    if not rows or not alert.rhythm.is_due(rows[0].noted_at, now):
        return
    articles = [row.article_id for row in rows if by_event and row.article_id is not None]
    events = numbers_of(conn, articles)
    told_events = _told(conn, alert, set(events.values()))
    repeated = tuple(row for row in rows if events.get(row.article_id) in told_events)
    if repeated:
        yield Bundle(alert, repeated, untold=TOLD)
    grouped: dict[object, list[Any]] = {}
    for row in rows:
        event = events.get(row.article_id)
        if event not in told_events:
            grouped.setdefault(row.subject if event is None else event, []).append(row)
    yield from _messages(alert, list(grouped.values()))


def _messages(alert: Alert, stories: Sequence[list[Any]]) -> Iterator[Bundle]:
    """One message for each story, or one for all stories of a digest or of quiet hours."""
    digest: list[list[Any]] = []
    alone: list[list[Any]] = []
    for rows in stories:
        bundled = alert.rhythm.is_digest or alert.rhythm.is_quiet(rows[0].noted_at)
        (digest if bundled else alone).append(rows)
    for part in (*batched(digest, MOST_STORIES), *([rows] for rows in alone)):
        yield Bundle(alert, tuple(row for rows in part for row in rows), tuple(map(_story, part)))


def _story(rows: Sequence[Any]) -> dict[str, Any]:
    others = {"others": len(rows) - 1} if len(rows) > 1 else {}
    return {**json.loads(rows[0].story), "article_id": rows[0].article_id, **others}


def _told(conn: Connection, alert: Alert, events: set[int]) -> set[int]:
    return {row.event_id for row in rows_among(conn, _TOLD_EVENTS, sorted(events), {"alert_id": alert.id})}
