"""Ends leases that were not settled: given back unused, left by a worker that stopped or crashed, or expired. Their
URLs become due again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from newsspider.core.crawling.visit import Lease
from newsspider.core.model import Reason, State
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import address_delays, schedule
from newsspider.store.tables import SUSPECT_DEATHS

_FREE_HOST = Statement("UPDATE hosts SET busy_key = NULL, busy_until = NULL WHERE host = :host AND busy_key = :key")
_LEASES = "SELECT key, host, reason, due_at, deaths, lease_token, lease_state FROM urls WHERE"
_LEASED = f"{_LEASES} state = 'processing'"
_WORKERS = "SELECT DISTINCT lease_worker FROM urls WHERE state = 'processing' AND lease_worker IS NOT NULL"
_LEASED_LATE = Statement(f"{_LEASED} AND lease_ends_at <= :now [FOR UPDATE SKIP LOCKED]")
_LEASED_AHEAD = Statement(f"{_LEASED} AND lease_ends_at > :latest [FOR UPDATE SKIP LOCKED]")
_LEASED_BY = Statement(f"{_LEASED} AND lease_worker = :worker [ORDER BY key FOR UPDATE]")
_LEASED_ONE = Statement(f"{_LEASES} key = :key AND lease_token = :token AND lease_state IS NOT NULL [FOR UPDATE]")


def release(conn: Connection, lease: Lease) -> bool:
    """Give a lease back unused; ``False`` if it is not in force."""
    return _give_back(conn, _LEASED_ONE.run(conn, {"key": lease.key, "token": lease.token}).all(), died=False) == 1


def release_worker(conn: Connection, worker: str, *, died: bool = False) -> int:
    """Give back every lease of a worker that stopped, or ``died`` on one of them; returns how many there were."""
    return _give_back(conn, _LEASED_BY.run(conn, {"worker": worker}).all(), died=died)


def workers(conn: Connection) -> list[str]:
    """The workers that hold leases."""
    return [row.lease_worker for row in conn.execute(text(_WORKERS))]


def expire(conn: Connection, now: float) -> int:
    """Give back every lease that ended before it was settled: its worker died; returns how many there were.

    After :data:`SUSPECT_DEATHS` deaths a URL is claimed alone; after one more it is given up.
    """
    late = _LEASED_LATE.run(conn, {"now": now}).all()
    return _give_back(conn, late, died=True) if late else 0


def release_ahead(conn: Connection, latest: float) -> set[str]:
    """Give back every lease that ends after ``latest``, which no valid lease does; returns their hosts."""
    rows = _LEASED_AHEAD.run(conn, {"latest": latest}).all()
    _give_back(conn, rows, died=False)
    return {row.host for row in rows}


def _give_back(conn: Connection, rows: Sequence[Row[Any]], *, died: bool) -> int:
    given_back = []
    for row in rows:
        deaths = row.deaths + died
        state, due_at = row.lease_state, row.due_at
        reason = Reason.RELEASED if state == State.WAITING else row.reason
        if deaths > SUSPECT_DEATHS:
            state = State.DONE if state == State.DONE else State.ERROR
            reason, due_at = Reason.WORKER_DEATHS, None
        values = {"key": row.key, "token": row.lease_token, "deaths": deaths}
        given_back.append(values | {"state": state, "reason": reason, "due_at": due_at})
    _FREE_HOST.change_many(conn, [{"host": row.host, "key": row.key} for row in rows])
    schedule.give_back(conn, given_back)
    for row in rows:
        address_delays.free(conn, row.key)
    return len(rows)
