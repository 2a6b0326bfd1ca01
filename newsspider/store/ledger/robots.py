"""The robots.txt of each host: the status of the newest, and the text of the last one that was answered."""

from __future__ import annotations

from sqlalchemy import Connection, text

from newsspider.core.fetching.robots import RobotsText, answered, robots_in_force
from newsspider.store.engine.statement import Statement
from newsspider.store.saved import Pages

_ANSWERED = Statement(
    """
    UPDATE hosts SET robots_status = :status, robots_fetched_at = :fetched_at, robots_text = :text,
                     robots_good_status = :status, robots_good_at = :fetched_at
    WHERE host = :host
    """
)
_MISSED = Statement("UPDATE hosts SET robots_status = :status, robots_fetched_at = :fetched_at WHERE host = :host")
_TEXTS = """
    SELECT robots_status, robots_fetched_at, robots_text, robots_good_status, robots_good_at
    FROM hosts WHERE host = :host
"""


def keep_robots(conn: Connection, host: str, robots: RobotsText) -> None:
    """Store the robots.txt of a host, or that it could not be fetched."""
    values = {"host": host, "status": robots.status, "fetched_at": robots.fetched_at}
    if answered(robots.status):
        _ANSWERED.change(conn, values | {"text": robots.text})
    else:
        _MISSED.change(conn, values)


def note(conn: Connection, pages: Pages[RobotsText]) -> None:
    """The same for the hosts of these pages."""
    for page, robots in pages:
        keep_robots(conn, page.lease.host, robots)


def robots_text(conn: Connection, host: str, now: float) -> RobotsText | None:
    """The robots.txt of a host that is in force; ``None`` if it was never requested."""
    row = conn.execute(text(_TEXTS), {"host": host}).first()
    if row is None or row.robots_fetched_at is None:
        return None
    good = None
    if row.robots_good_at is not None:
        good = RobotsText(row.robots_good_status, bytes(row.robots_text or b""), row.robots_good_at)
    newest = RobotsText(row.robots_status, b"", row.robots_fetched_at)
    return good if answered(newest.status) else robots_in_force(good, newest, now)
