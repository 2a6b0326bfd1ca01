"""The ledger of URLs and hosts: what was offered, what became of it, what is due; every function is one step of a job.

Nothing here commits: the caller's transaction does. States and reasons are those of :mod:`newsspider.core.model`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Set
from typing import Any

from sqlalchemy import Connection, Row, text

from newsspider.core.model import Lease, Offer, Reason, RobotsText, Settlement, State
from newsspider.store import queues
from newsspider.store.memory import Memory, RecentKeys
from newsspider.store.statement import Statement, rows_among
from newsspider.store.tables import PUT_OFF, SUSPECT_DEATHS

ORDER_STEP_SECONDS = 1e-6  # between the finding of two links of one page: the order on the page is kept

# The page was answered well: only then are fetches counted and validators and body hash replaced.
ANSWERED = frozenset(
    {
        Reason.STORED, Reason.POLLED, Reason.UNCHANGED, Reason.OFF_TOPIC, Reason.DUPLICATE, Reason.NOT_AN_ARTICLE,
        Reason.DROPPED, Reason.ROBOTS_READ, Reason.REDIRECT, Reason.CONTENT_TYPE,
    }
)  # fmt: skip

_KNOWN = "SELECT key, state, reason, due_at, last_fetched_at, update_cycle FROM urls WHERE key IN ({keys})"
_INSERT = Statement(
    """
    INSERT INTO urls (key, url, host, site, channel, kind, state, reason, depth, hops, parent, anchor, priority,
                      found_at, due_at, update_cycle)
    VALUES (:key, :url, :host, :site, :channel, :kind, :state, :reason, :depth, :hops, :parent, :anchor, :priority,
            :found_at, :due_at, :update_cycle)
    ON CONFLICT (key) DO NOTHING
    """
)
_ADD_HOST = Statement("INSERT INTO hosts (host) VALUES (:host) ON CONFLICT (host) DO NOTHING")
_AGAIN = Statement("UPDATE urls SET due_at = :due_at WHERE key = :key AND state IN ('done', 'error')")
_ADOPT = Statement(
    """
    UPDATE urls SET site = :site, channel = :channel, kind = :kind, depth = :depth, priority = :priority,
                    update_cycle = :update_cycle
    WHERE key = :key
    """
)
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
_GIVE_BACK = Statement(
    """
    UPDATE urls SET
        state = :state, reason = :reason, due_at = :due_at, deaths = :deaths,
        lease_worker = NULL, lease_ends_at = NULL, lease_state = NULL
    WHERE key = :key AND lease_token = :token AND state = 'processing'
    """
)
_FREE_HOST = Statement("UPDATE hosts SET busy_key = NULL, busy_until = NULL WHERE host = :host AND busy_key = :key")
_LEASED = """
    SELECT key, host, reason, due_at, deaths, lease_token, lease_state FROM urls WHERE state = 'processing'
"""
_WORKERS = "SELECT DISTINCT lease_worker FROM urls WHERE state = 'processing' AND lease_worker IS NOT NULL"
_LEASED_LATE = Statement(f"{_LEASED} AND lease_ends_at <= :now")
_LEASED_BY = Statement(f"{_LEASED} AND lease_worker = :worker")
_LEASED_ONE = Statement(f"{_LEASED} AND key = :key AND lease_token = :token")
_MARK = Statement("UPDATE urls SET reason = :reason, detail = :detail WHERE key = :key")
_ROBOTS = Statement(
    """
    UPDATE hosts SET robots_status = :status, robots_text = :text, robots_fetched_at = :fetched_at WHERE host = :host
    """
)
_NO_CHANNEL = """
    SELECT key, host FROM urls u WHERE update_cycle IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM channels c WHERE c.site = u.site AND c.key = u.key)
"""
_RETIRE = Statement(
    f"""
    UPDATE urls SET
        update_cycle = NULL, due_at = CASE WHEN state = 'processing' THEN due_at END,
        reason = CASE WHEN state = 'waiting' OR reason IN {PUT_OFF} THEN 'dropped' ELSE reason END,
        detail = CASE WHEN state = 'waiting' OR reason IN {PUT_OFF} THEN 'channel removed' ELSE detail END,
        state = CASE WHEN state = 'waiting' THEN 'done' ELSE state END
    WHERE key = :key
    """
)
_NEXT = """
    SELECT site, min(CASE WHEN gate > due_at THEN gate ELSE due_at END) AS due_at FROM queues
    WHERE due_at IS NOT NULL AND (queue = 0 OR due_at <= :revisit_before) GROUP BY site
    UNION ALL SELECT site, due_at FROM urls WHERE queue = 2 AND due_at > 0
    UNION ALL SELECT site, lease_ends_at FROM urls WHERE state = 'processing'
"""


def offer(conn: Connection, offers: Iterable[Offer], now: float) -> int:
    """Put the URLs that are new into the ledger; returns how many were.

    A known URL stays as it is, but: with ``again_before`` it becomes due at the offer's ``due_at`` if it was last
    fetched before that moment and is not due earlier anyway; with ``update_cycle`` (a channel) site, channel, kind,
    depth, priority and cycle of the offer hold from now on, and it becomes due if it was no channel before. A ``due_at``
    of 0 is now. One that is ``refused`` is done from the start.
    """
    memory = Memory.of(conn)
    recent: RecentKeys | tuple[()] = memory.recent if memory else ()
    wanted: dict[int, Offer] = {}
    for offered in offers:
        if offered.key not in recent or offered.again_before is not None or offered.update_cycle is not None:
            wanted.setdefault(offered.key, offered)
    known = {row.key: row for row in rows_among(conn, _KNOWN, wanted)}
    new = [offered for offered in wanted.values() if offered.key not in known]
    _insert(conn, new, now)
    _offer_known(conn, [(wanted[key], row) for key, row in known.items()], now)
    if memory:
        memory.recent.meet(wanted)
    return len(new)


def settle(conn: Connection, lease: Lease, settlement: Settlement) -> bool:
    """Write what became of a leased URL and its host; ``False``, and nothing written, if the lease is not in force."""
    answered = settlement.reason in ANSWERED
    done = _SETTLE.change(
        conn,
        {
            "key": lease.key, "token": lease.token, "state": settlement.state, "reason": settlement.reason,
            "detail": settlement.detail, "due_at": settlement.due_at, "failures": settlement.failures,
            "kind": settlement.kind, "status": settlement.status, "fetched_at": settlement.fetched_at,
            "answered": int(answered), "etag": settlement.etag, "last_modified": settlement.last_modified,
            "body_hash": settlement.body_hash, "topic": settlement.topic,
        },
    )  # fmt: skip
    if not done:
        return False
    _SETTLE_HOST.change(
        conn,
        {
            "host": lease.host, "next_at": settlement.host_next_at, "pause": int(settlement.host_pause),
            "status": settlement.status, "fetched_at": settlement.fetched_at, "delay": settlement.host_delay,
            "delay_reason": settlement.host_delay_reason, "latency": settlement.host_latency,
            "address": settlement.address or "",
        },
    )  # fmt: skip
    queues.refresh(conn, [lease.host], [lease.key])
    return True


def mark(conn: Connection, key: int, reason: Reason, detail: str = "") -> None:
    """Say more exactly why a URL is in its state."""
    _MARK.change(conn, {"key": key, "reason": reason, "detail": detail})


def keep_robots(conn: Connection, host: str, robots: RobotsText) -> None:
    """Remember what the robots.txt of a host said."""
    _ROBOTS.change(
        conn, {"host": host, "status": robots.status, "text": robots.text, "fetched_at": robots.fetched_at}
    )


def robots_text(conn: Connection, host: str) -> RobotsText | None:
    """What the robots.txt of a host said when it was last asked; ``None``: it never was."""
    row = conn.execute(
        text("SELECT robots_status, robots_text, robots_fetched_at FROM hosts WHERE host = :host"), {"host": host}
    ).first()
    if row is None or row.robots_fetched_at is None:
        return None
    return RobotsText(row.robots_status, bytes(row.robots_text or b""), row.robots_fetched_at)


def release(conn: Connection, lease: Lease) -> bool:
    """Give a lease back unused; ``False`` if it is not in force."""
    return _give_back(conn, _LEASED_ONE.run(conn, {"key": lease.key, "token": lease.token}).all(), died=False) == 1


def release_worker(conn: Connection, worker: str, *, died: bool = False) -> int:
    """Give back every lease of a worker that stopped, or ``died`` over one of them; returns how many there were."""
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


def counts(conn: Connection) -> dict[State, int]:
    """How many URLs are in each state; they sum to the URLs known."""
    rows = conn.execute(text("SELECT state, count(*) AS urls FROM urls GROUP BY state"))
    found = {row.state: row.urls for row in rows}
    return {state: found.get(state, 0) for state in State}


def next_due(conn: Connection, *, revisit_before: float | None = None, sites: Set[str] | None = None) -> float | None:
    """The earliest moment at which a claim may get something, never too late; ``None``: nothing is left.

    The end of a lease counts, for its page may come back. Of the pages that were done before, only those due up to
    ``revisit_before`` count (0: none; ``None``: all), and only those of ``sites``, if given.
    """
    latest = math.inf if revisit_before is None else revisit_before
    rows = conn.execute(text(_NEXT), {"revisit_before": latest})
    return min((row.due_at for row in rows if sites is None or row.site in sites), default=None)


def refused_by_other_topic(conn: Connection, topic: str, now: float) -> int:
    """Let the pages that another topic refused be read again for this one; returns how many there are."""
    other = "reason = 'off_topic' AND state = 'done' AND topic <> :topic"
    rows = conn.execute(text(f"SELECT host, site, priority FROM urls WHERE {other}"), {"topic": topic}).all()
    conn.execute(
        text(f"UPDATE urls SET state = 'waiting', reason = 'found', due_at = :now WHERE {other}"),
        {"topic": topic, "now": now},
    )
    queues.note(conn, [(row.host, row.site, queues.WAITING, now, row.priority) for row in rows])
    return len(rows)


def retire_channels(conn: Connection, now: float) -> int:
    """Stop the polling of pages that are no channel of their site any more; returns how many there were.

    A page that is leased is settled as its lease has it, and visited once more at most. Leases that ended are given
    back first. A channel that comes back becomes due by its offer.
    """
    expire(conn, now)
    rows = conn.execute(text(_NO_CHANNEL)).all()
    _RETIRE.change_many(conn, [{"key": row.key} for row in rows])
    queues.refresh(conn, [row.host for row in rows])
    return len(rows)


def _insert(conn: Connection, new: Sequence[Offer], now: float) -> None:
    _INSERT.change_many(
        conn,
        [
            {
                "key": offered.key, "url": offered.url, "host": offered.host, "site": offered.site,
                "channel": offered.channel, "kind": offered.kind, "depth": offered.depth, "hops": offered.hops,
                "parent": offered.parent, "anchor": offered.anchor, "priority": offered.priority,
                "found_at": now + place * ORDER_STEP_SECONDS, "update_cycle": offered.update_cycle,
                "state": State.DONE if offered.refused else State.WAITING, "reason": offered.refused or Reason.FOUND,
                "due_at": None if offered.refused else offered.due_at or now,
            }
            for place, offered in enumerate(new)
        ],
    )  # fmt: skip
    _ADD_HOST.change_many(conn, [{"host": host} for host in sorted({offered.host for offered in new})])
    queues.note(conn, [(o.host, o.site, queues.WAITING, o.due_at or now, o.priority) for o in new if not o.refused])


def _offer_known(conn: Connection, pairs: Sequence[tuple[Offer, Row[Any]]], now: float) -> None:
    again, adopted, noted = [], [], []
    for offered, row in pairs:
        due_at = offered.due_at or now
        if _again(offered, row, due_at):
            again.append({"key": offered.key, "due_at": due_at})
        if offered.update_cycle is not None:
            adopted.append(
                {
                    "key": offered.key, "site": offered.site, "channel": offered.channel, "kind": offered.kind,
                    "depth": offered.depth, "priority": offered.priority, "update_cycle": offered.update_cycle,
                }
            )  # fmt: skip
        if offered.again_before is not None or offered.update_cycle is not None:
            waits = row.state == State.WAITING or row.reason in PUT_OFF
            queue = queues.WAITING if waits else queues.REVISIT
            earliest = min(due_at, row.due_at if row.due_at is not None else due_at)
            noted.append((offered.host, offered.site, queue, earliest, offered.priority))
    _AGAIN.change_many(conn, again)
    _ADOPT.change_many(conn, adopted)
    queues.note(conn, noted)


def _again(offered: Offer, row: Row[Any], due_at: float) -> bool:
    if row.due_at is not None and row.due_at <= due_at:
        return False
    if offered.update_cycle is not None and row.update_cycle is None:
        return True
    return offered.again_before is not None and (
        row.last_fetched_at is None or row.last_fetched_at < offered.again_before
    )


def _give_back(conn: Connection, rows: Sequence[Row[Any]], *, died: bool) -> int:
    updates = []
    for row in rows:
        deaths = row.deaths + died
        state, reason, due_at = row.lease_state, row.reason, row.due_at
        if state == State.WAITING:
            reason = Reason.RELEASED
        if deaths > SUSPECT_DEATHS:
            state = State.DONE if state == State.DONE else State.ERROR
            reason, due_at = Reason.WORKER_DEATHS, None
        updates.append(
            {
                "key": row.key, "token": row.lease_token, "state": state, "reason": reason, "due_at": due_at,
                "deaths": deaths,
            }
        )  # fmt: skip
    _GIVE_BACK.change_many(conn, updates)
    _FREE_HOST.change_many(conn, [{"host": row.host, "key": row.key} for row in rows])
    queues.refresh(conn, [row.host for row in rows], [row.key for row in rows])
    return len(rows)
