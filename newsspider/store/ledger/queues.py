"""Keeps the rows of ``queues`` up to date. Each sums up one queue of one site on one host, never too late."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.store import tables
from newsspider.store.engine.statement import Inserts, Statement, pipelined, rows_among

WAITING, REVISIT, SUSPECT, AGED = 0, 1, 2, 3  # as urls.queue says; suspects have no row in queues
# how much lower the priority of a revisited article is than that of a new one
REVISITS_LOWERED = 1_000_000

_HOSTS_KEY = "newsspider_queues"  # keys of `Connection.info`
_GATHERED_KEY = "newsspider_queues_gathered"
_COLUMNS = "host, site, queue, revision, due_at, top_priority, host_ready_at"

_NOTE = Inserts(
    """
    INSERT INTO queues (host, site, queue, due_at, top_priority) VALUES (:host, :site, :queue, :due_at, :top_priority)
    ON CONFLICT (host, site, queue) DO UPDATE SET
        revision = queues.revision + 1,
        due_at = CASE WHEN queues.due_at <= excluded.due_at THEN queues.due_at ELSE excluded.due_at END,
        top_priority = CASE WHEN queues.due_at IS NOT NULL AND queues.top_priority >= excluded.top_priority
                            THEN queues.top_priority ELSE excluded.top_priority END
    """,
    tables.queues,
)
_ADD_OF_URL = Statement(
    f"""
    INSERT INTO queues (host, site, queue, due_at, top_priority)
    SELECT host, site, queue, due_at, priority - CASE WHEN queue = {AGED} THEN {REVISITS_LOWERED} ELSE 0 END
    FROM urls WHERE key = :key AND queue IN (0, 1, {AGED})
    ON CONFLICT (host, site, queue) DO NOTHING
    """
)
_REFRESH = Statement(
    f"""
    UPDATE queues SET
        revision = revision + 1,
        host_ready_at = (SELECT CASE WHEN h.busy_key IS NOT NULL THEN h.busy_until
                            WHEN h.paused_until > h.next_at THEN h.paused_until ELSE h.next_at END
                FROM hosts h WHERE h.host = queues.host),
        due_at = (SELECT min(u.due_at) FROM urls u
                  WHERE u.host = queues.host AND u.site = queues.site AND u.queue = queues.queue),
        top_priority = COALESCE(
            CASE WHEN queue = 0 THEN
                (SELECT u.priority FROM urls u WHERE u.host = queues.host AND u.site = queues.site AND u.queue = 0
                 ORDER BY u.priority DESC LIMIT 1)
            ELSE
                (SELECT u.priority - CASE WHEN queues.queue = {AGED} THEN {REVISITS_LOWERED} ELSE 0 END FROM urls u
                 WHERE u.host = queues.host AND u.site = queues.site AND u.queue = queues.queue
                 ORDER BY u.due_at LIMIT 1)
            END, 0)
    WHERE host = :host
    """
)
_OPEN = Statement(
    "UPDATE queues SET host_ready_at = :moment, revision = revision + 1 WHERE host = :host AND host_ready_at > :moment"
)
_SHUT = Statement("UPDATE queues SET host_ready_at = :until, revision = revision + 1 WHERE host = :host")
_LOCK = Statement("SELECT host FROM queues WHERE host = ANY(:keys) ORDER BY host, site, queue FOR UPDATE")
_ALL = Statement(f"SELECT {_COLUMNS} FROM queues")
_OF_HOSTS = f"SELECT {_COLUMNS} FROM queues WHERE host IN ({{keys}})"


class QueueRow(NamedTuple):
    """A row of ``queues``; of two copies of one row, that with the higher ``revision`` is newer."""

    host: str
    site: str
    queue: int
    revision: int
    due_at: float | None
    top_priority: int
    host_ready_at: float


def rows(conn: Connection, hosts: Iterable[str] | None = None) -> list[QueueRow]:
    """The rows of these hosts, or all of them."""
    result: Iterable[Any] = _ALL.run(conn, {}) if hosts is None else rows_among(conn, _OF_HOSTS, hosts)
    return [QueueRow(*row) for row in result]


@contextmanager
def watched(conn: Connection) -> Iterator[Callable[[], list[QueueRow]]]:
    """Watches ``queues`` inside the block; what it yields returns the rows of the hosts that were changed."""
    info = conn.info  # a lost connection has none to ask for at the end
    hosts: set[str] = set()
    info[_HOSTS_KEY] = hosts
    try:
        yield lambda: rows(conn, sorted(hosts)) if hosts else []
    finally:
        info.pop(_HOSTS_KEY, None)


def _changed(conn: Connection, hosts: Iterable[str]) -> None:
    watching: set[str] | None = conn.info.get(_HOSTS_KEY)
    if watching is not None:
        watching.update(hosts)


@dataclass
class _Gathered:
    """The pending changes of the queues."""

    noted: dict[tuple[str, str, int], tuple[float, int]] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)
    keys: set[int] = field(default_factory=set)


@contextmanager
def gathered(conn: Connection) -> Iterator[None]:
    """Apply the changes of :func:`note` and :func:`refresh` inside the block at its end, once for each queue.

    Until then the rows of ``queues`` are out of date.
    """
    info = conn.info
    changes = info[_GATHERED_KEY] = _Gathered()
    try:
        yield
    finally:
        info.pop(_GATHERED_KEY, None)
    touched, hosts_noted = sorted(changes.hosts), {host for host, _, _ in changes.noted}
    _changed(conn, changes.hosts | hosts_noted)
    noted = [
        {"host": host, "site": site, "queue": queue, "due_at": due_at, "top_priority": top}
        for (host, site, queue), (due_at, top) in sorted(changes.noted.items())
    ]
    with pipelined(conn):
        _ADD_OF_URL.change_many(conn, [{"key": key} for key in sorted(changes.keys)])
        if touched and conn.dialect.name == "postgresql":  # all in one order: two writers seldom deadlock
            _LOCK.change(conn, {"keys": sorted(changes.hosts | hosts_noted)})
        _NOTE.change(conn, noted)
        _REFRESH.change_many(conn, [{"host": host} for host in touched])


def note(conn: Connection, rows: Iterable[tuple[str, str, int, float, int]]) -> None:
    """Take into account rows (host, site, queue, due_at, priority of ``urls``) that were put into a queue."""
    gathering: _Gathered | None = conn.info.get(_GATHERED_KEY)
    if gathering is None:
        with gathered(conn):
            note(conn, rows)
        return
    for host, site, queue, due_at, priority in rows:
        place = priority - REVISITS_LOWERED if queue == AGED else priority
        earliest, top = gathering.noted.get((host, site, queue), (due_at, place))
        gathering.noted[host, site, queue] = min(earliest, due_at), max(top, place)


def refresh(conn: Connection, hosts: Iterable[str], keys: Iterable[int] = ()) -> None:
    """Recompute the rows of these hosts, after ``keys`` may have entered a queue for the first time.

    On PostgreSQL the rows are locked first. Whoever puts a URL into a queue changes its row: either that is committed
    by then and the next statement sees the URL, or the other writer waits and takes the URL into account after us.
    """
    gathering: _Gathered | None = conn.info.get(_GATHERED_KEY)
    if gathering is not None:
        gathering.hosts.update(hosts)
        gathering.keys.update(keys)
        return
    with gathered(conn):
        refresh(conn, hosts, keys)


def open_at(conn: Connection, hosts: Iterable[str], moment: float) -> None:
    """Let the queues of these hosts be claimed from this moment on, unless they already may be earlier."""
    touched = sorted(set(hosts))
    _changed(conn, touched)
    _OPEN.change_many(conn, [{"host": host, "moment": moment} for host in touched])


def shut(conn: Connection, hosts: Iterable[str], until: float) -> None:
    """Let no queue of these hosts be claimed before ``until``."""
    touched = sorted(set(hosts))
    _changed(conn, touched)
    _SHUT.change_many(conn, [{"host": host, "until": until} for host in touched])
