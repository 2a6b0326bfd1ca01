"""The embedded frontier: the ledger's own tables say what is due, the one writer makes every step atomic."""

from __future__ import annotations

import random
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Row

from newsspider.core.model import Kind, Lease, Offer, RobotsText, Settlement, State
from newsspider.core.robots import CLOSED_SECONDS, asked_again_at
from newsspider.core.url import url_key
from newsspider.store import ledger, queues
from newsspider.store.statement import Statement, among, rows_among
from newsspider.store.tables import SUSPECT_DEATHS
from newsspider.store.writer import Writer

T = TypeVar("T")

SUSPECT_ROBOTS_SECONDS = 1.0  # until a host is looked at again whose robots.txt must be claimed alone
WAITED_SHARE = 8  # one of so many hosts is the one that waited longest, so that the lowest priority never starves
REVISITS_COMPARED = 32  # of the pages longest overdue on a host, the best priority goes first

_URL = """
    key, url, host, kind, site, channel, depth, anchor, priority, lease_token, due_at, failures, fetch_count, etag,
    last_modified, body_hash, hops, update_cycle, carried, state, last_fetched_at, deaths,
    EXISTS (SELECT 1 FROM article_urls a WHERE a.key = u.key) AS had_article
"""
# The queues that seem ready, best priority first, each with its host and the page whose turn it is. The plus keeps the
# planner on ix_urls_waiting, which has the rows in this order.
_READY = f"""
    SELECT q.host, q.site, q.queue, q.due_at, h.next_at, h.paused_until, h.busy_key, h.latency, h.failures, h.robots_status,
           h.robots_fetched_at, h.address, a.address AS shared, a.next_at AS address_next_at, a.busy_key AS address_busy,
           CASE WHEN q.queue = 0 THEN
               (SELECT key FROM urls u WHERE u.host = q.host AND u.site = q.site AND u.queue = 0 AND +u.due_at <= :now
                ORDER BY u.priority DESC, u.due_at, u.found_at LIMIT 1)
           ELSE
               (SELECT key FROM
                    (SELECT u.key, u.priority, u.due_at FROM urls u
                     WHERE u.host = q.host AND u.site = q.site AND u.queue = 1 AND u.due_at <= :revisit_before
                     ORDER BY u.due_at LIMIT {REVISITS_COMPARED}) overdue
                ORDER BY priority DESC, due_at LIMIT 1)
           END AS best
    FROM (SELECT host, site, queue, top, due_at FROM queues
          WHERE gate <= :now AND due_at <= CASE WHEN queue = 0 THEN :now ELSE :revisit_before END {{of_sites}}
          ORDER BY {{order}} LIMIT :count) q
    JOIN hosts h ON h.host = q.host LEFT JOIN addresses a ON a.address = h.address
    ORDER BY q.top DESC, q.due_at
"""
BEST, WAITED = "{q}top DESC, {q}due_at", "{q}due_at, {q}top DESC"
_READY_OF_ALL = {order: Statement(_READY.format(of_sites="", order=order.format(q=""))) for order in (BEST, WAITED)}
_READY_OF_SITES = {order: _READY.format(of_sites="AND site IN ({keys})", order=order.format(q="")) for order in (BEST, WAITED)}
_READY_OF_HOSTS = _READY.format(of_sites="AND host IN ({keys})", order=BEST.format(q=""))
# On PostgreSQL a claim locks the rows of the hosts that it looks at and passes over those that others hold. Nobody leases a
# page without the row of its host, so what the next statement sees of their pages is what may be leased.
_LOCK_READY = """
    SELECT h.host FROM queues q JOIN hosts h ON h.host = q.host
    WHERE q.gate <= :now AND q.due_at <= CASE WHEN q.queue = 0 THEN :now ELSE :revisit_before END {of_sites}
    ORDER BY {order} LIMIT :count [FOR UPDATE OF h SKIP LOCKED]
"""
_LOCK_READY_OF_ALL = {order: Statement(_LOCK_READY.format(of_sites="", order=order.format(q="q."))) for order in (BEST, WAITED)}
_LOCK_READY_OF_SITES = {
    order: _LOCK_READY.format(of_sites="AND q.site IN ({keys})", order=order.format(q="q.")) for order in (BEST, WAITED)
}
_LOCK_HOSTS = "SELECT host FROM hosts WHERE host IN ({keys}) [FOR UPDATE SKIP LOCKED]"
_PAGES = f"SELECT {_URL} FROM urls u WHERE key IN ({{keys}}) [AND queue IN (0, 1) FOR UPDATE OF u SKIP LOCKED]"
_SUSPECTS = Statement(f"SELECT {_URL} FROM urls u WHERE queue = 2 AND due_at <= :now ORDER BY due_at LIMIT 16")
_BY_KEY = Statement(f"SELECT {_URL} FROM urls u WHERE key = :key [FOR UPDATE OF u]")
_HELD = Statement("SELECT deaths FROM urls WHERE state = 'processing' AND lease_worker = :worker")
_HOST = Statement(
    """
    SELECT h.*, a.address AS shared FROM hosts h LEFT JOIN addresses a ON a.address = h.address
    WHERE h.host = :host [FOR UPDATE OF h SKIP LOCKED]
    """
)
_TAKE_HOST = Statement(
    "UPDATE hosts SET busy_key = :key, busy_until = :ends_at WHERE host = :host AND busy_key IS NULL"
)
_TAKE = Statement(
    """
    UPDATE urls SET lease_state = state, state = 'processing', lease_worker = :worker, lease_token = lease_token + 1,
                    lease_ends_at = :ends_at
    WHERE key = :key AND lease_token = :token AND state <> 'processing'
    """
)
_ADD_ROBOTS = Statement(
    """
    INSERT INTO urls (key, url, host, site, channel, kind, state, reason, priority, found_at, due_at)
    VALUES (:key, :url, :host, :site, '', 'robots', 'waiting', 'found', :priority, :now, :now)
    ON CONFLICT (key) DO NOTHING
    """
)
# Of the hosts at one address, the one that was not asked for the longest time has its turn.
_NEIGHBOUR = Statement(
    """
    SELECT h.host FROM hosts h
    WHERE h.address = :address AND h.busy_key IS NULL AND h.next_at <= :now AND h.paused_until <= :now AND EXISTS
        (SELECT 1 FROM queues q WHERE q.host = h.host AND q.gate <= :now
         AND q.due_at <= CASE WHEN q.queue = 0 THEN :now ELSE :revisit_before END)
    ORDER BY COALESCE(h.last_visit_at, 0), h.host LIMIT 1
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
        self, writer: Writer, worker: str, lease_seconds: float, clock: Callable[[], float] = time.time,
        chance: Callable[[], float] = random.random,
    ) -> None:  # fmt: skip
        self.writer = writer
        self.worker = worker
        self.lease_seconds = lease_seconds
        self.clock = clock
        self.chance = chance

    async def run(self, job: Callable[[Connection], T]) -> T:
        return await self.writer.run(job)

    async def offer(self, offers: Iterable[Offer]) -> int:
        return await self.run(partial(ledger.offer, offers=tuple(offers), now=self.clock()))

    async def claim(
        self, n: int, now: float, *, sites: Set[str] | None = None, revisit_before: float | None = None
    ) -> list[Lease]:
        return await self._claim(n, now, sites, revisit_before)

    async def _claim(
        self, n: int, now: float, sites: Set[str] | None, revisit_before: float | None, hosts: Sequence[str] | None = None
    ) -> list[Lease]:
        step = partial(
            claim, worker=self.worker, n=n, now=now, lease_seconds=self.lease_seconds, sites=sites,
            revisit_before=revisit_before, hosts=hosts, luck=self.chance(),
        )  # fmt: skip
        return await self.run(step)

    async def settle(self, lease: Lease, settlement: Settlement) -> bool:
        return await self.run(partial(ledger.settle, lease=lease, settlement=settlement))

    async def release(self, lease: Lease) -> bool:
        return await self.run(partial(ledger.release, lease=lease))

    async def release_worker(self) -> int:
        return await self.run(partial(ledger.release_worker, worker=self.worker))

    async def extend(self, lease: Lease) -> Lease | None:
        return await self.run(partial(extend, lease=lease, ends_at=self.clock() + self.lease_seconds))

    async def counts(self) -> dict[State, int]:
        return await self.writer.run(ledger.counts)

    async def close(self) -> None:
        """Nothing to close: the writer is its user's."""

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
    hosts: Sequence[str] | None = None,
    luck: float = 0.0,
) -> list[Lease]:
    """At most ``n`` leases for a worker, one a host, as :class:`~newsspider.frontier.protocol.Frontier` has it.

    With ``hosts``, only these are looked at. ``luck``, from 0 to below 1, decides on the remainder of the share of hosts that
    are drawn because they waited long.

    A host whose robots.txt is unknown or too old gets a lease for that first. A page suspected of killing workers is
    leased only to a worker that holds nothing else, and nothing else is leased to it meanwhile.
    """
    ledger.expire(conn, now)
    turn = _Turn(now, now if revisit_before is None else min(now, revisit_before), now + lease_seconds, worker)
    held = [row.deaths for row in _HELD.run(conn, {"worker": worker})]
    if any(deaths >= SUSPECT_DEATHS for deaths in held):
        return []
    leases = [] if held else turn.suspect(conn, sites)
    return leases or turn.leases(conn, n, None if sites is None else sorted(sites), hosts, luck)


def extend(conn: Connection, lease: Lease, ends_at: float) -> Lease | None:
    """The lease with a new end; ``None`` if it is no longer in force."""
    if not _EXTEND.change(conn, {"key": lease.key, "token": lease.token, "ends_at": ends_at}):
        return None
    _EXTEND_HOST.change(conn, {"host": lease.host, "key": lease.key, "ends_at": ends_at})
    queues.shut(conn, [lease.host], ends_at)
    return replace(lease, ends_at=ends_at)


class _Turn:
    """The moment and the worker of one claim."""

    __slots__ = ("ends_at", "now", "revisit_before", "worker")

    def __init__(self, now: float, revisit_before: float, ends_at: float, worker: str) -> None:
        self.now = now
        self.revisit_before = revisit_before
        self.ends_at = ends_at
        self.worker = worker

    def leases(
        self, conn: Connection, n: int, sites: list[str] | None, hosts: Sequence[str] | None, luck: float
    ) -> list[Lease]:
        """Leases on the best pages of the hosts drawn; a queue's row that promised too much is set right.

        The front queues of Mercator (Heydon and Najork 1999), drawn by chance with a bias: where more hosts are ready than
        are wanted, one in :data:`WAITED_SHARE` is the one that waited longest, the others are those of the best priority;
        and of several queues of one host, the one that waited longest has one turn in so many.
        """
        looked: set[Any] = set()  # (host, site, queue)
        waited = int(n / WAITED_SHARE + luck) if hosts is None else 0
        leases = self._drawn(conn, n - waited, BEST, sites, hosts, looked, luck)
        if len(leases) == n - waited:  # else all that are ready had their turn
            leases += self._drawn(conn, waited, WAITED, sites, hosts, looked, luck)
        return leases

    def _drawn(
        self, conn: Connection, n: int, order: str, sites: list[str] | None, hosts: Sequence[str] | None, looked: set[Any],
        luck: float,
    ) -> list[Lease]:  # fmt: skip
        leases: list[Lease] = []
        while len(leases) < n:
            ready = self._ready(conn, n - len(leases), order, sites, hosts)
            fresh = [row for row in ready if tuple(row[:3]) not in looked]
            if not fresh:
                break
            looked.update(tuple(row[:3]) for row in fresh)
            leases += self._taken(conn, self._in_turn(conn, _patient(fresh, luck), sites))
        return leases

    def _in_turn(self, conn: Connection, rows: Sequence[Row[Any]], sites: list[str] | None) -> Sequence[Row[Any]]:
        """The rows, those of shared addresses behind the row of the neighbour whose turn it is."""
        found = list(rows)
        for address in dict.fromkeys(row.shared for row in rows if row.shared is not None):
            host = _NEIGHBOUR.run(
                conn, {"address": address, "now": self.now, "revisit_before": self.revisit_before}
            ).scalar()
            if host is not None and all(row.host != host for row in found):
                found = [*self._ready(conn, 1, BEST, sites, [host]), *found]
            found.sort(key=lambda row: row.shared == address and row.host != host)
        return found[: len(rows)]

    def suspect(self, conn: Connection, sites: Set[str] | None) -> list[Lease]:
        """The lease on one page that is suspected of killing workers, if one is due."""
        for found in _SUSPECTS.run(conn, {"now": self.now}).all():
            if sites is not None and found.site not in sites:
                continue
            host = _HOST.run(conn, {"host": found.host}).first()
            if host is not None and self._open(host):
                page = _BY_KEY.run(conn, {"key": found.key}).first()
                if page is not None and page.lease_token == found.lease_token and self._has_turn(conn, page, host):
                    return self._leased(conn, [(page, host)])
        return []

    def _ready(
        self, conn: Connection, count: int, order: str, sites: list[str] | None, hosts: Sequence[str] | None
    ) -> Sequence[Row[Any]]:
        values = {"now": self.now, "revisit_before": self.revisit_before, "count": count}
        if conn.dialect.name == "postgresql":
            hosts = _locked(conn, values, order, sites, hosts)
        if hosts is not None:
            watched = None if sites is None else set(sites)
            values["count"] = 16 * len(hosts)
            found = rows_among(conn, _READY_OF_HOSTS, hosts, values)
            return [row for row in found if watched is None or row.site in watched]
        if sites is None:
            return _READY_OF_ALL[order].run(conn, values).all()
        if not sites:
            return []
        statement, names = among(_READY_OF_SITES[order], sites)
        return statement.run(conn, values | names).all()

    def _taken(self, conn: Connection, rows: Sequence[Row[Any]]) -> list[Lease]:
        """Leases on what these queues have, the first queue of a host first."""
        pages = {page.key: page for page in rows_among(conn, _PAGES, [row.best for row in rows if row.best is not None])}
        taken: dict[str, tuple[Row[Any], Row[Any]]] = {}
        wrong: list[str] = []
        elsewhere: dict[str, float] = {}  # hosts whose address is another host's now, and until when
        for row in rows:
            page = pages.get(row.best) if self._open(row) else None
            if page is not None and row.host not in taken:
                page = self._robots_first(conn, page, row)
                if page is not None:
                    if self._has_turn(conn, page, row):
                        taken[row.host] = (page, row)
                    else:
                        waits = row.address_busy is None and row.address_next_at > self.now
                        elsewhere[row.host] = row.address_next_at if waits else self.now + ledger.LOOK_SECONDS
                    continue
            wrong.append(row.host)
        leases = self._leased(conn, list(taken.values()))
        queues.refresh(conn, wrong)
        for host, until in elsewhere.items():
            queues.shut(conn, [host], until)
        return leases

    def _open(self, host: Row[Any]) -> bool:
        return host.busy_key is None and host.next_at <= self.now and host.paused_until <= self.now

    def _has_turn(self, conn: Connection, page: Row[Any], host: Row[Any]) -> bool:
        """Whether the address of a host may be asked, and is asked for this page from now on."""
        return host.shared is None or ledger.take(conn, host.shared, page.key, self.now)

    def _robots_first(self, conn: Connection, page: Row[Any], host: Row[Any]) -> Row[Any] | None:
        """The page, or the robots.txt that must be read before; ``None`` if that is not due yet."""
        if page.kind == Kind.ROBOTS or not _robots_needed(host, self.now):
            return page
        robots = self._robots_row(conn, page)
        if robots.state != State.WAITING and (robots.last_fetched_at or 0) > self.now - CLOSED_SECONDS:
            return page  # it was asked for and gave nothing: what follows is not the ledger's to say
        if robots.deaths >= SUSPECT_DEATHS or (robots.due_at or 0) > self.now:
            until = max(robots.due_at or 0, self.now + SUSPECT_ROBOTS_SECONDS)
            _WAIT.change(conn, {"host": page.host, "until": until})
            return None
        return robots

    def _robots_row(self, conn: Connection, page: Row[Any]) -> Row[Any]:
        url = f"{page.url.split('://')[0]}://{page.host}/robots.txt"
        values = {"key": url_key(url), "url": url, "host": page.host, "site": page.site, "priority": page.priority}
        _ADD_ROBOTS.change(conn, values | {"now": self.now})
        row: Row[Any] = _BY_KEY.run(conn, values).one()
        return row

    def _leased(self, conn: Connection, taken: Sequence[tuple[Row[Any], Row[Any]]]) -> list[Lease]:
        """Leases on these pages of hosts that are open."""
        rows = [
            {"key": page.key, "host": page.host, "worker": self.worker, "token": page.lease_token, "ends_at": self.ends_at}
            for page, _ in taken
        ]
        if _TAKE_HOST.change_many(conn, rows) != len(rows) or _TAKE.change_many(conn, rows) != len(rows):
            raise RuntimeError("the ledger changed under a claim")  # rolled back; claims exclude each other
        queues.shut(conn, [page.host for page, _ in taken], self.ends_at)
        return [self._lease(page, host) for page, host in taken]

    def _lease(self, page: Row[Any], host: Row[Any]) -> Lease:
        return Lease(
            key=page.key, url=page.url, host=page.host, kind=Kind(page.kind), site=page.site, channel=page.channel,
            depth=page.depth, anchor=page.anchor, priority=page.priority, worker=self.worker, token=page.lease_token + 1,
            ends_at=self.ends_at, due_at=self.now if page.due_at is None else page.due_at, failures=page.failures,
            fetch_count=page.fetch_count, etag=page.etag, last_modified=page.last_modified, body_hash=page.body_hash,
            hops=page.hops, update_cycle=page.update_cycle, had_article=bool(page.had_article),
            host_latency=host.latency, host_failures=host.failures, robots_at=host.robots_fetched_at,
            address=host.address, carried=page.carried,
        )  # fmt: skip


def _locked(
    conn: Connection, values: dict[str, Any], order: str, sites: list[str] | None, hosts: Sequence[str] | None
) -> Sequence[str]:
    """The hosts of the queues that seem ready, or of these, which nobody else looks at now."""
    if hosts is not None:
        found = rows_among(conn, _LOCK_HOSTS, hosts)
    elif sites is None:
        found = _LOCK_READY_OF_ALL[order].run(conn, values)
    elif sites:
        statement, names = among(_LOCK_READY_OF_SITES[order], sites)
        found = statement.run(conn, values | names)
    else:
        found = []
    return list(dict.fromkeys(row.host for row in found))


def _patient(rows: Sequence[Row[Any]], luck: float) -> Sequence[Row[Any]]:
    """The rows, of one host in :data:`WAITED_SHARE` the queue that waited longest before its others."""
    queues_of = Counter(row.host for row in rows)
    lucky = {
        host
        for host, count in queues_of.items()
        if count > 1 and (luck + zlib.crc32(host.encode()) / 2**32) % 1 < 1 / WAITED_SHARE
    }
    if not lucky:
        return rows
    longest = {host: min((row.due_at, n) for n, row in enumerate(rows) if row.host == host)[1] for host in lucky}
    return sorted(rows, key=lambda row: row.host in lucky and row is not rows[longest[row.host]])


def _robots_needed(host: Row[Any], now: float) -> bool:
    if host.robots_fetched_at is None:
        return True
    return asked_again_at(RobotsText(host.robots_status, b"", host.robots_fetched_at)) <= now
