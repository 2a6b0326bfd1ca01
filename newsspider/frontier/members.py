"""One worker among those that share its crawl: that it lives, who else does, and which hosts are its own."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Set

from sqlalchemy import Connection

from newsspider.store import workers
from newsspider.store.engine.postgresql import end_silent
from newsspider.store.workers import WorkerRow

BEAT_SECONDS = 2.0  # a worker says so often that it lives
# one that said nothing for so long is dead: with the beat, others have its hosts within ten seconds
LAPSE_SECONDS = 6.0
ASSIGN_SECONDS = 0.5  # hosts that are new, or whose worker left, are assigned so soon
ASSIGN_SHARE = 20  # but the assigning takes one of so many seconds at most, however many hosts there are


class Members:
    """What a worker knows of the workers of its crawl; every method with a connection is a step of a job on the store.

    A row that nobody counts up for :data:`LAPSE_SECONDS` is a dead worker's: no clocks of two machines are compared.
    After this process stood still for as long, it waits again before it takes anyone for dead.
    """

    def __init__(self, worker: str, clock: Callable[[], float] = time.monotonic, *, firm: bool = False) -> None:
        self.worker = worker
        self.clock = clock
        self.firm = firm  # hosts are assigned though there is only one worker: the next one may come at any moment
        self.left = False
        self.watching = ""
        self.alone = True
        self._known: dict[str, tuple[int, float]] = {}  # worker: its beats, and when they were first seen
        self._beaten_at = self._assigned_at = -math.inf
        self._pause = ASSIGN_SECONDS

    def assign(self, conn: Connection, sites: Set[str] | None, now: float) -> dict[str, str | None]:
        """Say that this worker lives, and see to it that every host is somebody's, as often as need be.

        Returns the hosts that have another worker now, or none.
        """
        if self.left:
            return {}
        at, self.watching = self.clock(), workers.scope_of(sites)
        if at - self._beaten_at >= BEAT_SECONDS:
            self._beat(conn, now)
        if (self.alone and not self.firm) or at - self._assigned_at < self._pause:
            return {}
        changed = workers.assign(conn, self.watching, sites)
        self._assigned_at = self.clock()
        self._pause = max(ASSIGN_SECONDS, ASSIGN_SHARE * (self._assigned_at - at))
        return changed

    def _beat(self, conn: Connection, now: float) -> None:
        rows = workers.beat(conn, self.worker, self.watching, now)
        dead = self._lapsed(rows)
        workers.remove(conn, dead)
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
