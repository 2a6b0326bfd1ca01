"""Sets when URLs are due. No other module writes ``urls.due_at``, and every change updates the queues.

The moments come from :mod:`newsspider.core.crawling.due` and the modules of :mod:`newsspider.core.scheduling`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.model import Reason, State
from newsspider.store.engine.statement import Inserts, Statement
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


class Move(NamedTuple):
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


def move(conn: Connection, moves: Iterable[Move]) -> list[int]:
    """Move URLs to another state; returns the keys of those that were moved."""
    return _changed(conn, _MOVE, [change._asdict() for change in moves])


def set_waiting(conn: Connection, rows: Iterable[Any], due_at: float, reason: Reason = Reason.FOUND) -> list[int]:
    """Let URLs wait, given by rows with ``key`` and ``state``; returns the keys of those that were changed."""
    return move(conn, [Move(row.key, row.state, State.WAITING, reason, due_at) for row in rows])


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
