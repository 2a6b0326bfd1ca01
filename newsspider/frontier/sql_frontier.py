"""The frontier claims due URLs from the tables of the ledger: a lease for each host that was drawn, so that no two
workers fetch the same URL. Its robots.txt comes first, a page suspected of killing workers alone. The one writer makes
every step atomic. ``claim_order.py`` has the order; ``store/ledger/settlements.py`` gives back the pages of
workers that died."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Row

from newsspider.core.crawling.visit import Lease, Offer, Settlement
from newsspider.core.fetching.politeness import KnownResponse, is_distrusted
from newsspider.core.fetching.robots import CLOSED_SECONDS, RobotsText, asked_again_at
from newsspider.core.model import PageType, Reason, State
from newsspider.core.url import url_key
from newsspider.frontier.claim_order import BEST, NOT_OTHERS, OWN, WAITED, Ready, Whose, waited_turns
from newsspider.store import ledger, workers
from newsspider.store.engine.batch import OvertakingJob
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.engine.writer import Writer
from newsspider.store.ledger import due_times, queues
from newsspider.store.ledger.offers import row_of
from newsspider.store.tables import SUSPECT_DEATHS
from newsspider.store.workers import ASSIGN_SECONDS, Members

T = TypeVar("T")

LEFT_SECONDS = 1.0  # after which a host that its worker left waiting may be claimed from by any other
SUSPECT_ROBOTS_SECONDS = 1.0  # until a host is looked at again whose robots.txt must be claimed alone

_URL = """
    key, url, host, kind, site, channel, depth, anchor, priority, lease_token, due_at, failures, internal_errors,
    fetch_count, etag, last_modified, body_hash, bytes_hash, stale_validators, hops, update_cycle, strategy_state,
    partial_article, meta, state, reason, last_fetched_at, deaths, queue,
    (SELECT a.added_at FROM article_urls a WHERE a.key = u.key) AS stored_at,
    (SELECT a.published_ts FROM article_urls a WHERE a.key = u.key) AS published_at,
    (SELECT length(s.parts) > 2 FROM article_urls a JOIN articles s ON s.id = a.article_id WHERE a.key = u.key)
        AS in_parts,
    (SELECT l.topic FROM article_urls a JOIN articles s ON s.id = a.article_id
     JOIN labels l ON l.topic = s.topic AND l.key = a.key AND l.relevant WHERE a.key = u.key) AS accepted_for
"""
_PAGES = f"SELECT {_URL} FROM urls u WHERE key IN ({{keys}}) [AND queue IN (0, 1, 3) FOR UPDATE OF u SKIP LOCKED]"
_SUSPECTS = Statement(f"SELECT {_URL} FROM urls u WHERE queue = 2 AND due_at <= :now ORDER BY due_at LIMIT 16")
_BY_KEY = Statement(f"SELECT {_URL} FROM urls u WHERE key = :key [FOR UPDATE OF u]")
_IS_ROBOTS = Statement("UPDATE urls SET kind = 'robots' WHERE key = :key AND kind <> 'robots'")  # it was handed in
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
_WAIT = Statement("UPDATE hosts SET next_at = :until WHERE host = :host AND next_at < :until")
_EXTEND = Statement(
    "UPDATE urls SET lease_ends_at = :ends_at "
    "WHERE key = :key AND lease_token = :token AND lease_state IS NOT NULL RETURNING key"
)
_EXTEND_HOST = Statement("UPDATE hosts SET busy_until = :ends_at WHERE host = :host AND busy_key = :key")


class SqlFrontier:
    """The frontier of one worker, on the store of its writer. It hands out leases so that one worker at a time requests
    pages of a host, and only after the host's delay.

    A lease names its worker and expires. Whatever a worker does with an expired lease is refused.
    Every host belongs to one of the workers that share the crawl. Where they are ``assigned``, a worker claims from its
    own only; else also from those that their workers left waiting for :data:`LEFT_SECONDS`.
    """

    def __init__(
        self,
        writer: Writer,
        worker: str,
        lease_seconds: float,
        clock: Callable[[], float],
        chance: Callable[[], float] = random.random,
        *,
        assigned: bool = False,
    ) -> None:
        self.writer = writer
        self.worker = worker
        self.lease_seconds = lease_seconds
        self.clock = clock
        self.chance = chance
        self.assigned = assigned
        self.members = Members(worker, firm=assigned)
        self.looks_at_all = True  # a claim looks at every host; else, with ``settling``, at these only
        # what was left when the last claim got less than it asked for, at its moment
        self.rest: ledger.Remaining | None = None

    async def run(self, job: Callable[[Connection], T]) -> T:
        """Run a step of the ledger in a transaction."""
        return await self.writer.run(job)

    async def offer(self, offers: Iterable[Offer]) -> int:
        """Offer URLs to the ledger; returns how many were new."""
        return await self.run(partial(ledger.offer, offers=tuple(offers), now=self.clock()))

    async def claim(
        self,
        n: int,
        now: float,
        *,
        sites: Set[str] | None = None,
        revisit_before: float | None = None,
        settling: Sequence[str] = (),
    ) -> list[Lease]:
        """At most ``n`` leases, one a host, best priority first; of ``sites`` only, if given.

        Pages that were done before are claimed only if they became due up to ``revisit_before``; ``None``: up to now.
        ``settling`` are hosts whose leases end with the jobs that the writer got just before: the claim sees that.
        """
        return await self._claim(n, now, sites, revisit_before)

    async def _claim(
        self,
        n: int,
        now: float,
        sites: Set[str] | None,
        revisit_before: float | None,
        hosts: Sequence[str] | None = None,
        *,
        own: bool = False,
    ) -> list[Lease]:
        step = partial(
            self._claimed,
            n=n,
            now=now,
            sites=sites,
            revisit_before=revisit_before,
            hosts=hosts,
            random_number=self.chance(),
            whose=self._whose(now, own=own),
        )
        leases, self.rest = await self.run(OvertakingJob(step))  # a page that waits keeps its host busy
        return leases

    def _claimed(
        self, conn: Connection, n: int, now: float, sites: Set[str] | None, revisit_before: float | None, **options: Any
    ) -> tuple[list[Lease], ledger.Remaining | None]:
        if self.assigned:  # what is new or was left since the last beat is somebody's before anybody looks at it
            self.members.assign(conn, sites, now)
        limits: dict[str, Any] = {"sites": sites, "revisit_before": revisit_before}
        leases = claim(conn, self.worker, n, now, self.lease_seconds, **limits, **options)
        return leases, self._left(conn, **limits) if self.looks_at_all and len(leases) < n else None

    def _whose(self, now: float, *, own: bool = False) -> Whose:
        """The hosts that a claim may take; with ``own`` none that another worker left waiting."""
        if not self.assigned and self.members.alone:
            return Whose()
        kind = OWN if self.assigned or own else NOT_OTHERS
        return Whose(kind, self.worker, self.members.watching, now - LEFT_SECONDS)

    async def beat(self, now: float, *, sites: Set[str] | None = None) -> None:
        """Send the heartbeat of this worker, every two seconds, with the sites that it claims from: the workers share
        their hosts."""
        await self.run(partial(self.members.assign, sites=sites, now=now))

    def leave(self) -> None:
        """Stop claiming: the hosts of this worker go to others. It may still settle the leases that it holds."""
        if not self.members.has_left:
            self.members.has_left = True
            with suppress(StoreFailedError):
                self.writer.submit(partial(workers.leave, worker=self.worker))

    async def settle(self, lease: Lease, settlement: Settlement) -> bool:
        """Settle a lease; ``False`` if it is no longer in force."""
        return await self.run(partial(ledger.settle, lease=lease, settlement=settlement))

    async def release(self, lease: Lease) -> bool:
        """Release an unused lease; ``False`` if it is no longer in force."""
        return await self.run(partial(ledger.release, lease=lease))

    async def release_worker(self) -> int:
        """Release every lease of this worker, also those whose claim was never answered; returns how many."""
        self.leave()
        return await self.run(partial(ledger.release_worker, worker=self.worker))

    async def extend(self, leases: Iterable[Lease]) -> list[Lease]:
        """The same leases with a later end, without those that are no longer in force."""
        return await self.run(partial(extend, leases=tuple(leases), ends_at=self.clock() + self.lease_seconds))

    async def counts(self) -> dict[State, int]:
        """How many URLs are in each state."""
        return await self.writer.run(ledger.counts)

    async def close(self) -> None:
        """Close connections of its own: there are none. The writer belongs to the caller."""

    async def left(self, revisit_before: float | None = None, *, sites: Set[str] | None = None) -> ledger.Remaining:
        """When a claim may get something at the earliest, and whether other workers that live hold leases that this
        one could have claimed: what they lead to may still be left. Both are true of one moment."""
        job = OvertakingJob(partial(self._left, revisit_before=revisit_before, sites=sites))
        return await self.writer.run(job)  # pages that wait are leased, so they count

    def _left(self, conn: Connection, revisit_before: float | None, sites: Set[str] | None) -> ledger.Remaining:
        remaining = ledger.remaining(conn, self.worker, revisit_before=revisit_before, sites=sites)
        if remaining.due_at is None or (self.members.alone and not self.assigned):
            return remaining
        latest = math.inf if revisit_before is None else revisit_before
        own = workers.next_due(conn, self.worker, self.members.watching, latest, sites, free=not self.assigned)
        others = remaining.due_at + LEFT_SECONDS
        if self.assigned:
            others = max(remaining.due_at, self.clock() + ASSIGN_SECONDS)
        return remaining._replace(due_at=others if own is None else min(own, others))


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
    random_number: float = 0.0,
    whose: Whose = Whose(),  # noqa: B008 -- it cannot be changed
) -> list[Lease]:
    """At most ``n`` leases for a worker, one a host, as :class:`~newsspider.frontier.sql_frontier.SqlFrontier` has it.

    With ``hosts`` the claim looks at these only, else at those that ``whose`` allows. ``random_number`` (0 to below 1)
    decides about the fraction of a host in the share that is drawn because it waited long.

    A host whose robots.txt is unknown or too old gets a lease for that first. A page suspected of killing workers is
    leased only to a worker that holds nothing else, and nothing else is leased to it meanwhile.
    """
    ledger.expire(conn, now)
    latest = now if revisit_before is None else min(now, revisit_before)
    ready = Ready(now, latest, random_number, None if sites is None else sorted(sites), hosts, whose)
    turn = _Turn(now, now + lease_seconds, worker, ready)
    held_deaths = [row.deaths for row in _HELD.run(conn, {"worker": worker})]
    if any(deaths >= SUSPECT_DEATHS for deaths in held_deaths):
        return []
    leases = [] if held_deaths else turn.suspect(conn, sites)
    return leases or turn.leases(conn, n)


def extend(conn: Connection, leases: Sequence[Lease], ends_at: float) -> list[Lease]:
    """These leases with a later end, without those that are no longer in force."""
    rows = [{"key": lease.key, "token": lease.token, "host": lease.host, "ends_at": ends_at} for lease in leases]
    extended = _EXTEND.run_each(conn, rows)
    ours = [replace(lease, ends_at=ends_at) for lease, is_ours in zip(leases, extended, strict=True) if is_ours]
    _EXTEND_HOST.change_many(conn, [{"host": lease.host, "key": lease.key, "ends_at": ends_at} for lease in ours])
    queues.shut(conn, [lease.host for lease in ours], ends_at)
    return ours


@dataclass(frozen=True, slots=True)
class _Turn:
    """The moment and the worker of one claim, and what is ready then."""

    now: float
    ends_at: float
    worker: str
    ready: Ready

    def leases(self, conn: Connection, n: int) -> list[Lease]:
        """Leases on the best pages of the hosts drawn. Rows of queues that turn out to be wrong are corrected."""
        # of given hosts none: those that waited were drawn before
        waited = waited_turns(n, self.ready.random_number) if self.ready.hosts is None else 0
        leases = self._drawn(conn, n - waited, BEST)
        if len(leases) == n - waited:  # else all that are ready had their turn
            leases += self._drawn(conn, waited, WAITED)
        return leases

    def _drawn(self, conn: Connection, n: int, order: str) -> list[Lease]:
        leases: list[Lease] = []
        while len(leases) < n and (rows := self.ready.draw(conn, n - len(leases), order)):
            leases += self._taken(conn, rows)
        return leases

    def suspect(self, conn: Connection, sites: Set[str] | None) -> list[Lease]:
        """The lease on one page that is suspected of killing workers, if one is due."""
        for silent in _SUSPECTS.run(conn, {"now": self.now}):
            if (sites is not None and silent.site not in sites) or not self.ready.may_have(conn, silent.host):
                continue
            host = _HOST.run(conn, {"host": silent.host}).first()
            if host is not None and self._open(host):
                page = _BY_KEY.run(conn, {"key": silent.key}).first()
                if page is not None and page.lease_token == silent.lease_token and self._has_turn(conn, page, host):
                    return self._leased(conn, [(page, host)])
        return []

    def _taken(self, conn: Connection, rows: Sequence[Row[Any]]) -> list[Lease]:
        """Leases on what these queues have, the first queue of a host first."""
        pages = {
            page.key: page for page in rows_among(conn, _PAGES, [row.best for row in rows if row.best is not None])
        }
        chosen: dict[str, tuple[Row[Any], Row[Any]]] = {}
        wrong: list[str] = []
        elsewhere: dict[str, float] = {}  # hosts whose address is another host's now, and until when
        for row in rows:
            page = pages.get(row.best) if self._open(row) else None
            if page is not None and row.host not in chosen:
                page = self._robots_first(conn, page, row)
                if page is not None:
                    if self._has_turn(conn, page, row):
                        chosen[row.host] = (page, row)
                    else:
                        waits = row.address_busy is None and row.address_next_at > self.now
                        elsewhere[row.host] = row.address_next_at if waits else self.now + ledger.LOOK_SECONDS
                    continue
            wrong.append(row.host)
        leases = self._leased(conn, list(chosen.values()))
        queues.refresh(conn, wrong)
        for host, until in elsewhere.items():
            queues.shut(conn, [host], until)
        return leases

    def _open(self, host: Row[Any]) -> bool:
        return host.busy_key is None and host.next_at <= self.now and host.paused_until <= self.now

    def _has_turn(self, conn: Connection, page: Row[Any], host: Row[Any]) -> bool:
        """Whether the shared address of a host is free; from now on this page has it."""
        return host.shared is None or ledger.take(conn, host.shared, page.key, self.now)

    def _robots_first(self, conn: Connection, page: Row[Any], host: Row[Any]) -> Row[Any] | None:
        """The page, or the robots.txt that must be read before; ``None`` if that is not due yet."""
        read_at = host.robots_fetched_at
        fresh = read_at is not None and asked_again_at(RobotsText(host.robots_status, b"", read_at)) > self.now
        if page.kind == PageType.ROBOTS or fresh:
            return page
        robots = self._robots_row(conn, page)
        if robots.state != State.WAITING and (robots.last_fetched_at or 0) > self.now - CLOSED_SECONDS:
            return page  # the last fetch brought none: the robots.txt middleware decides about the page
        if robots.deaths >= SUSPECT_DEATHS or (robots.due_at or 0) > self.now:
            until = max(robots.due_at or 0, self.now + SUSPECT_ROBOTS_SECONDS)
            _WAIT.change(conn, {"host": page.host, "until": until})
            return None
        return robots

    def _robots_row(self, conn: Connection, page: Row[Any]) -> Row[Any]:
        url = f"{page.url.split('://')[0]}://{page.host}/robots.txt"
        robots = Offer(url_key(url), url, page.host, PageType.ROBOTS, page.site, depth=0, priority=page.priority)
        due_times.add(conn, [row_of(robots, self.now)])
        _IS_ROBOTS.change(conn, {"key": robots.key})
        row: Row[Any] = _BY_KEY.run(conn, {"key": robots.key}).one()
        return row

    def _leased(self, conn: Connection, chosen: Sequence[tuple[Row[Any], Row[Any]]]) -> list[Lease]:
        """Leases on these pages of hosts that are open."""
        common = {"worker": self.worker, "ends_at": self.ends_at}
        rows = [common | {"key": page.key, "host": page.host, "token": page.lease_token} for page, _ in chosen]
        if _TAKE_HOST.change_many(conn, rows) != len(rows) or _TAKE.change_many(conn, rows) != len(rows):
            raise RuntimeError("the ledger changed under a claim")  # rolled back; claims exclude each other
        queues.shut(conn, [page.host for page, _ in chosen], self.ends_at)
        return [self._lease(page, host) for page, host in chosen]

    def _lease(self, page: Row[Any], host: Row[Any]) -> Lease:
        stale = bool(page.stale_validators)
        known = KnownResponse(page.etag, page.last_modified, page.body_hash, proving=stale, came=page.bytes_hash)
        return Lease(
            key=page.key,
            url=page.url,
            host=page.host,
            kind=PageType(page.kind),
            site=page.site,
            channel=page.channel,
            depth=page.depth,
            anchor=page.anchor,
            priority=page.priority,
            token=page.lease_token + 1,
            ends_at=self.ends_at,
            due_at=self.now if page.due_at is None else page.due_at,
            failures=page.failures,
            faults=page.internal_errors,
            fetch_count=page.fetch_count,
            known=known,
            hops=page.hops,
            update_cycle=page.update_cycle,
            in_parts=bool(page.in_parts),
            host_latency=host.latency,
            host_failures=host.failures,
            robots_at=host.robots_fetched_at,
            address=host.address,
            strategy_state=page.strategy_state,
            partial_article=page.partial_article,
            meta=page.meta,
            revisit=page.queue == queues.AGED,
            stored_at=page.stored_at,
            published_at=page.published_at,
            again=page.queue in (queues.REVISIT, queues.AGED),
            distrusted=is_distrusted(host.wrong_304_at, self.now),
            accepted_for=page.accepted_for,
            guarded=page.reason == Reason.GUARDED,
        )
