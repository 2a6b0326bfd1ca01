"""What is left to do: how many URLs are in each state, and when the next of them is due."""

from __future__ import annotations

import math
from collections.abc import Set
from typing import NamedTuple

from sqlalchemy import Connection, text

from newsspider.core.model import State

# One statement, so that it sees one moment: between two, a page may go from the worker that holds it back to a queue.
_LEFT = """
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


class Left(NamedTuple):
    """What is left: when a claim may get the first of it, never too late (``None``: nothing is left), and whether
    others have some."""

    due_at: float | None
    others_hold: bool  # workers that are not known to be dead hold pages that are new or were due


class Lists(NamedTuple):
    """How many lists are polled, and how many of them failed when they were last asked."""

    watched: int
    failing: int


def counts(conn: Connection) -> dict[State, int]:
    """How many URLs are in each state; they sum to the URLs known."""
    rows = conn.execute(text("SELECT state, count(*) AS urls FROM urls GROUP BY state"))
    found = {row.state: row.urls for row in rows}
    return {state: found.get(state, 0) for state in State}


def lists(conn: Connection, sites: Set[str]) -> Lists:
    rows = [row for row in conn.execute(text(_LISTS)) if row.site in sites]
    return Lists(sum(row.watched for row in rows), sum(row.failing for row in rows))


def list_read_since(conn: Connection, sites: Set[str], since: float) -> bool:
    """Whether any worker read a list of these sites at or after this moment, be it that it was asked for before."""
    rows = conn.execute(text(_POLLED_SINCE), {"since": since})
    return any(row.site in sites for row in rows)


def last_failure(conn: Connection, sites: Set[str]) -> str | None:
    """A URL of these sites whose last visit failed, with its reason; ``None`` if there is none."""
    rows = conn.execute(text("SELECT site, url, reason, detail FROM urls WHERE failures > 0 ORDER BY failures DESC"))
    row = next((row for row in rows if row.site in sites), None)
    return None if row is None else f"{row.url}: {row.detail or row.reason}"


def left(conn: Connection, worker: str, *, revisit_before: float | None = None, sites: Set[str] | None = None) -> Left:
    """What is left for a worker, all at one moment.

    The end of a lease counts, for its page may come back. Of the pages that were done before, held or not, only those
    due up to ``revisit_before`` count (0: none; ``None``: all), and only those of ``sites``, if given.
    """
    latest = math.inf if revisit_before is None else revisit_before
    found = conn.execute(text(_LEFT), {"worker": worker, "revisit_before": latest})
    rows = [row for row in found if sites is None or row.site in sites]
    return Left(min((row.due_at for row in rows), default=None), any(row.held for row in rows))
