"""What a frontier can do; the ledger is its truth, whatever backend serves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Lease, Offer, Settlement
from newsspider.core.model import State
from newsspider.store.ledger import Left

T = TypeVar("T")


class Frontier(Protocol):
    """Hands out leases so that every host is asked by one worker at a time, not before its delay is over.

    A lease names its worker and ends by itself. What a worker does with a lease that is no longer in force is refused.
    """

    async def run(self, job: Callable[[Connection], T]) -> T:
        """Do a step on the ledger's own tables, in a transaction, and take into account what it changes there."""

    async def offer(self, offers: Iterable[Offer]) -> int:
        """Make URLs known; returns how many were new."""

    async def claim(
        self, n: int, now: float, *, sites: Set[str] | None = None, revisit_before: float | None = None
    ) -> list[Lease]:
        """At most ``n`` leases, one a host, best priority first; of ``sites`` only, if given.

        Pages that were done before are claimed only if they became due up to ``revisit_before``; ``None``: up to now.
        """

    async def beat(self, now: float, *, sites: Set[str] | None = None) -> None:
        """Say that this worker lives and claims from these sites, to be done every two seconds: so the workers share
        the hosts."""

    def leave(self) -> None:
        """Claim no more: what is this worker's share goes to others; the leases that it holds it may still settle."""

    async def settle(self, lease: Lease, settlement: Settlement) -> bool:
        """Say what became of a lease; ``False`` if it is no longer in force."""

    async def release(self, lease: Lease) -> bool:
        """Give a lease back unused; ``False`` if it is no longer in force."""

    async def release_worker(self) -> int:
        """Give back every lease of this worker, also those whose claim was never answered; returns how many."""

    async def extend(self, leases: Iterable[Lease]) -> list[Lease]:
        """The same leases with a later end, without those that are no longer in force."""

    async def counts(self) -> dict[State, int]:
        """How many URLs are in each state."""

    async def left(self, revisit_before: float | None = None, *, sites: Set[str] | None = None) -> Left:
        """When a claim may get something at the earliest, and whether other workers that live hold leases that this
        one could have claimed: what they lead to may still be left. Both are true of one moment."""

    async def next_due(self, revisit_before: float | None = None, *, sites: Set[str] | None = None) -> float | None:
        """The earliest moment at which a claim may get something; ``None``: nothing is left."""

    async def close(self) -> None:
        """Let go of the backend's connections; the ledger stays open."""
