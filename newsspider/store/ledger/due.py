"""What is left to do: how many URLs are in each state, and when the next of them is due."""

from __future__ import annotations

import math
from collections.abc import Set

from sqlalchemy import Connection, text

from newsspider.core.model import State

_NEXT = """
    SELECT site, min(CASE WHEN gate > due_at THEN gate ELSE due_at END) AS due_at FROM queues
    WHERE due_at IS NOT NULL AND (queue = 0 OR due_at <= :revisit_before) GROUP BY site
    UNION ALL SELECT site, due_at FROM urls WHERE queue = 2 AND due_at > 0
    UNION ALL SELECT site, lease_ends_at FROM urls WHERE state = 'processing'
"""

_POLLED_SINCE = """
    SELECT DISTINCT site FROM urls
    WHERE update_cycle IS NOT NULL AND last_fetched_at >= :since AND reason IN ('polled', 'unchanged')
"""


def counts(conn: Connection) -> dict[State, int]:
    """How many URLs are in each state; they sum to the URLs known."""
    rows = conn.execute(text("SELECT state, count(*) AS urls FROM urls GROUP BY state"))
    found = {row.state: row.urls for row in rows}
    return {state: found.get(state, 0) for state in State}


def list_read_since(conn: Connection, sites: Set[str], since: float) -> bool:
    """Whether any worker read a list of these sites at or after this moment."""
    rows = conn.execute(text(_POLLED_SINCE), {"since": since})
    return any(row.site in sites for row in rows)


def next_due(conn: Connection, *, revisit_before: float | None = None, sites: Set[str] | None = None) -> float | None:
    """The earliest moment at which a claim may get something, never too late; ``None``: nothing is left.

    The end of a lease counts, for its page may come back. Of the pages that were done before, only those due up to
    ``revisit_before`` count (0: none; ``None``: all), and only those of ``sites``, if given.
    """
    latest = math.inf if revisit_before is None else revisit_before
    rows = conn.execute(text(_NEXT), {"revisit_before": latest})
    return min((row.due_at for row in rows if sites is None or row.site in sites), default=None)
