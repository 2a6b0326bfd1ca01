"""The settlements of leases: what became of a page, and what its host learned from the visit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from newsspider.core.model import Lease, Reason, Settlement
from newsspider.store import queues
from newsspider.store.ledger import addresses
from newsspider.store.statement import Statement

# The page was answered well: only then are fetches counted and validators and body hash replaced.
ANSWERED = frozenset(
    {
        Reason.STORED, Reason.POLLED, Reason.UNCHANGED, Reason.OFF_TOPIC, Reason.DUPLICATE, Reason.NOT_AN_ARTICLE,
        Reason.DROPPED, Reason.ROBOTS_READ, Reason.REDIRECT, Reason.CONTENT_TYPE,
    }
)  # fmt: skip

_SETTLE = Statement(
    """
    UPDATE urls SET
        state = :state, reason = :reason, detail = :detail, due_at = :due_at, failures = :failures,
        kind = COALESCE(:kind, kind), last_status = COALESCE(:status, last_status),
        last_fetched_at = COALESCE(:fetched_at, last_fetched_at), fetch_count = fetch_count + :answered,
        change_count = change_count + CASE WHEN :answered = 1 AND body_hash <> :body_hash THEN 1 ELSE 0 END,
        etag = CASE WHEN :answered = 1 THEN :etag ELSE etag END,
        last_modified = CASE WHEN :answered = 1 THEN :last_modified ELSE last_modified END,
        body_hash = CASE WHEN :answered = 1 THEN COALESCE(:body_hash, body_hash) ELSE body_hash END,
        topic = CASE WHEN :answered = 1 THEN :topic ELSE topic END,
        deaths = 0, lease_worker = NULL, lease_ends_at = NULL, lease_state = NULL
    WHERE key = :key AND lease_token = :token AND state = 'processing'
    """
)
_SETTLE_HOST = Statement(
    """
    UPDATE hosts SET
        busy_key = NULL, busy_until = NULL, next_at = COALESCE(:next_at, next_at),
        paused_until = CASE WHEN :pause = 1 THEN COALESCE(:next_at, paused_until) ELSE paused_until END,
        failures = CASE WHEN :pause = 1 THEN failures + 1 WHEN CAST(:status AS INTEGER) IS NOT NULL THEN 0
                        ELSE failures END,
        pages = pages + CASE WHEN CAST(:status AS INTEGER) IS NOT NULL THEN 1 ELSE 0 END,
        last_visit_at = COALESCE(:fetched_at, last_visit_at), delay = COALESCE(:delay, delay),
        delay_reason = CASE WHEN CAST(:delay AS FLOAT) IS NULL THEN delay_reason ELSE :delay_reason END,
        latency = COALESCE(:latency, latency),
        addresses = CASE WHEN :address = '' OR ' ' || addresses || ' ' LIKE '% ' || :address || ' %' THEN addresses
                         WHEN addresses = '' THEN :address ELSE addresses || ' ' || :address END
    WHERE host = :host
    """
)
_MARK = Statement("UPDATE urls SET reason = :reason, detail = :detail WHERE key = :key")


def settle(conn: Connection, lease: Lease, settlement: Settlement) -> bool:
    """Write what became of a leased URL and its host; ``False``, and nothing written, if the lease is not in force."""
    return settle_all(conn, [(lease, settlement)])[0]


def settle_all(conn: Connection, settlements: Sequence[tuple[Lease, Settlement]]) -> list[bool]:
    """The same for leases of different hosts in one go; which of them were in force."""
    found = [done == 1 for done in _SETTLE.change_each(conn, [_url(*each) for each in settlements])]
    settled = [each for each, done in zip(settlements, found, strict=True) if done]
    if settled:
        _SETTLE_HOST.change_many(conn, [_host(*each) for each in settled])
        queues.refresh(
            conn,
            [lease.host for lease, _ in settled],
            [lease.key for lease, settlement in settled if settlement.due_at is not None],
        )
        addresses.settle_all(conn, settled)
    return found


def _url(lease: Lease, settlement: Settlement) -> dict[str, Any]:
    return {
        "key": lease.key, "token": lease.token, "state": settlement.state, "reason": settlement.reason,
        "detail": settlement.detail, "due_at": settlement.due_at, "failures": settlement.failures,
        "kind": settlement.kind, "status": settlement.status, "fetched_at": settlement.fetched_at,
        "answered": int(settlement.reason in ANSWERED), "etag": settlement.etag,
        "last_modified": settlement.last_modified, "body_hash": settlement.body_hash, "topic": settlement.topic,
    }  # fmt: skip


def _host(lease: Lease, settlement: Settlement) -> dict[str, Any]:
    return {
        "host": lease.host, "next_at": settlement.host_next_at, "pause": int(settlement.host_pause),
        "status": settlement.status, "fetched_at": settlement.fetched_at, "delay": settlement.host_delay,
        "delay_reason": settlement.host_delay_reason, "latency": settlement.host_latency,
        "address": settlement.address or "",
    }  # fmt: skip


def mark(conn: Connection, key: int, reason: Reason, detail: str = "") -> None:
    """Say more exactly why a URL is in its state."""
    _MARK.change(conn, {"key": key, "reason": reason, "detail": detail})
