"""What takes long to find out, as it was a moment ago."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from sqlalchemy import Connection

KEPT_SECONDS = 60.0

logger = logging.getLogger(__name__)
Value = TypeVar("Value")


class Recent(Generic[Value]):
    """Finds something out at a moment, once in so many seconds: with a thousand sites their health takes a second or
    more. Meanwhile, and where that fails, others are told the last result."""

    def __init__(self, find_out: Callable[[Connection, float], Value], seconds: float = KEPT_SECONDS) -> None:
        self._find_out, self._seconds = find_out, seconds
        self._kept: tuple[float, Value] | None = None
        self._asking = Lock()

    def of(self, conn: Connection, now: float) -> Value:
        """What was found out within these seconds, or is now."""
        if self._is_old(now) and self._asking.acquire(blocking=self._kept is None):
            try:
                if self._is_old(now):  # nobody else has asked meanwhile
                    with conn.begin_nested():  # an error leaves the transaction usable
                        self._kept = now, self._find_out(conn, now)
            except Exception:
                if self._kept is None:
                    raise
                self._kept = now, self._kept[1]
                logger.warning("what is shown is older than it should be", exc_info=True)
            finally:
                self._asking.release()
        assert self._kept is not None
        return self._kept[1]

    def _is_old(self, now: float) -> bool:
        return self._kept is None or not 0 <= now - self._kept[0] < self._seconds
