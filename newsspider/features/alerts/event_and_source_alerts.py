"""Looks for what no single article shows: events that grow, and sources with a problem."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.query.matching import asks_for, indexed_text
from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_dates import ZONE
from newsspider.core.query.query_language import parse_query
from newsspider.features.alerts.messages import story_of
from newsspider.features.alerts.stored_alerts import Alert, AlertKind, all_alerts, note_checked
from newsspider.features.alerts.story_bundling import MUTED
from newsspider.features.alerts.story_matching import note_story
from newsspider.features.events.events import Event, read_events
from newsspider.features.health.rules.states import Health
from newsspider.features.health.sources import SourceHealth, source_health
from newsspider.sites.holidays import Holidays
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.index.contents import of_article
from newsspider.store.runs import FEWEST_FAILURES, failing_jobs

DAY = 86_400.0
OFFLINE = "offline"  # the subject of the story that most sites do not answer
SOURCE_SECONDS = 600.0  # between two looks at the health of the sources
MOST_TRIED = 50  # articles of an event that are held against a query

_LARGE = Statement(
    """
    SELECT e.id FROM events e JOIN event_articles m ON m.event_id = e.id
    JOIN article_urls u ON u.article_id = m.article_id
    WHERE e.seen_ts >= :since AND NOT u.noindex GROUP BY e.id HAVING count(*) >= :pages ORDER BY e.id
    """
)
_SUBJECTS = Statement("SELECT subject FROM alert_stories WHERE alert_id = :id")
_MERGED = """
    WITH RECURSIVE parts (event_id, other_id) AS (
        SELECT event_id, other_id FROM event_changes WHERE event_id IN ({keys})
        UNION
        SELECT p.event_id, c.other_id FROM parts p JOIN event_changes c ON c.event_id = p.other_id
    )
    SELECT event_id, other_id FROM parts
    """
_TOLD = (
    "SELECT subject, story, told_in FROM alert_stories"
    " WHERE alert_id = :alert_id AND told_in IS NOT NULL AND subject IN ({keys})"
)
_OVER = Statement("DELETE FROM alert_stories WHERE alert_id = :alert_id AND subject = :subject AND told_in IS NOT NULL")


class Sighting(NamedTuple):
    """What an alert waits for."""

    subject: str
    story: dict[str, Any]
    article_id: int | None = None


class Look(NamedTuple):
    """What was found for an alert; for an alert about sources, also the health of all of them."""

    alert: Alert
    sightings: tuple[Sighting, ...]
    health: SourceHealth | None


def look(conn: Connection, holidays: Holidays, now: float) -> list[Look]:
    """What the alerts about events and sources find now."""
    looks = []

    @cache  # cache: no more than for this call
    def health() -> SourceHealth:
        return source_health(conn, holidays, now)

    for alert in all_alerts(conn):
        often = SOURCE_SECONDS if alert.kind is AlertKind.SOURCE else 0.0
        if alert.kind in {AlertKind.EVENT, AlertKind.SOURCE} and now >= alert.checked_at + often:
            since = max(alert.checked_at, alert.created_at) - DAY
            sightings = tuple(matches_since(conn, alert, alert.created_at, since, health, now))
            looks.append(Look(alert, sightings, health() if alert.kind is AlertKind.SOURCE else None))
    return looks


def note(conn: Connection, looks: Sequence[Look], now: float) -> None:
    """Note what is new. If people were told of a problem, they are told of its end; it may then be told again."""
    checked_at = {alert.id: alert.checked_at for alert in all_alerts(conn)}
    for alert, sightings, health in looks:
        if checked_at.get(alert.id) != alert.checked_at:
            continue  # it was removed just now, or another process has looked meanwhile
        noted = {row.subject for row in _SUBJECTS.run(conn, {"id": alert.id})}
        _note(conn, alert, [sighting for sighting in sightings if sighting.subject not in noted], now)
        if health is not None:
            over = noted - {sighting.subject for sighting in sightings}
            _close(conn, alert, sorted(over), health, now)
        note_checked(conn, alert, now)


def _close(conn: Connection, alert: Alert, subjects: Sequence[str], health: SourceHealth, now: float) -> None:
    """Forget the problems that are over, and tell so once a site if people were told of its problem. A problem of a site
    is over when the site has none and all affected lists are read well; that most sites are offline is over when
    most answer again. Nothing is told about lists that are no longer watched."""
    troubled = {problem.site for problem in health.problems if problem.is_alarm}
    recovered: dict[str, dict[str, Any]] = {}
    for row in rows_among(conn, _TOLD, subjects, {"alert_id": alert.id}):
        story = json.loads(row.story)
        site, channels = story["site"], story["why"].get("channels", ())
        states = {health.diagnoses[site, name].health for name in channels if (site, name) in health.diagnoses}
        if row.subject == OFFLINE:
            if Health.UNWATCHED in states:
                continue
        elif states and (site in troubled or states != {Health.LIVE}):
            continue
        _OVER.change(conn, {"alert_id": alert.id, "subject": row.subject})
        if states and row.told_in != MUTED:
            recovered[site] = story
    for site, story in recovered.items():
        end = {**story, "title": f"已恢复：{story['title']}", "why": {"sentence": "最近一次读取正常"}}
        _note(conn, alert, [Sighting(f"source {site} over {now:.0f}", end)], now)


def matches_since(
    conn: Connection, alert: Alert, since: float, seen_since: float, health: Callable[[], SourceHealth], now: float
) -> Iterator[Sighting]:
    """What an alert waits for: events that grew after ``since``, among those with articles found after
    ``seen_since``; the problems that sources have ``now``, and, of all sources, the jobs that fail."""
    if alert.kind is AlertKind.EVENT:
        yield from _events(conn, alert, since, seen_since)
    elif alert.kind is AlertKind.SOURCE:
        yield from _problems(health(), alert.query)
        if not alert.query:
            yield from _failing_jobs(conn, now)


def _note(conn: Connection, alert: Alert, sightings: Sequence[Sighting], now: float) -> None:
    for sighting in sightings:
        note_story(conn, alert.id, sighting.subject, sighting.article_id, sighting.story, now)


def _events(conn: Connection, alert: Alert, since: float, seen_since: float) -> Iterator[Sighting]:
    numbers = [row.id for row in _LARGE.run(conn, {"since": int(seen_since), "pages": alert.pages})]
    parts: dict[int, set[int]] = {number: {number} for number in numbers}
    for row in rows_among(conn, _MERGED, numbers):
        parts[row.event_id].add(row.other_id)
    noted = {row.subject for row in _SUBJECTS.run(conn, {"id": alert.id})}
    new = [number for number in numbers if not noted & {f"event {part}" for part in parts[number]}]
    for number, event in read_events(conn, new).items():
        most = most_in_a_day([page.moment for page in event.pages], since)
        if most >= alert.pages and (not alert.query or _is_about(conn, event, alert.query)):
            first = event.first
            sentence = f"24 小时内有 {most} 个页面（提醒线：{alert.pages}），共 {event.articles} 篇文章"
            why = {"sentence": sentence, "pages": most, "hours": 24}
            story = story_of(event.title, why, site=first.copy.site, url=first.copy.url)
            yield Sighting(
                f"event {number}", story | {"source": first.copy.source, "event_id": number}, first.article_id
            )


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
    try:
        parsed_query = parse_query(query, datetime.fromtimestamp(event.pages[-1].moment, ZONE))
    except RuleError:  # another release wrote it
        return False
    for number in list(dict.fromkeys(page.article_id for page in event.pages))[:MOST_TRIED]:
        source = of_article(conn, number)
        if source is not None:
            content = source.content()
            if asks_for(parsed_query, indexed_text(content.texts, content.values), content.moment):
                return True
    return False


def _failing_jobs(conn: Connection, now: float) -> Iterator[Sighting]:
    """The named jobs whose last two runs failed."""
    for name, run in failing_jobs(conn, now).items():
        why = {"sentence": run.sentence, "job": name, "exit_code": run.exit_code}
        yield Sighting(f"job {name}", story_of(f"任务 {name} 连续 {FEWEST_FAILURES} 次失败", why))


def _problems(health: SourceHealth, site: str) -> Iterator[Sighting]:
    """The problems of the site, or of all sites; that many sites are offline is one problem."""
    problems = [problem for problem in health.problems if problem.is_alarm and site in ("", problem.site)]
    offline = [problem for problem in problems if problem.health is Health.OFFLINE]
    for problem in problems:
        if problem in offline[1:]:
            continue
        name = problem.health.chinese
        why = {
            "sentence": f"{name}：{'；'.join(problem.evidence)}",
            "health": str(problem.health),
            "since": problem.since,
            "lists": problem.urls,
            "channels": problem.channels,
        }
        title = f"{problem.site}：{name}（{'、'.join(problem.channels)}）"
        if problem in offline:
            title = f"{name}：{len(offline)} 个站点连不上"
        story = story_of(title, why, site=problem.site, url=problem.urls[0])
        yield Sighting(OFFLINE if problem in offline else f"source {problem.site} {problem.health}", story)
