"""Delivers the messages of alerts, by webhook or mail, at least once, each with an idempotency key: leases, retries,
dead letters. ``delivery_loop.py`` says how long a lease is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from newsspider.core.fetching.politeness import back_off
from newsspider.core.query.query_dates import ZONE
from newsspider.features.alerts.channels import Outcome, mask_channel
from newsspider.features.alerts.messages import subject_line
from newsspider.features.alerts.stored_alerts import FOREVER, all_alerts
from newsspider.features.events.events import iso_moment
from newsspider.store.engine.statement import Statement, rows_among

KEPT_SECONDS = 30 * 86_400.0  # for sent messages, but for those about what is kept itself
REMEMBERED_SECONDS = 90 * 86_400.0  # for stories whose article is gone
AFTER_ALL_MOMENTS = 1e12  # a moment after all others
MOST_READ = 500  # due messages that are read to find those for idle channels
MOST_OF_CHANNEL = 4  # messages on their way to one channel, so that a slow one holds up no other
MOST_LISTED = 200
MOST_TRIES = 22  # from the thirteenth wait on three to six hours apart: about two days with ALERT_RETRY_SECONDS=5
LONGEST_WAIT = 6 * 3600.0

# neither muted nor in its quiet hours (HH:MM-HH:MM), as of `Rhythm.is_quiet`
_MAY_TELL = """
    a.muted_until <= :now AND (a.quiet = '' OR CASE WHEN substr(a.quiet, 1, 5) < substr(a.quiet, 7, 5)
        THEN :clock < substr(a.quiet, 1, 5) OR :clock >= substr(a.quiet, 7, 5)
        ELSE :clock < substr(a.quiet, 1, 5) AND :clock >= substr(a.quiet, 7, 5) END)
"""
_DUE = Statement(
    f"""
    SELECT d.key, d.alert_id, d.channel, d.message, d.tries, d.pieces, a.channels FROM (
        SELECT key, row_number() OVER (PARTITION BY alert_id, channel ORDER BY due_at, key) AS place
        FROM alert_deliveries WHERE state = 'waiting' AND due_at <= :now AND leased_until <= :now
    ) p JOIN alert_deliveries d ON d.key = p.key JOIN alerts a ON a.id = d.alert_id
    WHERE p.place <= :places AND {_MAY_TELL} ORDER BY p.place, d.due_at, d.key LIMIT :most
    """
)
_ANY_DUE = Statement(
    f"""
    SELECT 1 FROM alert_deliveries d JOIN alerts a ON a.id = d.alert_id
    WHERE d.state = 'waiting' AND d.due_at <= :now AND d.leased_until <= :now AND {_MAY_TELL} LIMIT 1
    """
)
_LEASE = Statement(
    "UPDATE alert_deliveries SET leased_until = :until, lease = :lease, tries = tries + 1 WHERE key = :key"
)
_RENEW = Statement(
    "UPDATE alert_deliveries SET leased_until = :until WHERE key = :key AND lease = :lease AND state = 'waiting'"
)
_SENT = Statement(
    "UPDATE alert_deliveries SET state = 'sent', sent_at = :now, error = :refused, leased_until = 0 WHERE key = :key"
)
_FAILED = Statement(
    """
    UPDATE alert_deliveries
    SET state = :state, due_at = :due_at, error = :error, pieces = :pieces, leased_until = 0
    WHERE key = :key AND lease = :lease AND state = 'waiting'
    """
)
_LISTED = """
    SELECT d.key, d.alert_id, a.owner, a.name, a.channels, d.channel, d.message, d.state, d.tries, d.due_at, d.error,
           d.created_at, d.sent_at
    FROM alert_deliveries d JOIN alerts a ON a.id = d.alert_id
    WHERE (:everyone = 1 OR a.owner = :owner) {only}
      AND (d.created_at < :at OR (d.created_at = :at AND d.key > :behind)) ORDER BY d.created_at DESC, d.key LIMIT :most
"""
_LIST = {  # by which filters are given, as each combination has its index
    (state, alert): Statement(_LISTED.replace("{only}", only))
    for state, alert, only in (
        (False, False, ""),
        (True, False, "AND d.state = :state"),
        (False, True, "AND d.alert_id = :alert_id"),
        (True, True, "AND d.alert_id = :alert_id AND d.state = :state"),
    )
}
_ABOUT = (
    "SELECT d.about, d.state, d.tries, d.error, d.created_at, d.sent_at, d.channel, a.id, a.owner, a.name, a.channels"
    " FROM alert_deliveries d JOIN alerts a ON a.id = d.alert_id WHERE d.about IN ({keys})"
)
_RESEND = Statement(
    """
    UPDATE alert_deliveries SET state = 'waiting', tries = 0, due_at = :now, error = ''
    WHERE state = 'dead' AND (:key = '' OR key = :key) AND alert_id IN
        (SELECT id FROM alerts WHERE (:alert_id = 0 OR id = :alert_id) AND (:everyone = 1 OR owner = :owner))
    """
)
_FIGURES = Statement(
    """
    SELECT alert_id, sum(CASE WHEN state = 'sent' THEN 1 ELSE 0 END) AS sent, max(sent_at) AS last,
           sum(CASE WHEN state = 'waiting' THEN 1 ELSE 0 END) AS waiting,
           sum(CASE WHEN state = 'dead' THEN 1 ELSE 0 END) AS dead
    FROM alert_deliveries GROUP BY alert_id
    """
)
_FORGET_SENT = Statement("DELETE FROM alert_deliveries WHERE state = 'sent' AND sent_at < :before AND about = ''")
_FORGET_STORIES = Statement(
    "DELETE FROM alert_stories WHERE article_id IS NULL AND told_in IS NOT NULL AND noted_at < :before"
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message that this process has a lease on."""

    key: str
    channel: str  # its URL
    message: Mapping[str, Any]
    lease: str
    tries: int  # with this one
    place: tuple[int, int]  # alert and number of the channel
    pieces: int = 0  # that a chat took in earlier tries


def is_due(conn: Connection, now: float) -> bool:
    """Whether there is a message to send. Messages of an alert that is muted, or in its quiet hours, wait."""
    return bool(_ANY_DUE.run(conn, _moment(now)))


def claim(
    conn: Connection, lease: str, most: int, now: float, seconds: float, sending: Collection[Delivery]
) -> list[Delivery]:
    """Lease at most ``most`` messages for ``seconds``, beside those that this process is ``sending``."""
    claimed: list[Delivery] = []
    on_their_way = Counter(delivery.place for delivery in sending)
    keys = {delivery.key for delivery in sending}
    for row in _DUE.run(conn, {**_moment(now), "most": MOST_READ, "places": MOST_OF_CHANNEL}):
        if row.key in keys:  # its lease ended meanwhile
            continue
        place = (row.alert_id, row.channel)
        channels = json.loads(row.channels)
        if len(claimed) < most and on_their_way[place] < MOST_OF_CHANNEL and row.channel < len(channels):
            on_their_way[place] += 1
            claimed.append(
                Delivery(
                    row.key, channels[row.channel], json.loads(row.message), lease, row.tries + 1, place, row.pieces
                )
            )
    _LEASE.change_many(conn, [{"key": delivery.key, "lease": lease, "until": now + seconds} for delivery in claimed])
    return claimed


def _moment(now: float) -> dict[str, Any]:
    return {"now": now, "clock": f"{datetime.fromtimestamp(now, ZONE):%H:%M}"}


def renew(conn: Connection, sending: Collection[Delivery], until: float) -> None:
    """Prolong the leases of messages that are still on their way."""
    _RENEW.change_many(conn, [{"key": one.key, "lease": one.lease, "until": until} for one in sending])


def sent(conn: Connection, delivery: Delivery, now: float, refused: str = "") -> None:
    """Mark a message as sent; ``refused`` says which of its addresses did not take it."""
    _SENT.change(conn, {"key": delivery.key, "now": now, "refused": refused})


def failed(conn: Connection, delivery: Delivery, outcome: Outcome, now: float, *, base: float, chance: float) -> None:
    """Note that the receiver refused a message: it is tried again after as long as the outcome says at least, without
    the pieces that a chat took, or given up."""
    dead = outcome.for_good or delivery.tries >= MOST_TRIES
    pause = max(outcome.after, back_off(delivery.tries, base, LONGEST_WAIT, chance))
    values = {"key": delivery.key, "lease": delivery.lease, "error": outcome.error[:300], "due_at": now + pause}
    values |= {"pieces": max(outcome.pieces, delivery.pieces), "state": "dead" if dead else "waiting"}
    _FAILED.change(conn, values)


def listed(
    conn: Connection,
    state: str = "",
    alert_id: int = 0,
    *,
    owner: str | None = None,
    most: int = MOST_LISTED,
    behind: tuple[float, str] = (AFTER_ALL_MOMENTS, ""),
) -> list[Any]:
    """The latest messages, filtered by state, alert and owner if given; continued ``behind`` the message with this
    ``created_at`` and key."""
    values = {"state": state, "alert_id": alert_id, "everyone": int(owner is None), "owner": owner or "", "most": most}
    values |= {"at": behind[0], "behind": behind[1]}
    return list(_LIST[bool(state), bool(alert_id)].run(conn, values))


def about(conn: Connection, pages: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The messages about these pages of the console: whose, to which channel, when, and what became of each."""
    several: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows_among(conn, _ABOUT, pages), key=lambda row: (row.created_at, row.name, row.channel)):
        record = {name: getattr(row, name) for name in ("owner", "name", "state", "tries", "error")}
        record |= {"alert": row.id, "channel": _shown_channel(row)}
        several.setdefault(row.about, []).append(record | {"at": iso_moment(row.sent_at or row.created_at)})
    return several


def resend(conn: Connection, now: float, key: str = "", alert_id: int = 0, *, owner: str | None = None) -> int:
    """Send messages again that were given up: the one with this key, those of this alert, or of the alerts of this
    owner. Returns their number."""
    values = {"key": key, "alert_id": alert_id, "everyone": int(owner is None), "owner": owner or "", "now": now}
    return _RESEND.change(conn, values)


def figures(conn: Connection) -> dict[int, Any]:
    """By alert, how many messages were sent, wait or were given up, and when the last one was sent."""
    return {row.alert_id: row for row in _FIGURES.run(conn, {})}


def forget_old(conn: Connection, now: float) -> None:
    """Delete old sent messages, and old stories whose articles are gone."""
    _FORGET_SENT.change(conn, {"before": now - KEPT_SECONDS})
    _FORGET_STORIES.change(conn, {"before": now - REMEMBERED_SECONDS})


def alerts_overview(conn: Connection, now: float) -> list[dict[str, Any]]:
    """Every alert: what, to whom, when last, how often."""
    counts = figures(conn)
    records = []
    for alert in all_alerts(conn):
        rhythm, quiet = alert.rhythm.texts()
        counted = counts.get(alert.id)
        muted = "unmuted" if alert.muted_until >= FOREVER else iso_moment(alert.muted_until)
        records.append(
            {name: getattr(alert, name) for name in ("id", "owner", "name", "kind", "query", "pages", "once", "error")}
            | {name: getattr(counted, name) if counted else 0 for name in ("sent", "waiting", "dead")}
            | {
                "channels": [mask_channel(channel) for channel in alert.channels],
                "rhythm": rhythm,
                "quiet": quiet,
                "details": json.loads(alert.details),
                "muted_until": muted if alert.is_muted(now) else None,
                "last_at": iso_moment(counted.last) if counted and counted.last else None,
            }
        )
    return records


def delivery_record(row: Any) -> dict[str, Any]:
    """A message: to whom, what became of it, its title."""
    message = json.loads(row.message)
    return {name: getattr(row, name) for name in ("key", "owner", "state", "tries", "error")} | {
        "alert": row.name,
        "channel": _shown_channel(row),
        "title": subject_line(message),
        "stories": len(message["data"]["stories"]),
        "created_at": iso_moment(row.created_at),
        "sent_at": iso_moment(row.sent_at) if row.sent_at else None,
    }


def _shown_channel(row: Any) -> str:
    """The channel of a message as it may be shown; the alert may have lost it."""
    channels = json.loads(row.channels)
    return mask_channel(channels[row.channel]) if row.channel < len(channels) else "…"
