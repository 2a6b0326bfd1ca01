"""Reads and keeps which briefings were made, and what they told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, func, insert, select, update

from newsspider.core.query.moments import ZONE
from newsspider.features.briefing.content import Briefing, Kind, read_record
from newsspider.features.briefing.scope import Scope
from newsspider.features.briefing.tables import briefings
from newsspider.store.engine.statement import rows_among

LENGTHS = {Kind.DAILY: timedelta(days=1), Kind.WEEKLY: timedelta(weeks=1)}
LONGEST_GAP = 3  # lengths: where the last one is older, a briefing does not begin where that ended
TOLD_TIME = timedelta(days=30)  # for which it is known what was told

_NOW_IN = "SELECT article_id, event_id FROM event_articles WHERE article_id IN ({keys})"


@dataclass(frozen=True, slots=True)
class Past:
    """What was made before: when the last one ended, how many there were in the year, and the events that they told
    with their pages."""

    last: datetime | None
    number: int
    told: dict[int, int]


NO_PAST = Past(None, 1, {})


def past_of(conn: Connection, kind: Kind, asked: dict[str, str], until: datetime) -> Past:
    """The past of the briefing that ends then. One that ended less than half its length before is the same one, made
    again. A special one has none."""
    if kind is Kind.SPECIAL:
        return NO_PAST
    before = int((until - LENGTHS[kind] / 2).timestamp())
    year = int(datetime(until.astimezone(ZONE).year, 1, 1, tzinfo=ZONE).timestamp())
    of_kind = (briefings.c.kind == str(kind), briefings.c.scope == _text(asked), briefings.c.until_ts <= before)
    count = select(func.count()).select_from(briefings).where(*of_kind, briefings.c.until_ts >= year)
    recent = briefings.c.until_ts >= before - TOLD_TIME.total_seconds()
    columns = briefings.c.until_ts, briefings.c.events
    rows = conn.execute(select(*columns).where(*of_kind, recent).order_by(briefings.c.until_ts)).all()
    told: dict[int, int] = {}
    for row in rows:
        told |= {int(event): pages for event, pages in json.loads(row.events).items()}
    now_in = {row.article_id: row.event_id for row in rows_among(conn, _NOW_IN, told)}
    joined: dict[int, int] = {}
    for event, pages in told.items():  # one that became part of another since counts there
        joined[now_in.get(event, event)] = joined.get(now_in.get(event, event), 0) + pages
    last = datetime.fromtimestamp(rows[-1].until_ts, ZONE) if rows else None
    return Past(last, conn.execute(count).scalar_one() + 1, joined)


def since_of(kind: Kind, past: Past, until: datetime) -> datetime:
    """When a daily or weekly briefing begins: where the last one ended, so that nothing falls between them."""
    length = LENGTHS[kind]
    recent = past.last is not None and until - past.last <= LONGEST_GAP * length
    return past.last if past.last is not None and recent else until - length


def keep(conn: Connection, scope: Scope, briefing: Briefing, now: float) -> int:
    """Keep a briefing; a daily or weekly one replaces one that is the same. Returns its number."""
    if scope.kind is not Kind.SPECIAL:
        half = LENGTHS[scope.kind] / 2
        conn.execute(
            delete(briefings).where(
                briefings.c.kind == str(scope.kind),
                briefings.c.scope == _text(scope.asked),
                briefings.c.until_ts > int((scope.until - half).timestamp()),
                briefings.c.until_ts < int((scope.until + half).timestamp()),
            )
        )
    row = {
        "kind": str(scope.kind),
        "scope": _text(scope.asked),
        "since_ts": int(scope.since.timestamp()),
        "until_ts": int(scope.until.timestamp()),
        "made_at": now,
        "events": json.dumps({item.event: item.pages for item in briefing.items()}),
        "content": json.dumps(briefing.record(), ensure_ascii=False),
    }
    return int(conn.execute(insert(briefings).values(row).returning(briefings.c.id)).scalar_one())


def change(conn: Connection, number: int, briefing: Briefing) -> None:
    """Store what an editor made of a briefing. The events that he took out are still told: the next one has them only
    if they grew."""
    content = json.dumps(briefing.record(), ensure_ascii=False)
    conn.execute(update(briefings).where(briefings.c.id == number).values(content=content))


def remove(conn: Connection, number: int) -> None:
    """Delete a briefing, as if it had not been made."""
    conn.execute(delete(briefings).where(briefings.c.id == number))


def briefing_of(conn: Connection, number: int) -> Briefing | None:
    """The briefing with this number; ``None`` if there is none."""
    content = conn.execute(select(briefings.c.content).where(briefings.c.id == number)).scalar()
    return None if content is None else read_record(content)


def latest(conn: Connection, count: int) -> list[tuple[int, Briefing]]:
    """The briefings that were made last, with their numbers."""
    rows = conn.execute(select(briefings.c.id, briefings.c.content).order_by(briefings.c.id.desc()).limit(count))
    return [(row.id, read_record(row.content)) for row in rows]


def _text(asked: dict[str, str]) -> str:
    return json.dumps(asked, ensure_ascii=False, sort_keys=True)
