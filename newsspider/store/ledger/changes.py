"""What another topic or other sites change for the URLs that are known."""

from __future__ import annotations

from sqlalchemy import Connection, text

from newsspider.store import queues
from newsspider.store.ledger.leases import expire
from newsspider.store.statement import Statement
from newsspider.store.tables import PUT_OFF

_NO_CHANNEL = """
    SELECT key, host FROM urls u WHERE update_cycle IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM channels c WHERE c.site = u.site AND c.key = u.key)
    AND NOT EXISTS (SELECT 1 FROM explorations e WHERE e.site = u.site)
"""
_ASK = Statement(
    """
    UPDATE urls SET due_at = :now WHERE site = :site AND update_cycle IS NOT NULL AND failures > 0 AND state <> 'processing'
    RETURNING key, host
    """
)
_RETIRE = Statement(
    f"""
    UPDATE urls SET
        update_cycle = NULL, due_at = CASE WHEN state = 'processing' THEN due_at END,
        reason = CASE WHEN state = 'waiting' OR reason IN {PUT_OFF} THEN 'dropped' ELSE reason END,
        detail = CASE WHEN state = 'waiting' OR reason IN {PUT_OFF} THEN 'channel removed' ELSE detail END,
        state = CASE WHEN state = 'waiting' THEN 'done' ELSE state END
    WHERE key = :key
    """
)


def refused_by_other_topic(conn: Connection, topic: str, now: float, *, links: str = "") -> int:
    """Let the pages that another topic refused be read again for this one; returns how many there are.

    Those that were never fetched, for the words of a link, are those that another than ``links`` refused. Those of explore crawls are
    theirs.
    """
    other = (
        "reason = 'off_topic' AND state = 'done' AND topic <> CASE WHEN last_fetched_at IS NULL THEN :links ELSE :topic END"
        " AND site NOT IN (SELECT site FROM explorations)"
    )
    rows = conn.execute(
        text(
            "UPDATE urls SET state = 'waiting', reason = 'found', detail = '', topic = NULL, due_at = :now"
            f" WHERE {other} RETURNING host, site, priority"
        ),
        {"topic": topic, "links": links, "now": now},
    ).all()
    queues.note(conn, [(row.host, row.site, queues.WAITING, now, row.priority) for row in rows])
    return len(rows)


def ask_failing(conn: Connection, site: str, now: float) -> int:
    """Let the lists of a site that failed be asked at once; returns how many there are."""
    rows = _ASK.run(conn, {"site": site, "now": now})
    queues.refresh(conn, [row.host for row in rows], [row.key for row in rows])
    return len(rows)


def retire_channels(conn: Connection, now: float) -> int:
    """Stop the polling of pages that are no channel of their site any more; returns how many there were.

    A page that is leased is settled as its lease has it, and visited once more at most. Leases that ended are given
    back first. A channel that comes back becomes due by its offer.
    """
    expire(conn, now)
    rows = conn.execute(text(_NO_CHANNEL)).all()
    _RETIRE.change_many(conn, [{"key": row.key} for row in rows])
    queues.refresh(conn, [row.host for row in rows])
    return len(rows)
