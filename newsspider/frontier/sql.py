"""The embedded frontier: the ledger's own tables say what is due, the one writer makes every step atomic."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row

from newsspider.core.model import Kind, Lease, Offer, Settlement, State
from newsspider.core.url import url_key
from newsspider.store import ledger, queues
from newsspider.store.statement import Statement, among
from newsspider.store.tables import SUSPECT_DEATHS
from newsspider.store.writer import Writer

ROBOTS_SECONDS = 24 * 3600.0  # a robots.txt that was read is good for so long (RFC 9309, section 2.4)
ROBOTS_AGAIN_SECONDS = 3600.0  # one that could not be had is asked for again then
SUSPECT_ROBOTS_SECONDS = 1.0  # until a host is looked at again whose robots.txt must be claimed alone
REVISITS_COMPARED = 32  # of the pages longest overdue on a host, the best priority goes first

_URL = """
    key, url, host, kind, site, channel, depth, anchor, priority, lease_token, due_at, failures, fetch_count, etag,
    last_modified, body_hash, hops, update_cycle, state, last_fetched_at, deaths,
    EXISTS (SELECT 1 FROM article_urls a WHERE a.key = u.key) AS had_article
"""
_READY = """
    SELECT q.host, q.site, q.queue FROM queues q
    WHERE q.gate <= :now AND q.due_at <= CASE WHEN q.queue = 0 THEN :now ELSE :revisit_before END {of_sites}
    ORDER BY q.top DESC, q.due_at LIMIT :count
"""
_READY_OF_ALL = Statement(_READY.format(of_sites=""))
_READY_OF_SITES = _READY.format(of_sites="AND q.site IN ({keys})")
# The plus keeps the planner on ix_urls_waiting, which has the rows in this order.
_BEST_WAITING = Statement(
    f"""
    SELECT {_URL} FROM urls u WHERE host = :host AND site = :site AND queue = 0 AND +due_at <= :now
    ORDER BY priority DESC, due_at, found_at LIMIT 1
    """
)
_BEST_REVISIT = Statement(
    f"""
    SELECT {_URL} FROM
        (SELECT * FROM urls WHERE host = :host AND site = :site AND queue = 1 AND due_at <= :now
         ORDER BY due_at LIMIT {REVISITS_COMPARED}) u
    ORDER BY priority DESC, due_at LIMIT 1
    """
)
_SUSPECTS = Statement(f"SELECT {_URL} FROM urls u WHERE queue = 2 AND due_at <= :now ORDER BY due_at LIMIT 16")
_BY_KEY = Statement(f"SELECT {_URL} FROM urls u WHERE key = :key")
_HELD = Statement("SELECT deaths FROM urls WHERE state = 'processing' AND lease_worker = :worker")
_HOST = Statement("SELECT * FROM hosts WHERE host = :host")
_TAKE_HOST = Statement(
    """
    UPDATE hosts SET busy_key = :key, busy_until = :ends_at
    WHERE host = :host AND busy_key IS NULL AND next_at <= :now AND paused_until <= :now
    """
)
_TAKE = Statement(
    """
    UPDATE urls SET lease_state = state, state = 'processing', lease_worker = :worker, lease_token = :token,
                    lease_ends_at = :ends_at
    WHERE key = :key AND lease_token = :token - 1 AND state <> 'processing'
    """
)
_ADD_ROBOTS = Statement(
    """
    INSERT INTO urls (key, url, host, site, channel, kind, state, reason, priority, found_at, due_at)
    VALUES (:key, :url, :host, :site, '', 'robots', 'waiting', 'found', :priority, :now, :now)
    ON CONFLICT (key) DO NOTHING
    """
)
_WAIT = Statement("UPDATE hosts SET next_at = :until WHERE host = :host AND next_at < :until")
_EXTEND = Statement(
    "UPDATE urls SET lease_ends_at = :ends_at WHERE key = :key AND lease_token = :token AND state = 'processing'"
)
_EXTEND_HOST = Statement("UPDATE hosts SET busy_until = :ends_at WHERE host = :host AND busy_key = :key")


class SqlFrontier:
    """A :class:`~newsspider.frontier.protocol.Frontier` for one worker, on the store of its writer."""

    def __init__(
        self, writer: Writer, worker: str, lease_seconds: float, clock: Callable[[], float] = time.time
    ) -> None:
        self.writer = writer
        self.worker = worker
        self.lease_seconds = lease_seconds
        self.clock = clock

    async def offer(self, offers: Iterable[Offer]) -> int:
        return await self.writer.run(partial(ledger.offer, offers=tuple(offers), now=self.clock()))

    async def claim(
        self, n: int, now: float, *, sites: Set[str] | None = None, revisit_before: float | None = None
    ) -> list[Lease]:
        step = partial(
            claim, worker=self.worker, n=n, now=now, lease_seconds=self.lease_seconds, sites=sites,
            revisit_before=revisit_before,
        )  # fmt: skip
        return await self.writer.run(step)

    async def settle(self, lease: Lease, settlement: Settlement) -> bool:
        return await self.writer.run(partial(ledger.settle, lease=lease, settlement=settlement))

    async def release(self, lease: Lease) -> bool:
        return await self.writer.run(partial(ledger.release, lease=lease))

    async def release_worker(self) -> int:
        return await self.writer.run(partial(ledger.release_worker, worker=self.worker))

    async def extend(self, lease: Lease) -> Lease | None:
        return await self.writer.run(partial(extend, lease=lease, ends_at=self.clock() + self.lease_seconds))

    async def counts(self) -> dict[State, int]:
        return await self.writer.run(ledger.counts)

    async def next_due(self, revisit_before: float | None = None, *, sites: Set[str] | None = None) -> float | None:
        return await self.writer.run(partial(ledger.next_due, revisit_before=revisit_before, sites=sites))


def claim(
    conn: Connection,
    worker: str,
    n: int,
    now: float,
    lease_seconds: float,
    *,
    sites: Set[str] | None = None,
    revisit_before: float | None = None,
) -> list[Lease]:
    """At most ``n`` leases for a worker, one a host, as :class:`~newsspider.frontier.protocol.Frontier` has it.

    A host whose robots.txt is unknown or too old gets a lease for that first. A page suspected of killing workers is
    leased only to a worker that holds nothing else, and nothing else is leased to it meanwhile.
    """
    ledger.expire(conn, now)
    due = _Due(now, now if revisit_before is None else min(now, revisit_before), now + lease_seconds, worker)
    held = [row.deaths for row in _HELD.run(conn, {"worker": worker})]
    if any(deaths >= SUSPECT_DEATHS for deaths in held):
        return []
    if not held:
        for suspect in _SUSPECTS.run(conn, {"now": now}).all():
            if sites is None or suspect.site in sites:
                lease = due.leased(conn, suspect)
                if lease is not None:
                    return [lease]
    return _leases(conn, due, n, None if sites is None else sorted(sites))


def extend(conn: Connection, lease: Lease, ends_at: float) -> Lease | None:
    """The lease with a new end; ``None`` if it is no longer in force."""
    if not _EXTEND.change(conn, {"key": lease.key, "token": lease.token, "ends_at": ends_at}):
        return None
    _EXTEND_HOST.change(conn, {"host": lease.host, "key": lease.key, "ends_at": ends_at})
    queues.shut(conn, [lease.host], ends_at)
    return replace(lease, ends_at=ends_at)


def _leases(conn: Connection, due: _Due, n: int, sites: list[str] | None) -> list[Lease]:
    leases: list[Lease] = []
    looked: set[tuple[str, str, int]] = set()
    while len(leases) < n:
        values = {"now": due.now, "revisit_before": due.revisit_before, "count": n - len(leases)}
        if sites is None:
            rows = _READY_OF_ALL.run(conn, values).all()
        elif sites:
            statement, names = among(_READY_OF_SITES, sites)
            rows = statement.run(conn, values | names).all()
        else:
            return leases
        fresh = [row for row in rows if tuple(row) not in looked]
        if not fresh:
            return leases
        for row in fresh:
            looked.add(tuple(row))
            lease = due.best(conn, row.host, row.site, row.queue)
            if lease is None:
                queues.refresh(conn, [row.host])  # its row promised too much
            else:
                leases.append(lease)
    return leases


class _Due:
    """The moment and the worker of one claim."""

    __slots__ = ("ends_at", "now", "revisit_before", "worker")

    def __init__(self, now: float, revisit_before: float, ends_at: float, worker: str) -> None:
        self.now = now
        self.revisit_before = revisit_before
        self.ends_at = ends_at
        self.worker = worker

    def best(self, conn: Connection, host: str, site: str, queue: int) -> Lease | None:
        """A lease on the best due page of a queue, if there is one and its host may be asked."""
        if queue == queues.WAITING:
            found = _BEST_WAITING.run(conn, {"host": host, "site": site, "now": self.now}).first()
        else:
            found = _BEST_REVISIT.run(conn, {"host": host, "site": site, "now": self.revisit_before}).first()
        return None if found is None else self.leased(conn, found)

    def leased(self, conn: Connection, page: Row[Any]) -> Lease | None:
        """The lease on this page, or on the robots.txt that must be read before."""
        host = _HOST.run(conn, {"host": page.host}).one()
        if page.kind != Kind.ROBOTS and _robots_needed(host, self.now):
            robots = self._robots_row(conn, page)
            tried = robots.last_fetched_at is not None and robots.last_fetched_at > self.now - ROBOTS_AGAIN_SECONDS
            if robots.state == State.WAITING or not tried:
                if robots.deaths >= SUSPECT_DEATHS or (robots.due_at or 0) > self.now:
                    until = max(robots.due_at or 0, self.now + SUSPECT_ROBOTS_SECONDS)
                    _WAIT.change(conn, {"host": page.host, "until": until})
                    return None
                page = robots
        values = {"key": page.key, "host": page.host, "now": self.now, "ends_at": self.ends_at}
        if not _TAKE_HOST.change(conn, values):
            return None
        token = page.lease_token + 1
        if not _TAKE.change(conn, values | {"worker": self.worker, "token": token}):
            raise RuntimeError(f"the ledger changed under a claim of {page.url}")  # the host's row is locked by us
        queues.shut(conn, [page.host], self.ends_at)
        return self._lease(page, token, host)

    def _robots_row(self, conn: Connection, page: Row[Any]) -> Row[Any]:
        url = f"{page.url.split('://')[0]}://{page.host}/robots.txt"
        values = {"key": url_key(url), "url": url, "host": page.host, "site": page.site, "priority": page.priority}
        _ADD_ROBOTS.change(conn, values | {"now": self.now})
        return _BY_KEY.run(conn, values).one()

    def _lease(self, page: Row[Any], token: int, host: Row[Any]) -> Lease:
        return Lease(
            key=page.key, url=page.url, host=page.host, kind=Kind(page.kind), site=page.site, channel=page.channel,
            depth=page.depth, anchor=page.anchor, priority=page.priority, worker=self.worker, token=token,
            ends_at=self.ends_at, due_at=self.now if page.due_at is None else page.due_at, failures=page.failures,
            fetch_count=page.fetch_count, etag=page.etag, last_modified=page.last_modified, body_hash=page.body_hash,
            hops=page.hops, update_cycle=page.update_cycle, had_article=bool(page.had_article),
            host_latency=host.latency, host_failures=host.failures,
        )  # fmt: skip


def _robots_needed(host: Row[Any], now: float) -> bool:
    if host.robots_fetched_at is None:
        return True
    read = host.robots_status is not None and host.robots_status < 500
    return bool(host.robots_fetched_at <= now - (ROBOTS_SECONDS if read else ROBOTS_AGAIN_SECONDS))
