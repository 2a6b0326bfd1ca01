"""Heartbeats: which workers of a crawl are alive, and when one without a beat is dead; the hosts assigned to each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Set

from sqlalchemy import Connection

from newsspider.store import workers
from newsspider.store.engine.postgresql import end_silent
from newsspider.store.workers import WorkerRow

BEAT_SECONDS = 2.0  # between two heartbeats
# without a heartbeat for so long, a worker is dead; others have its hosts within ten seconds
LAPSE_SECONDS = 6.0
ASSIGN_SECONDS = 0.5  # after which new hosts, and those whose worker left, are assigned
ASSIGN_SHARE = 20  # assigning takes at most one second in so many, however many hosts there are


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
