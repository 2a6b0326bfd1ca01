"""A cache of figures that take long to compute."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from sqlalchemy import Connection

KEPT_TIMES = 200  # a result is kept for this many times the time that it took,
MOST_SECONDS = 60.0  # at most this long

logger = logging.getLogger(__name__)
Value = TypeVar("Value")


class RecentFigures(Generic[Value]):
    """Keeps the result of ``compute``, for longer the longer it took: figures of a small store are fresh, those of a
    large one up to a minute old. While one reader computes, or when that fails, the others get the last result.
    ``stopwatch`` gives seconds."""

    def __init__(
        self, compute: Callable[[Connection, float], Value], stopwatch: Callable[[], float] = time.perf_counter
    ) -> None:
        self._compute, self._stopwatch = compute, stopwatch
        self._kept: tuple[float, Value] | None = None
        self._seconds = 0.0  # for which it is kept
        self._asking = Lock()

    def of(self, conn: Connection, now: float) -> Value:
        """The last result if it is recent enough, else a new one."""
        if self._is_old(now) and self._asking.acquire(blocking=self._kept is None):
            try:
                if self._is_old(now):  # nobody else has asked meanwhile
                    began = self._stopwatch()
                    with conn.begin_nested():  # an error leaves the transaction usable
                        self._kept = now, self._compute(conn, now)
                    self._seconds = min(KEPT_TIMES * (self._stopwatch() - began), MOST_SECONDS)
            except Exception:
                if self._kept is None:
                    raise
                self._kept, self._seconds = (now, self._kept[1]), MOST_SECONDS
                logger.warning("what is shown is older than it should be", exc_info=True)
            finally:
                self._asking.release()
        assert self._kept is not None
        return self._kept[1]

    def _is_old(self, now: float) -> bool:
        return self._kept is None or not 0 <= now - self._kept[0] < self._seconds
