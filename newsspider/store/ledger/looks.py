"""The second looks at awaited URLs, each for itself: where nothing was, and where many show one text that is off topic."""

from __future__ import annotations

from sqlalchemy import Connection

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Reason
from newsspider.core.revisiting.second_look import LOOKS_ALONE, MOST_ALIKE, may_pass, second_look
from newsspider.store import queues
from newsspider.store.statement import Statement

_LOOK = Statement("UPDATE urls SET due_at = :due_at, failures = :looks WHERE key = :key AND state IN ('done', 'error')")
_SAME_TEXT = "reason = 'off_topic' AND body_hash = :body AND site = :site AND update_cycle IS NULL"
_MANY = Statement(f"SELECT count(*) FROM (SELECT 1 FROM urls WHERE {_SAME_TEXT} LIMIT {MOST_ALIKE + 1}) found")
_FIRST_LOOK = Statement(
    f"""
    UPDATE urls SET due_at = :due_at, failures = 1 WHERE {_SAME_TEXT} AND state = 'done' AND failures = 0 AND due_at IS NULL
    RETURNING key, host
    """
)


def note(conn: Connection, result: PageResult, reason: Reason, now: float) -> None:
    """Ask an awaited URL that is settled again if there may be an article later; with one that shows what many show, all of these."""
    lease, settlement = result.lease, result.settlement
    if lease.had_article:
        return
    if reason is Reason.OFF_TOPIC:
        same = {"body": settlement.body_hash, "site": lease.site}
        if settlement.body_hash is None or _MANY.run(conn, same).scalar() <= MOST_ALIKE:
            return
    elif not may_pass(reason, settlement.kind, settlement.detail):
        return
    looks = lease.failures + 1 if lease.looked_at else 1
    _LOOK.change(conn, {"key": lease.key, "due_at": second_look(now, looks, LOOKS_ALONE), "looks": looks})
    changed = {lease.key: lease.host}
    if reason is Reason.OFF_TOPIC:
        found = _FIRST_LOOK.run(conn, same | {"due_at": second_look(now, 1, LOOKS_ALONE)})
        changed |= {row.key: row.host for row in found}
    queues.refresh(conn, set(changed.values()), changed)
