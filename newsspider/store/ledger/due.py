"""The remaining work: how many URLs are in each state, and when the next of them is due; pages that internal errors
keep from being read, and how errors of an outage are taken back."""

from __future__ import annotations

import math
from collections.abc import Collection, Set
from typing import NamedTuple

from sqlalchemy import Connection, text

from newsspider.core.crawling.due import INTERNAL_SECONDS
from newsspider.core.model import Reason, State
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import schedule
from newsspider.store.ledger.schedule import Move

# One statement, to see one moment: between two, a page may go back from the worker that holds it to a queue.
_REMAINING = """
    SELECT site, min(CASE WHEN host_ready_at > due_at THEN host_ready_at ELSE due_at END) AS due_at, 0 AS held
    FROM queues WHERE due_at IS NOT NULL AND (queue = 0 OR due_at <= :revisit_before) GROUP BY site
    UNION ALL SELECT site, due_at, 0 FROM urls WHERE queue = 2 AND due_at > 0
    UNION ALL SELECT u.site, u.lease_ends_at, CASE WHEN w.worker IS NOT NULL THEN 1 ELSE 0 END
    FROM urls u LEFT JOIN workers w ON w.worker = u.lease_worker AND w.worker <> :worker
    WHERE u.state = 'processing' AND (u.lease_state = 'waiting' OR u.due_at <= :revisit_before)
"""

_POLLED_SINCE = """
    SELECT DISTINCT u.site FROM urls u LEFT JOIN channels c ON c.site = u.site AND c.key = u.key
    WHERE u.update_cycle IS NOT NULL AND u.reason IN ('polled', 'unchanged')
    AND (u.last_fetched_at >= :since OR c.last_polled_at >= :since)
"""

_LISTS = """
    SELECT site, count(*) AS watched, sum(CASE WHEN failures > 0 THEN 1 ELSE 0 END) AS failing FROM urls
    WHERE update_cycle IS NOT NULL GROUP BY site
"""


class Remaining(NamedTuple):
    """When a claim may get the first remaining page, never too late (``None``: none remains), and whether other workers
    hold any."""

    due_at: float | None
    others_hold: bool  # other workers, not known to be dead, hold pages that are new or were due


class Lists(NamedTuple):
    """How many lists are polled, and how many of them failed at their last poll."""

    watched: int
    failing: int


def counts(conn: Connection) -> dict[State, int]:
    """The number of URLs in each state; they sum to all known URLs."""
    rows = conn.execute(text("SELECT state, count(*) AS urls FROM urls GROUP BY state"))
    urls_by_state = {row.state: row.urls for row in rows}
    return {state: urls_by_state.get(state, 0) for state in State}


def lists(conn: Connection, sites: Set[str]) -> Lists:
    """The counts of the lists of these sites."""
    rows = [row for row in conn.execute(text(_LISTS)) if row.site in sites]
    return Lists(sum(row.watched for row in rows), sum(row.failing for row in rows))


def list_read_since(conn: Connection, sites: Set[str], since: float) -> bool:
    """Whether any worker finished reading a list of these sites at or after this moment."""
    rows = conn.execute(text(_POLLED_SINCE), {"since": since})
    return any(row.site in sites for row in rows)


def last_failure(conn: Connection, sites: Set[str]) -> str | None:
    """A URL of these sites whose last visit failed, with its reason; ``None`` if there is none."""
    rows = conn.execute(text("SELECT site, url, reason, detail FROM urls WHERE failures > 0 ORDER BY failures DESC"))
    row = next((row for row in rows if row.site in sites), None)
    return None if row is None else f"{row.url}: {row.detail or row.reason}"


def remaining(
    conn: Connection, worker: str, *, revisit_before: float | None = None, sites: Set[str] | None = None
) -> Remaining:
    """What remains for a worker, of ``sites`` if given, all at one moment.

    A leased page counts with the end of its lease, as it may come back. Of pages that were done before, only those due
    up to ``revisit_before`` count (0: none; ``None``: all).
    """
    latest = math.inf if revisit_before is None else revisit_before
    result = conn.execute(text(_REMAINING), {"worker": worker, "revisit_before": latest})
    rows = [row for row in result if sites is None or row.site in sites]
    return Remaining(min((row.due_at for row in rows), default=None), any(row.held for row in rows))


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
