"""Adds, lists, mutes and removes alerts."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection

from newsspider.features.alerts.channels import CONSOLE
from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm
from newsspider.features.alerts.tables import alerts
from newsspider.store.engine.statement import Statement

logger = logging.getLogger(__name__)

MOST_OF_OWNER = 500  # alerts of an account: each is compared with every new article
FOREVER = 4e9  # a moment far in the future: muted until it is unmuted

_COLUMNS = [column.name for column in alerts.c if column.name != "id"]
_ALL = Statement(f"SELECT id, {', '.join(_COLUMNS)} FROM alerts ORDER BY owner, name")
_ADD = Statement(
    f"INSERT INTO alerts ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
    " ON CONFLICT DO NOTHING RETURNING id"
)
_REMOVE = Statement("DELETE FROM alerts WHERE id = :id")
_REMOVE_ALL = Statement("DELETE FROM alerts WHERE owner = :owner AND owner <> ''")
_MUTE = Statement("UPDATE alerts SET muted_from = :since, muted_until = :until WHERE id = :id")
_LEAVE_OUT = Statement(
    "UPDATE alert_stories SET told_in = 'muted'"
    " WHERE alert_id = :id AND told_in IS NULL AND noted_at >= :since AND noted_at < :until"
)
_SET_CHANNELS = Statement("UPDATE alerts SET channels = :channels WHERE id = :id")
_SEND_WHOLE = Statement("UPDATE alert_deliveries SET pieces = 0 WHERE alert_id = :id AND channel = :place")
_HAND_OVER = Statement("UPDATE alert_stories SET article_id = :other WHERE article_id = :article")
_CHECKED = Statement("UPDATE alerts SET checked_at = :now WHERE id = :id")


class AlertKind(StrEnum):
    """What an alert waits for."""

    QUERY = "query"
    EVENT = "event"
    SOURCE = "source"
    BRIEFING = "briefing"
    UNKNOWN = "unknown"  # one of another release: it waits for nothing


@dataclass(frozen=True, slots=True)
class Alert:
    """A row of ``alerts``."""

    id: int
    owner: str
    name: str
    kind: AlertKind
    query: str
    pages: int
    once: str
    channels: tuple[str, ...]
    rhythm: Rhythm
    muted_until: float
    token: str
    created_at: float
    checked_at: float = 0.0
    muted_from: float = 0.0
    details: str = "{}"
    error: str = ""
    tried_at: float = 0.0

    @property
    def shown(self) -> dict[str, str]:
        """What its messages say of it."""
        return {"name": self.name, "owner": self.owner, "kind": str(self.kind), "query": self.query}

    def is_muted(self, now: float) -> bool:
        """Whether the alert sends nothing now."""
        return now < self.muted_until

    def is_left_out(self, noted_at: float) -> bool:
        """Whether a story noted at this moment is never told."""
        return self.muted_from <= noted_at < self.muted_until


def all_alerts(conn: Connection) -> list[Alert]:
    """All alerts, by owner and name."""
    return [_alert(row) for row in _ALL.run(conn, {})]


def named(conn: Connection, name: str, owner: str = "") -> Alert | None:
    """The alert of this name."""
    return next((alert for alert in all_alerts(conn) if (alert.owner, alert.name) == (owner, name)), None)


def with_token(conn: Connection, token: str) -> Alert | None:
    """The alert with this token."""
    return next((alert for alert in all_alerts(conn) if alert.token == token), None)


def add(conn: Connection, alert: Alert) -> int | None:
    """Add an alert and return its number; ``None`` if its owner has one with this name."""
    rhythm, quiet = alert.rhythm.texts()
    values = {
        **{name: getattr(alert, name) for name in _COLUMNS if name != "quiet"},
        "kind": str(alert.kind),
        "channels": json.dumps(alert.channels, ensure_ascii=False),
        "rhythm": rhythm,
        "quiet": quiet,
    }
    number = _ADD.run(conn, values).scalar()
    return None if number is None else int(number)


def remove(conn: Connection, alert: Alert) -> None:
    """Remove an alert with its stories and messages."""
    _REMOVE.change(conn, {"id": alert.id})


def remove_all(conn: Connection, owner: str) -> None:
    """Remove the alerts of an account."""
    _REMOVE_ALL.change(conn, {"owner": owner})


def replace_channel(conn: Connection, before: str, after: str) -> None:
    """Replace a channel in all alerts. Messages that wait for the old one go to the new one, all pieces of them. An
    alert that has the new one already gets the console instead: the other place has the same messages."""
    for alert in all_alerts(conn):
        if before in alert.channels:
            new = CONSOLE if after in alert.channels else after
            channels = [new if channel == before else channel for channel in alert.channels]
            _SET_CHANNELS.change(conn, {"id": alert.id, "channels": json.dumps(channels, ensure_ascii=False)})
            _SEND_WHOLE.change(conn, {"id": alert.id, "place": alert.channels.index(before)})


def mute(conn: Connection, alert: Alert, until: float, now: float) -> None:
    """Mute an alert until this moment; 0 unmutes it. Stories noted meanwhile are never told, earlier ones are told
    later."""
    _LEAVE_OUT.change(conn, {"id": alert.id, "since": alert.muted_from, "until": min(alert.muted_until, now)})
    _MUTE.change(conn, {"id": alert.id, "since": now if until else 0.0, "until": until})


def hand_over(conn: Connection, article: int, other: int) -> None:
    """Move the stories of an article to another one that it is merged into, so that it is not told again."""
    _HAND_OVER.change(conn, {"article": article, "other": other})


def note_checked(conn: Connection, alert: Alert, now: float) -> None:
    """Note the moment at which an alert was last checked."""
    _CHECKED.change(conn, {"id": alert.id, "now": now})


def _alert(row: Any) -> Alert:
    values = row._asdict()
    rhythm = Rhythm.read(values["rhythm"], values.pop("quiet"))
    kind, channels = _kind(row.kind, row.name), tuple(json.loads(row.channels))
    return Alert(**values | {"kind": kind, "channels": channels, "rhythm": rhythm})


def _kind(kind: str, name: str) -> AlertKind:
    try:
        return AlertKind(kind)
    except ValueError:
        _log_unknown(kind, name)
        return AlertKind.UNKNOWN


@lru_cache(100)  # cache: alerts of unknown kinds, so that each is logged once
def _log_unknown(kind: str, name: str) -> None:
    logger.warning("the alert %r is of the kind %r, which this release does not know: it sends no messages", name, kind)
