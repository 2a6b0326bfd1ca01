"""The pages that errors of ours keep from being read: how many there are, and those that an outage says nothing of."""

from __future__ import annotations

from collections.abc import Collection, Set

from sqlalchemy import Connection, text

from newsspider.core.crawling.outcome import INTERNAL_SECONDS
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import queues

_WAITING = "SELECT site, count(*) AS pages FROM urls WHERE internal_errors > 0 AND due_at IS NOT NULL GROUP BY site"
_FORGIVE = Statement(
    """
    UPDATE urls SET
        internal_errors = internal_errors - 1, state = CASE WHEN state = 'error' AND due_at IS NULL THEN 'waiting' ELSE state END,
        reason = CASE WHEN due_at IS NULL THEN 'retry' ELSE reason END, due_at = COALESCE(due_at, :later)
    WHERE key = :key AND internal_errors > 0 AND state <> 'processing'
    RETURNING host
    """
)


def faulty(conn: Connection, sites: Set[str]) -> int:
    """How many pages of these sites are tried again because of errors of ours."""
    return sum(row.pages for row in conn.execute(text(_WAITING)) if row.site in sites)


def forgive(conn: Connection, keys: Collection[int], now: float) -> None:
    """Count no error of this process against these pages, for it failed over most of them; those that it gave up
    wait again."""
    rows = _FORGIVE.run_each(conn, [{"key": key, "later": now + INTERNAL_SECONDS} for key in sorted(keys)])
    found = [(key, row[0].host) for key, row in zip(sorted(keys), rows, strict=True) if row]
    queues.refresh(conn, {host for _, host in found}, [key for key, _ in found])
