"""Reads and keeps which briefings were made, and what they told."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    case,
    cast,
    delete,
    distinct,
    exists,
    func,
    insert,
    literal,
    select,
    update,
)

from newsspider.core.query.query_dates import ZONE
from newsspider.features.alerts.tables import alert_deliveries
from newsspider.features.briefing.briefing_articles import LENGTHS, BriefingScope, since_of
from newsspider.features.briefing.content import Briefing, BriefingKind, read_record
from newsspider.features.briefing.rendering import briefing_heading
from newsspider.features.briefing.tables import briefings
from newsspider.features.events.detection_run import numbers_of
from newsspider.store.engine.postgresql import lock_name

PATH = "/briefings/"
TOLD_TIME = timedelta(days=30)  # for which it is known what was told

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Past:
    """What was made before: when the last one ended, how many there were in the year, and the events that they told
    with their pages."""

    last: datetime | None
    number: int
    told: dict[int, int]


NO_PAST = Past(None, 1, {})


def past_of(conn: Connection, scope: BriefingScope) -> Past:
    """The past of the briefing that ends with the scope. One that ended less than half its length before is the same
    one, made again; for a subscription those count that were made for it and sent to it. A special one has none."""
    if scope.kind is BriefingKind.SPECIAL:
        return NO_PAST
    before = int((scope.until - (timedelta() if scope.subscription else LENGTHS[scope.kind] / 2)).timestamp())
    year = int(datetime(scope.until.astimezone(ZONE).year, 1, 1, tzinfo=ZONE).timestamp())
    same = (briefings.c.kind == str(scope.kind), briefings.c.scope == _text(scope.asked))
    sent = (_was_sent_to(scope.subscription),) if scope.subscription else ()
    of_kind = (briefings.c.until_ts <= before, *same, *sent)
    issues = func.count(distinct(briefings.c.until_ts))  # an edited copy of what was sent is the same issue
    count = select(issues).where(*of_kind, briefings.c.until_ts >= year)
    recent = briefings.c.until_ts >= before - TOLD_TIME.total_seconds()
    columns = briefings.c.until_ts, briefings.c.events
    rows = conn.execute(select(*columns).where(*of_kind, recent).order_by(briefings.c.until_ts)).all()
    told: dict[int, int] = {}
    for row in rows:
        told |= {int(event): pages for event, pages in json.loads(row.events).items()}
    now_in = numbers_of(conn, told)
    joined: dict[int, int] = {}
    for event, pages in told.items():  # one that became part of another since counts there
        joined[now_in.get(event, event)] = joined.get(now_in.get(event, event), 0) + pages
    last = datetime.fromtimestamp(rows[-1].until_ts, ZONE) if rows else None
    return Past(last, conn.execute(count).scalar_one() + 1, joined)


def is_next(conn: Connection, scope: BriefingScope) -> bool:
    """Whether the briefing of a subscription still begins where the last one that was sent ended. Until the transaction
    ends, nobody else sends one."""
    lock_sent_to(conn, scope.subscription)
    return since_of(scope.kind, past_of(conn, scope).last, scope.until) == scope.since


def lock_sent_to(conn: Connection, subscription: int) -> None:
    """Let nobody else send a briefing to a subscription until the transaction ends."""
    lock_name(conn, f"briefings to {subscription}")


class StoredBriefing(NamedTuple):
    """A briefing in the words of its articles, its content after a model and an editor, and the number of edits."""

    original: Briefing
    content: Briefing
    edits: int
    is_sent: bool


class ListedBriefing(NamedTuple):
    """A briefing in a list, with the number of its events; ``sent_at`` if it was sent."""

    id: int
    heading: str
    since: float
    until: float
    events: int
    sent_at: float | None

    @property
    def span(self) -> str:
        """The time that it covers, in China's time."""
        return " – ".join(f"{datetime.fromtimestamp(at, ZONE):%Y-%m-%d %H:%M}" for at in (self.since, self.until))

    @property
    def path(self) -> str:
        """Its page in the console."""
        return path_of(self.id)


def path_of(number: int) -> str:
    """The page of a briefing in the console."""
    return f"{PATH}{number}"


def keep(
    conn: Connection, scope: BriefingScope, briefing: Briefing, now: float, original: Briefing | None = None
) -> int:
    """Keep a briefing, and the ``original`` if a model worded it; a daily or weekly one replaces one that is the same
    and was not edited. Returns its number."""
    lock_name(conn, f"briefings {scope.kind} {_text(scope.asked)}")
    if scope.kind is not BriefingKind.SPECIAL:
        half = LENGTHS[scope.kind] / 2
        conn.execute(
            delete(briefings).where(
                briefings.c.kind == str(scope.kind),
                briefings.c.scope == _text(scope.asked),
                briefings.c.until_ts > int((scope.until - half).timestamp()),
                briefings.c.until_ts <= int(scope.until.timestamp()),
                briefings.c.edits == 0,
                briefings.c.sent_at.is_(None),
            )
        )
    row = {
        "kind": str(scope.kind),
        "scope": _text(scope.asked),
        "since_ts": int(scope.since.timestamp()),
        "until_ts": int(scope.until.timestamp()),
        "made_at": now,
        "events": json.dumps({item.event: item.pages for item in briefing.items()}),
        "heading": briefing_heading(briefing),
        "original": original and _json(original),
        "content": _json(briefing),
    }
    return int(conn.execute(insert(briefings).values(row).returning(briefings.c.id)).scalar_one())


def change(conn: Connection, number: int, briefing: Briefing, edits: int) -> int | None:
    """Store what an editor made of a briefing, and return its number; ``None`` if it has another number of ``edits`` by
    now. One that was sent stays as it is, and the edit is stored as a new one. The events that were taken out are still
    told: the next one has them only if they grew."""
    values = {"content": _json(briefing), "heading": briefing_heading(briefing)}
    original = func.coalesce(briefings.c.original, briefings.c.content)
    same = briefings.c.id == number, briefings.c.edits == edits
    unsent = update(briefings).where(*same, briefings.c.sent_at.is_(None))
    if conn.execute(unsent.values(**values, original=original, edits=edits + 1)).rowcount == 1:
        return number
    row = conn.execute(select(briefings).where(*same)).mappings().first()
    if row is None:
        return None
    copy = {name: value for name, value in row.items() if name not in {"id", "sent_at"}}
    copy["original"] = row["original"] or row["content"]
    new = insert(briefings).values(copy | values | {"edits": edits + 1}).returning(briefings.c.id)
    return int(conn.execute(new).scalar_one())


def remove(conn: Connection, number: int) -> bool:
    """Delete a briefing, as if it had not been made; whether it could be: what was sent is kept."""
    return conn.execute(delete(briefings).where(briefings.c.id == number, briefings.c.sent_at.is_(None))).rowcount == 1


def mark_sent(conn: Connection, number: int, now: float) -> None:
    """Note that a briefing was given to the outbox."""
    first = update(briefings).where(briefings.c.id == number, briefings.c.sent_at.is_(None))
    conn.execute(first.values(sent_at=now))


def kept(conn: Connection, number: int) -> StoredBriefing | None:
    """The briefing with this number; ``None`` if there is none, or another release wrote it."""
    columns = briefings.c.original, briefings.c.content, briefings.c.edits, briefings.c.sent_at
    row = conn.execute(select(*columns).where(briefings.c.id == number)).first()
    try:
        if row is None:
            return None
        content = read_record(row.content)
        original = read_record(row.original) if row.original else content
        return StoredBriefing(original, content, row.edits, row.sent_at is not None)
    except ValueError:
        logger.warning("briefing %s cannot be read: another release made it", number)
        return None


def latest(conn: Connection, count: int) -> list[ListedBriefing]:
    """The briefings that were made last."""
    columns = (briefings.c[name] for name in ("id", "heading", "since_ts", "until_ts", "events", "sent_at"))
    content = case((briefings.c.edits > 0, briefings.c.content)).label("edited")
    rows = conn.execute(select(*columns, content).order_by(briefings.c.id.desc()).limit(count))
    return [
        ListedBriefing(row.id, row.heading, row.since_ts, row.until_ts, _count(row.events, row.edited), row.sent_at)
        for row in rows
    ]


def _count(events: str, edited: str | None) -> int:
    """How many events a briefing shows: those that it told, or that an editor left in it."""
    with suppress(ValueError):  # another release wrote it
        if edited is not None:
            return len(read_record(edited).items())
    return len(json.loads(events))


def _was_sent_to(subscription: int) -> ColumnElement[bool]:
    page = literal(PATH) + cast(briefings.c.id, Text)
    there = alert_deliveries.c.about == page, alert_deliveries.c.alert_id == subscription
    return exists(select(alert_deliveries.c.key).where(*there))


def _text(asked: dict[str, str]) -> str:
    return json.dumps(asked, ensure_ascii=False, sort_keys=True)


def _json(briefing: Briefing) -> str:
    return json.dumps(briefing.record(), ensure_ascii=False)
