"""Decides when URLs are due, alone in the store, and counts what remains: how many URLs are in each state, when the
next is due, and which pages internal errors keep from being read."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.crawling.outcome import INTERNAL_SECONDS
from newsspider.core.model import Reason, State
from newsspider.store.engine.statement import Inserts, Statement, rows_among
from newsspider.store.ledger import queues
from newsspider.store.tables import urls

_INSERT = Inserts(
    """
    INSERT INTO urls (key, url, host, site, channel, kind, state, reason, depth, hops, parent, anchor, priority,
                      found_at, due_at, update_cycle, strategy_state, partial_article, meta, detail, topic)
    VALUES (:key, :url, :host, :site, :channel, :kind, :state, :reason, :depth, :hops, :parent, :anchor, :priority,
            :found_at, :due_at, :update_cycle, :strategy_state, :partial_article, :meta, :detail, :topic)
    ON CONFLICT (key) DO NOTHING
    """,
    urls,
)
# One statement, as it runs once a page; `store/ledger/settlements.py` joins it with that of the host. The condition is
# `lease_state`, which a URL has while it is processing: for `state = 'processing'` PostgreSQL would read the index of
# states, with all entries of leases that ended since the last vacuum.
SETTLE = """
    UPDATE urls SET
        state = :state, reason = :reason, detail = :detail, due_at = :due_at, failures = :failures,
        internal_errors = :faults, kind = COALESCE(:kind, kind), last_status = COALESCE(:status, last_status),
        last_fetched_at = COALESCE(:fetched_at, last_fetched_at), fetch_count = fetch_count + :fetched,
        change_count = change_count + CASE WHEN :answered = 1 AND body_hash <> :body_hash THEN 1 ELSE 0 END,
        etag = CASE WHEN :answered = 1 THEN :etag ELSE etag END,
        last_modified = CASE WHEN :answered = 1 THEN :last_modified ELSE last_modified END,
        body_hash = CASE WHEN :answered = 1 THEN COALESCE(:body_hash, body_hash) ELSE body_hash END,
        bytes_hash = CASE WHEN :answered = 1 THEN COALESCE(:bytes_hash, bytes_hash) ELSE bytes_hash END,
        stale_validators = CASE WHEN :answered = 1 THEN :proving ELSE stale_validators END,
        topic = CASE WHEN :answered = 1 THEN :topic ELSE topic END,
        deaths = 0, lease_worker = NULL, lease_ends_at = NULL, lease_state = NULL
    WHERE key = :key AND lease_token = :token AND lease_state IS NOT NULL
"""
_GIVE_BACK = Statement(
    """
    UPDATE urls SET
        state = :state, reason = :reason, due_at = :due_at, deaths = :deaths,
        lease_worker = NULL, lease_ends_at = NULL, lease_state = NULL
    WHERE key = :key AND lease_token = :token AND lease_state IS NOT NULL RETURNING host
    """
)
_MOVE = Statement(
    """
    UPDATE urls SET state = :state, reason = :reason, detail = :detail, topic = NULL, due_at = :due_at,
                    failures = COALESCE(:failures, failures)
    WHERE key = :key AND state = :was RETURNING host
    """
)
_POSTPONE = Statement(
    """
    UPDATE urls SET due_at = :due_at, failures = COALESCE(:failures, failures)
    WHERE key = :key AND state <> 'processing' RETURNING host
    """
)

# One statement, to see one moment: between two, a page may go back from the worker that holds it to a queue.
_REMAINING = Statement(
    """
    SELECT site, min(CASE WHEN host_ready_at > due_at THEN host_ready_at ELSE due_at END) AS due_at, 0 AS held
    FROM queues WHERE due_at IS NOT NULL AND (queue = 0 OR due_at <= :revisit_before) GROUP BY site
    UNION ALL SELECT site, due_at, 0 FROM urls WHERE queue = 2 AND due_at > 0
    UNION ALL SELECT u.site, u.lease_ends_at, CASE WHEN w.worker IS NOT NULL THEN 1 ELSE 0 END
    FROM urls u LEFT JOIN workers w ON w.worker = u.lease_worker AND w.worker <> :worker
    WHERE u.state = 'processing' AND (u.lease_state = 'waiting' OR u.due_at <= :revisit_before)
    """
)

_POLLED_SINCE = Statement(
    """
    SELECT DISTINCT u.site FROM urls u LEFT JOIN channels c ON c.site = u.site AND c.key = u.key
    WHERE u.update_cycle IS NOT NULL AND u.reason IN ('polled', 'unchanged')
    AND (u.last_fetched_at >= :since OR c.last_polled_at >= :since)
    """
)

_LISTS = Statement(
    """
    SELECT site, count(*) AS watched, sum(CASE WHEN failures > 0 THEN 1 ELSE 0 END) AS failing FROM urls
    WHERE update_cycle IS NOT NULL GROUP BY site
    """
)
_COUNTS = Statement("SELECT state, count(*) AS urls FROM urls GROUP BY state")
_FAILED = """
    SELECT url, reason, detail, failures FROM urls WHERE failures > 0 AND site IN ({keys})
    ORDER BY failures DESC LIMIT 1
"""


class StateChange(NamedTuple):
    """A change of a URL's state and reason, with the moment at which it is due."""

    key: int
    was: str  # the expected present state: nothing changes if it is another one
    state: State
    reason: str
    due_at: float | None = None
    detail: str = ""
    failures: int | None = None  # None: unchanged


class Due(NamedTuple):
    """A change of the moment at which a URL is due (``None``: never); its state stays."""

    key: int
    due_at: float | None
    failures: int | None = None  # None: unchanged


def add(conn: Connection, rows: Sequence[Mapping[str, Any]]) -> set[int]:
    """Insert URLs, in this order; returns the keys of the new ones. The caller has to note them in their queues."""
    return _INSERT.inserted_keys(conn, rows)


def move(conn: Connection, moves: Iterable[StateChange]) -> list[int]:
    """Move URLs to another state; returns the keys of those that were moved."""
    return _changed(conn, _MOVE, [change._asdict() for change in moves])


def set_waiting(conn: Connection, rows: Iterable[Any], due_at: float, reason: Reason = Reason.FOUND) -> list[int]:
    """Let URLs wait, given by rows with ``key`` and ``state``; returns the keys of those that were changed."""
    return move(conn, [StateChange(row.key, row.state, State.WAITING, reason, due_at) for row in rows])


def postpone(conn: Connection, changes: Iterable[Due]) -> list[int]:
    """Set when URLs are due, unless they are leased; returns the keys of those that were changed."""
    return _changed(conn, _POSTPONE, [change._asdict() for change in changes])


def give_back(conn: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """End leases, given by ``key`` and ``token``, without a settlement; returns the keys of those that were in
    force."""
    return _changed(conn, _GIVE_BACK, rows)


def _changed(conn: Connection, statement: Statement, rows: Iterable[Mapping[str, Any]]) -> list[int]:
    """The keys that a statement changed, which returns the host for each row of values. It runs in the order of keys,
    so that two writers seldom wait for each other."""
    values = sorted(rows, key=lambda row: row["key"])
    results = zip(values, statement.run_each(conn, values), strict=True)
    changed = {row["key"]: hosts[0].host for row, hosts in results if hosts}
    if changed:
        queues.refresh(conn, set(changed.values()), changed)
    return list(changed)


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
    urls_by_state = {row.state: row.urls for row in _COUNTS.run(conn, {})}
    return {state: urls_by_state.get(state, 0) for state in State}


def lists(conn: Connection, sites: Set[str]) -> Lists:
    """The counts of the lists of these sites."""
    rows = [row for row in _LISTS.run(conn, {}) if row.site in sites]
    return Lists(sum(row.watched for row in rows), sum(row.failing for row in rows))


def list_read_since(conn: Connection, sites: Set[str], since: float) -> bool:
    """Whether any worker finished reading a list of these sites at or after this moment."""
    return any(row.site in sites for row in _POLLED_SINCE.run(conn, {"since": since}))


def last_failure(conn: Connection, sites: Set[str]) -> str | None:
    """The URL of these sites whose last visits failed most often, with its reason; ``None`` if there is none."""
    row = max(rows_among(conn, _FAILED, sorted(sites)), key=lambda row: int(row.failures), default=None)
    return None if row is None else f"{row.url}: {row.detail or row.reason}"


def remaining(
    conn: Connection, worker: str, *, revisit_before: float | None = None, sites: Set[str] | None = None
) -> Remaining:
    """What remains for a worker, of ``sites`` if given, all at one moment.

    A leased page counts with the end of its lease, as it may come back. Of pages that were done before, only those due
    up to ``revisit_before`` count (0: none; ``None``: all).
    """
    latest = math.inf if revisit_before is None else revisit_before
    result = _REMAINING.run(conn, {"worker": worker, "revisit_before": latest})
    rows = [row for row in result if sites is None or row.site in sites]
    return Remaining(min((row.due_at for row in rows), default=None), any(row.held for row in rows))


_WAITING = Statement(
    "SELECT site, count(*) AS pages FROM urls WHERE internal_errors > 0 AND due_at IS NOT NULL GROUP BY site"
)
_FORGIVE = Statement(
    """
    UPDATE urls SET internal_errors = internal_errors - 1
    WHERE key = :key AND internal_errors > 0 AND state <> 'processing' RETURNING key, state, detail, due_at
    """
)


def faulty(conn: Connection, sites: Set[str]) -> int:
    """How many pages of these sites are tried again because of internal errors."""
    return sum(row.pages for row in _WAITING.run(conn, {}) if row.site in sites)


def forgive(conn: Connection, keys: Collection[int], now: float) -> None:
    """Take back an error of this process for each of these pages, as most pages failed; pages that it gave up wait
    again."""
    later = now + INTERNAL_SECONDS
    forgiven = [row for rows in _FORGIVE.run_each(conn, [{"key": key} for key in sorted(keys)]) for row in rows]
    reopened_state = {State.ERROR: State.WAITING}
    moves = [
        StateChange(row.key, row.state, reopened_state.get(row.state, row.state), Reason.RETRY, later, row.detail)
        for row in forgiven
        if row.due_at is None
    ]
    move(conn, moves)
