"""Pages that internal errors keep from being read: their number, and how errors of an outage are taken back."""

from __future__ import annotations

from collections.abc import Collection, Set

from sqlalchemy import Connection, text

from newsspider.core.crawling.due import INTERNAL_SECONDS
from newsspider.core.model import Reason, State
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import schedule
from newsspider.store.ledger.schedule import Move

_WAITING = "SELECT site, count(*) AS pages FROM urls WHERE internal_errors > 0 AND due_at IS NOT NULL GROUP BY site"
_FORGIVE = Statement(
    """
    UPDATE urls SET internal_errors = internal_errors - 1
    WHERE key = :key AND internal_errors > 0 AND state <> 'processing' RETURNING key, state, detail, due_at
    """
)


def faulty(conn: Connection, sites: Set[str]) -> int:
    """How many pages of these sites are tried again because of internal errors."""
    return sum(row.pages for row in conn.execute(text(_WAITING)) if row.site in sites)


def forgive(conn: Connection, keys: Collection[int], now: float) -> None:
    """Take back an error of this process for each of these pages, as most pages failed; pages that it gave up wait
    again."""
    later = now + INTERNAL_SECONDS
    forgiven = [row for rows in _FORGIVE.run_each(conn, [{"key": key} for key in sorted(keys)]) for row in rows]
    reopened_state = {State.ERROR: State.WAITING}
    moves = [
        Move(row.key, row.state, reopened_state.get(row.state, row.state), Reason.RETRY, later, row.detail)
        for row in forgiven
        if row.due_at is None
    ]
    schedule.move(conn, moves)
