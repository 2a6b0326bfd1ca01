"""Fair queueing (fairness of hosts and URLs): the best come first, except for a share of turns that goes to those who
waited longest."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TypeVar

WAITED_SHARE = 8  # one turn in eight goes to the one that waited longest, so that the lowest priority never starves


class _Queue(Protocol):
    """A queue of one host that has a page which may be fetched since ``due_at``."""

    @property
    def host(self) -> str:
        """The host; it may have several queues."""

    @property
    def due_at(self) -> float:
        """Since when its first page waits."""


Q = TypeVar("Q", bound=_Queue)


def waited_turns(n: int, random_number: float) -> int:
    """How many of ``n`` turns go to those who waited longest; ``random_number`` (0 to below 1) decides on the rest of
    the share.

    >>> waited_turns(16, 0.0), waited_turns(4, 0.4), waited_turns(4, 0.5)
    (2, 0, 1)
    """
    return int(n / WAITED_SHARE + random_number)


def oldest_turn(random_number: float) -> bool:
    """Whether a turn among known pages goes to the one longest overdue: one in :data:`WAITED_SHARE`, independent of the
    hosts that :func:`patient` draws with the same ``random_number``."""
    return random_number * WAITED_SHARE**2 % WAITED_SHARE >= WAITED_SHARE - 1


def patient(queues: Sequence[Q], random_number: float) -> Sequence[Q]:
    """The queues in their order, except that for one host in :data:`WAITED_SHARE` the queue that waited longest comes
    before its others. ``random_number`` (0 to below 1) and the host's name decide which hosts; over all numbers, each
    host has its share."""
    queues_of = Counter(queue.host for queue in queues)
    drawn = {host for host, count in queues_of.items() if count > 1 and _drawn(host, random_number)}
    if not drawn:
        return queues
    longest = {
        host: min((queue.due_at, n) for n, queue in enumerate(queues) if queue.host == host)[1] for host in drawn
    }
    return sorted(queues, key=lambda queue: queue.host in drawn and queue is not queues[longest[queue.host]])


def _drawn(host: str, random_number: float) -> bool:
    return (random_number + zlib.crc32(host.encode()) / 2**32) % 1 < 1 / WAITED_SHARE
