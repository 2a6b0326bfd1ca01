"""The second looks at awaited URLs, each for itself: where nothing was, and where many show one text that is off
topic."""

from __future__ import annotations

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.model import Reason
from newsspider.core.scheduling.recheck import LOOKS_ALONE, MOST_ALIKE, may_pass, recheck
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import queues

_LOOK = Statement("UPDATE urls SET due_at = :due_at, failures = :looks WHERE key = :key AND state IN ('done', 'error')")
_SAME_TEXT = "reason = 'off_topic' AND body_hash = :body AND site = :site AND update_cycle IS NULL"
_MANY = Statement(f"SELECT count(*) FROM (SELECT 1 FROM urls WHERE {_SAME_TEXT} LIMIT {MOST_ALIKE + 1}) found")
_FIRST_LOOK = Statement(
    f"""
    UPDATE urls SET due_at = :due_at, failures = 1 WHERE {_SAME_TEXT} AND state = 'done' AND failures = 0 AND due_at IS NULL
    RETURNING key, host
    """
)


def ask(conn: Connection, lease: Lease, due_at: float | None, looks: int) -> None:
    """Ask a URL that is settled again then, or never, after so many looks in vain."""
    _LOOK.change(conn, {"key": lease.key, "due_at": due_at, "looks": looks})
    queues.refresh(conn, [lease.host], [lease.key])


def note(conn: Connection, result: PageResult, reason: Reason, now: float) -> None:
    """Ask an awaited URL that is settled again if there may be an article later; with one that shows what many show,
    all of these."""
    lease, settlement = result.lease, result.settlement
    same = {"body": settlement.body_hash, "site": lease.site}
    many = (
        reason is Reason.OFF_TOPIC and settlement.body_hash is not None and _MANY.run(conn, same).scalar() > MOST_ALIKE
    )
    if lease.had_article or not (many or may_pass(reason, settlement.kind, settlement.detail)):
        return
    looks = lease.failures + 1 if lease.looked_at else 1
    ask(conn, lease, recheck(now, looks, LOOKS_ALONE), looks)
    if many:
        others = _FIRST_LOOK.run(conn, same | {"due_at": recheck(now, 1, LOOKS_ALONE)}).all()
        queues.refresh(conn, {row.host for row in others}, [row.key for row in others])
