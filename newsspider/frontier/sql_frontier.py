"""The embedded frontier: it claims from the tables of the ledger; the one writer makes every step atomic."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Lease, Offer, Settlement
from newsspider.core.model import State
from newsspider.frontier.claim_order import NOT_OTHERS, OWN, Whose
from newsspider.frontier.claims import claim, extend
from newsspider.store import ledger, workers
from newsspider.store.engine.batch import OvertakingJob
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.engine.writer import Writer
from newsspider.store.workers import ASSIGN_SECONDS, Members

T = TypeVar("T")

LEFT_SECONDS = 1.0  # after which a host that its worker left waiting may be claimed from by any other


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
