"""Ends leases: writes the outcome of a visit for its page and its host. The URL of a lease that was not settled (given
back unused, left by a worker that stopped or crashed, or expired) becomes due again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from newsspider.core.crawling.visit import Lease, Settlement
from newsspider.core.model import Reason, State
from newsspider.store.engine.statement import Statement
from newsspider.store.engine.writer_caches import Memory
from newsspider.store.ledger import due_times, hosts, queues
from newsspider.store.ledger.due_times import SETTLE
from newsspider.store.tables import SUSPECT_DEATHS

# Reasons of pages with a usable response: only then are fetches counted and validators and the body hash replaced.
ANSWERED = frozenset(
    {
        Reason.STORED,
        Reason.POLLED,
        Reason.UNCHANGED,
        Reason.OFF_TOPIC,
        Reason.DUPLICATE,
        Reason.JOINED,
        Reason.NOT_AN_ARTICLE,
        Reason.DROPPED,
        Reason.ROBOTS_READ,
        Reason.REDIRECT,
        Reason.CONTENT_TYPE,
    }
)
READ_ARTICLE = frozenset({Reason.STORED, Reason.UNCHANGED, Reason.OFF_TOPIC, Reason.DUPLICATE, Reason.JOINED})

_HOST = """
    UPDATE hosts SET
        busy_key = NULL, busy_until = NULL, next_at = COALESCE(:next_at, next_at),
        paused_until = CASE WHEN :pause = 1 THEN COALESCE(:next_at, paused_until) ELSE paused_until END,
        failures = CASE WHEN :pause = 1 THEN failures + 1 WHEN CAST(:status AS INTEGER) IS NOT NULL THEN 0
                        ELSE failures END,
        pages = pages + CASE WHEN CAST(:status AS INTEGER) IS NOT NULL THEN 1 ELSE 0 END,
        last_visit_at = COALESCE(:fetched_at, last_visit_at), delay = COALESCE(:delay, delay),
        delay_reason = CASE WHEN CAST(:delay AS FLOAT) IS NULL THEN delay_reason ELSE :delay_reason END,
        latency = COALESCE(:latency, latency),
        page_at = CASE WHEN :read >= 1 THEN :fetched_at ELSE page_at END,
        article_at = CASE WHEN :read = 2 THEN :fetched_at ELSE article_at END,
        addresses = CASE WHEN :address = '' OR ' ' || addresses || ' ' LIKE '% ' || :address || ' %' THEN addresses
                         WHEN addresses = '' THEN :address ELSE addresses || ' ' || :address END
    WHERE host = :host
"""
_RESERVED = "RETURNING EXISTS (SELECT 1 FROM addresses a WHERE a.busy_key = :key) AS reserved"
_SETTLE = Statement(SETTLE)
_SETTLE_HOST = Statement(f"{_HOST} {_RESERVED}")
_SETTLE_BOTH = Statement(
    f"WITH settled AS ({SETTLE} RETURNING key) {_HOST} AND EXISTS (SELECT 1 FROM settled) {_RESERVED}"
)
_MARK = Statement("UPDATE urls SET reason = :reason, detail = :detail WHERE key = :key")


def settle(conn: Connection, lease: Lease, settlement: Settlement) -> bool:
    """Write the outcome of a leased URL and its host; ``False``, and nothing written, if the lease is not in force."""
    return settle_all(conn, [(lease, settlement)])[0]


def settle_all(conn: Connection, settlements: Sequence[tuple[Lease, Settlement]]) -> list[bool]:
    """The same for leases of different hosts together; returns which of them were in force. The address of a visited
    host is noted, and released until its hosts may be asked again, if it was reserved."""
    values = [_values(lease, settlement) for lease, settlement in settlements]
    # the returned row of each host; ``None`` where the lease is not in force
    if conn.dialect.name == "postgresql":  # in one round trip
        host_rows = [rows_of_host.first() for rows_of_host in _SETTLE_BOTH.run_each(conn, values)]
    else:
        host_rows = [_SETTLE_HOST.run(conn, row).one() if _SETTLE.change(conn, row) else None for row in values]
    settled = [pair for pair, row in zip(settlements, host_rows, strict=True) if row is not None]
    due = [lease.key for lease, settlement in settled if settlement.due_at is not None]
    queues.refresh(conn, [lease.host for lease, _ in settled], due)
    aside = [lease for lease, settlement in settled if _set_aside(settlement)]
    if aside and (memory := Memory.of(conn)):
        memory.forget(aside)
    for (lease, settlement), row in zip(settlements, host_rows, strict=True):
        moved = row is not None and settlement.address and settlement.address != lease.address
        if moved:
            hosts.share(conn, lease.host, settlement.address or "")
        if row is not None and (moved or row.reserved):
            hosts.free(conn, lease.key, settlement.address_next_at or 0.0)
    return [row is not None for row in host_rows]


def _values(lease: Lease, settlement: Settlement) -> dict[str, Any]:
    return {
        "key": lease.key,
        "token": lease.token,
        "state": settlement.state,
        "reason": settlement.reason,
        "detail": settlement.detail,
        "due_at": settlement.due_at,
        "failures": settlement.failures,
        "faults": settlement.faults,
        "kind": settlement.kind,
        "status": settlement.status,
        "fetched_at": settlement.fetched_at,
        "answered": int(settlement.reason in ANSWERED),
        "fetched": int(settlement.reason in ANSWERED and not _set_aside(settlement)),
        "etag": settlement.etag,
        "last_modified": settlement.last_modified,
        "body_hash": settlement.body_hash,
        "bytes_hash": settlement.bytes_hash,
        "host": lease.host,
        "next_at": settlement.host_next_at,
        "pause": int(settlement.host_pause),
        "delay": settlement.host_delay,
        "delay_reason": settlement.host_delay_reason,
        "latency": settlement.host_latency,
        "address": settlement.address or "",
        "read": _read(lease, settlement),
        "proving": settlement.proving,
        "topic": settlement.topic,
    }


def _set_aside(settlement: Settlement) -> bool:
    """Whether a page was not fetched because of an anchor text: other anchors may say more, or another topic accept
    it."""
    return settlement.reason is Reason.OFF_TOPIC and settlement.fetched_at is None


def _read(lease: Lease, settlement: Settlement) -> int:
    """Whether the site answers: 2 if an article was read, 1 if a list was, else 0."""
    if settlement.fetched_at is None:
        return 0
    if lease.kind.polled:
        return int(settlement.reason in (Reason.POLLED, Reason.UNCHANGED))
    return 2 if settlement.reason in READ_ARTICLE else 0


def mark(conn: Connection, key: int, reason: Reason, detail: str = "") -> None:
    """Set a more precise reason for the state of a URL."""
    _MARK.change(conn, {"key": key, "reason": reason, "detail": detail})


_FREE_HOST = Statement("UPDATE hosts SET busy_key = NULL, busy_until = NULL WHERE host = :host AND busy_key = :key")
_LEASES = "SELECT key, host, reason, due_at, deaths, lease_token, lease_state FROM urls WHERE"
_LEASED = f"{_LEASES} state = 'processing'"
_WORKERS = Statement("SELECT DISTINCT lease_worker FROM urls WHERE state = 'processing' AND lease_worker IS NOT NULL")
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
    return [row.lease_worker for row in _WORKERS.run(conn, {})]


def expire(conn: Connection, now: float) -> int:
    """Give back every lease that ended before it was settled: its worker died; returns how many there were.

    After :data:`SUSPECT_DEATHS` deaths a URL is claimed alone; after one more it is given up.
    """
    late = _LEASED_LATE.run(conn, {"now": now})
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
    due_times.give_back(conn, given_back)
    for row in rows:
        hosts.free(conn, row.key)
    return len(rows)
