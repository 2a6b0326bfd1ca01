"""The workers that share a crawl: which are alive by their heartbeats, and the assignment of hosts to them."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Mapping, Set
from typing import NamedTuple

from sqlalchemy import Connection

from newsspider.core.crawling.host_assignment import assigned_hosts
from newsspider.store.engine.postgresql import end_silent, try_lock_name
from newsspider.store.engine.statement import Statement, statement_among

BEAT_SECONDS = 2.0  # between two heartbeats
# without a heartbeat for this long, a worker is dead; others have its hosts within ten seconds
LAPSE_SECONDS = 6.0
ASSIGN_SECONDS = 0.5  # after which new hosts, and those whose worker left, are assigned
ASSIGN_SHARE = 20  # assigning takes at most one second in this many, however many hosts there are
_BEAT = Statement(
    """
    INSERT INTO workers (worker, scope, heartbeats, seen_at) VALUES (:worker, :scope, 1, :now)
    ON CONFLICT (worker) DO UPDATE
    SET scope = excluded.scope, heartbeats = workers.heartbeats + 1, seen_at = excluded.seen_at
    """
)
_ALL = Statement("SELECT worker, scope, heartbeats FROM workers")
_GONE = Statement("DELETE FROM workers WHERE worker = :worker AND heartbeats = :heartbeats")
_LEAVE = Statement("DELETE FROM workers WHERE worker = :worker")
# Every host with anything to fetch, now or later. Its politeness clock is its address if other hosts share that.
_HOSTS = """
    SELECT q.host, COALESCE(a.address, q.host) AS clock
    FROM (SELECT host FROM queues WHERE due_at IS NOT NULL {of_sites}
          UNION SELECT host FROM urls WHERE queue = 2 {of_sites}
          UNION SELECT host FROM urls WHERE state = 'processing' {of_sites}) q
    JOIN hosts h ON h.host = q.host LEFT JOIN addresses a ON a.address = h.address
    ORDER BY q.host
"""
_HOSTS_OF_ALL = Statement(_HOSTS.replace("{of_sites}", ""))
_HOSTS_OF_SITES = _HOSTS.replace("{of_sites}", "AND site IN ({keys})")
_SO_FAR = Statement("SELECT host, worker FROM assigned_hosts WHERE scope = :scope")
_ASSIGN = Statement(
    """
    INSERT INTO assigned_hosts (scope, host, worker) VALUES (:scope, :host, :worker)
    ON CONFLICT (scope, host) DO UPDATE SET worker = excluded.worker
    """
)
_DROP = Statement("DELETE FROM assigned_hosts WHERE scope = :scope AND host = :host")
_NOBODYS = Statement("DELETE FROM assigned_hosts WHERE scope NOT IN (SELECT scope FROM workers)")
_NEXT = Statement(
    """
    SELECT q.site, min(CASE WHEN q.host_ready_at > q.due_at THEN q.host_ready_at ELSE q.due_at END) AS due_at
    FROM queues q LEFT JOIN assigned_hosts a ON a.scope = :scope AND a.host = q.host
    WHERE COALESCE(a.worker, :free) = :worker AND q.due_at IS NOT NULL
          AND (q.queue = 0 OR q.due_at <= :revisit_before)
    GROUP BY q.site
    """
)


class WorkerRow(NamedTuple):
    """A worker, the sites it watches (:func:`scope_of`), and the number of its heartbeats."""

    worker: str
    scope: str
    heartbeats: int


def scope_of(sites: Set[str] | None) -> str:
    """A name for these sites: only workers that watch the same sites share the work."""
    return "" if sites is None else hashlib.sha256("\n".join(sorted(sites)).encode()).hexdigest()[:16]


def beat(conn: Connection, worker: str, scope: str, now: float) -> list[WorkerRow]:
    """Send a heartbeat of this worker; returns all workers."""
    _BEAT.change(conn, {"worker": worker, "scope": scope, "now": now})
    return [WorkerRow(*row) for row in _ALL.run(conn, {})]


def remove(conn: Connection, rows: Iterable[WorkerRow]) -> None:
    """Remove these workers as dead, unless they sent a heartbeat since; they may come back."""
    _GONE.change_many(conn, [{"worker": row.worker, "heartbeats": row.heartbeats} for row in rows])


def names(conn: Connection) -> list[str]:
    """The running workers, and those that stopped a moment ago."""
    return [row.worker for row in _ALL.run(conn, {})]


def leave(conn: Connection, worker: str) -> None:
    """Remove a worker that claims nothing any more."""
    _LEAVE.change(conn, {"worker": worker})


def assign(conn: Connection, scope: str, sites: Set[str] | None) -> dict[str, str | None]:
    """Assign every host with anything to fetch to a running worker, hosts at one address to the same worker.

    Returns the changes, ``None`` for a host that is not assigned any more. If another worker is assigning at the
    moment, nothing is done.
    """
    if not try_lock_name(conn, f"assign {scope}"):
        return {}
    workers = [row.worker for row in _ALL.run(conn, {}) if row.scope == scope]
    if sites is None:
        rows = _HOSTS_OF_ALL.run(conn, {})
    else:
        statement, values = statement_among(_HOSTS_OF_SITES, sorted(sites) or ["\n"])
        rows = statement.run(conn, values)
    clocks = {row.host: row.clock for row in rows}
    so_far = owners(conn, scope)
    worker_of_clock = assigned_hosts(_by_clock(clocks, so_far), workers)
    worker_of_host = {host: worker_of_clock[clock] for host, clock in clocks.items() if clock in worker_of_clock}
    changed = {host: worker for host, worker in worker_of_host.items() if so_far.get(host) != worker}
    dropped = [host for host in so_far if host not in worker_of_host]
    _ASSIGN.change_many(conn, [{"scope": scope, "host": host, "worker": worker} for host, worker in changed.items()])
    _DROP.change_many(conn, [{"scope": scope, "host": host} for host in dropped])
    _NOBODYS.change(conn, {})
    return {**changed, **dict.fromkeys(dropped)}


def owners(conn: Connection, scope: str) -> dict[str, str]:
    """The worker of each host."""
    return {row.host: row.worker for row in _SO_FAR.run(conn, {"scope": scope})}


def next_due(
    conn: Connection, worker: str, scope: str, revisit_before: float, sites: Set[str] | None, *, free: bool
) -> float | None:
    """The earliest moment at which a host of this worker may be asked, with ``free`` also an unassigned one; ``None``
    if there is none."""
    values = {"worker": worker, "scope": scope, "free": worker if free else "", "revisit_before": revisit_before}
    rows = _NEXT.run(conn, values)
    return min((row.due_at for row in rows if sites is None or row.site in sites), default=None)


def _by_clock(clocks: Mapping[str, str], so_far: Mapping[str, str]) -> dict[str, str | None]:
    """The present worker of each clock: that of the first of its hosts that is assigned."""
    workers: dict[str, str | None] = {}
    for host, clock in clocks.items():
        workers[clock] = workers.get(clock) or so_far.get(host)
    return workers


class Members:
    """What a worker knows about the workers of its crawl. Methods with a connection are steps of a job on the store.

    A worker is dead if nobody counts up its row for :data:`LAPSE_SECONDS`; no clocks of two machines are compared.
    If this process was suspended for that long, it waits once more before it declares another worker dead.
    """

    def __init__(self, worker: str, clock: Callable[[], float] = time.monotonic, *, firm: bool = False) -> None:
        self.worker = worker
        self.clock = clock
        self.firm = firm  # hosts are assigned though there is only one worker: the next one may come at any moment
        self.has_left = False
        self.watching = ""
        self.alone = True
        self._known: dict[str, tuple[int, float]] = {}  # worker: its beats, and when they were first seen
        self._beaten_at = self._assigned_at = -math.inf
        self._pause = ASSIGN_SECONDS

    def assign(self, conn: Connection, sites: Set[str] | None, now: float) -> dict[str, str | None]:
        """Send the heartbeat, and assign the hosts that have no worker, each as often as needed.

        Returns the hosts whose worker changed, with the new one or ``None``.
        """
        if self.has_left:
            return {}
        at, self.watching = self.clock(), scope_of(sites)
        if at - self._beaten_at >= BEAT_SECONDS:
            self._beat(conn, now)
        if (self.alone and not self.firm) or at - self._assigned_at < self._pause:
            return {}
        changed = assign(conn, self.watching, sites)
        self._assigned_at = self.clock()
        self._pause = max(ASSIGN_SECONDS, ASSIGN_SHARE * (self._assigned_at - at))
        return changed

    def _beat(self, conn: Connection, now: float) -> None:
        rows = beat(conn, self.worker, self.watching, now)
        dead = self._lapsed(rows)
        remove(conn, dead)
        end_silent(conn)
        self.alone = not any(
            row.scope == self.watching and row.worker != self.worker for row in rows if row not in dead
        )

    def _lapsed(self, rows: Iterable[WorkerRow]) -> list[WorkerRow]:
        at, earlier = self.clock(), self._known
        if at - self._beaten_at >= LAPSE_SECONDS:
            earlier = {}
        self._beaten_at = at
        self._known = {row.worker: (row.heartbeats, at) for row in rows} | {
            row.worker: earlier[row.worker] for row in rows if earlier.get(row.worker, (None, at))[0] == row.heartbeats
        }
        return [row for row in rows if at - self._known[row.worker][1] >= LAPSE_SECONDS]
