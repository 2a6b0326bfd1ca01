"""The robots.txt of each host, as it stood when it was last asked for."""

from __future__ import annotations

from sqlalchemy import Connection, text

from newsspider.core.model import RobotsText
from newsspider.store.statement import Statement

_ROBOTS = Statement(
    """
    UPDATE hosts SET robots_status = :status, robots_text = :text, robots_fetched_at = :fetched_at WHERE host = :host
    """
)


def keep_robots(conn: Connection, host: str, robots: RobotsText) -> None:
    """Remember what the robots.txt of a host said."""
    _ROBOTS.change(
        conn, {"host": host, "status": robots.status, "text": robots.text, "fetched_at": robots.fetched_at}
    )


def robots_text(conn: Connection, host: str) -> RobotsText | None:
    """What the robots.txt of a host said when it was last asked; ``None``: it never was."""
    row = conn.execute(
        text("SELECT robots_status, robots_text, robots_fetched_at FROM hosts WHERE host = :host"), {"host": host}
    ).first()
    if row is None or row.robots_fetched_at is None:
        return None
    return RobotsText(row.robots_status, bytes(row.robots_text or b""), row.robots_fetched_at)
