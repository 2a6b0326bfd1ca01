"""Alerts and their messages as records, without what is secret."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection

from newsspider.features.alerts import deliveries
from newsspider.features.alerts.channels import masked
from newsspider.features.alerts.messages import title
from newsspider.features.alerts.rules import FOREVER, every
from newsspider.features.events.events import iso


def overview(conn: Connection, now: float) -> list[dict[str, Any]]:
    """Every alert: what, to whom, when last, how often."""
    figures = deliveries.figures(conn)
    records = []
    for alert in every(conn):
        rhythm, quiet = alert.rhythm.texts()
        counted = figures.get(alert.id)
        muted = "unmuted" if alert.muted_until >= FOREVER else iso(alert.muted_until)
        records.append({
            "id": alert.id, "owner": alert.owner, "name": alert.name, "kind": str(alert.kind), "query": alert.query,
            "pages": alert.pages, "once": alert.once, "channels": [masked(channel) for channel in alert.channels],
            "rhythm": rhythm, "quiet": quiet, "muted_until": muted if alert.is_muted(now) else None,
            "sent": counted.sent if counted else 0, "waiting": counted.waiting if counted else 0,
            "dead": counted.dead if counted else 0,
            "last_at": iso(counted.last) if counted and counted.last else None,
        })  # fmt: skip
    return records


def delivery_record(row: Any) -> dict[str, Any]:
    """A message: to whom, what became of it, its title."""
    channels, message = json.loads(row.channels), json.loads(row.message)
    return {
        "key": row.key, "owner": row.owner, "alert": row.name, "state": row.state, "tries": row.tries,
        "channel": masked(channels[row.channel]) if row.channel < len(channels) else "…", "error": row.error,
        "title": title(message), "stories": len(message["data"]["stories"]), "created_at": iso(row.created_at),
        "sent_at": iso(row.sent_at) if row.sent_at else None,
    }  # fmt: skip
