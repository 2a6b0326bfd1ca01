"""The health of the sources as it was within the last minute."""

from __future__ import annotations

import logging
from threading import Lock

from sqlalchemy import Connection

from newsspider.analysis.health import SourceHealth, source_health
from newsspider.sites.holidays import Holidays

KEPT_SECONDS = 60.0

logger = logging.getLogger(__name__)


class RecentHealth:
    """Finds out once a minute: with a thousand sites that takes a second or more. Meanwhile, and where that fails,
    others are told the last result."""

    def __init__(self, holidays: Holidays) -> None:
        self._holidays = holidays
        self._kept: tuple[float, SourceHealth] | None = None
        self._asking = Lock()

    def of(self, conn: Connection, now: float) -> SourceHealth:
        """The health of all sources, with the changes of quality."""
        if self._is_old(now) and self._asking.acquire(blocking=self._kept is None):
            try:
                if self._is_old(now):  # nobody else has asked meanwhile
                    with conn.begin_nested():  # an error leaves the transaction usable
                        self._kept = now, source_health(conn, self._holidays, now, with_changes=True)
            except Exception:
                if self._kept is None:
                    raise
                self._kept = now, self._kept[1]
                logger.warning("the health of the sources was not found out again", exc_info=True)
            finally:
                self._asking.release()
        assert self._kept is not None
        return self._kept[1]

    def _is_old(self, now: float) -> bool:
        return self._kept is None or not 0 <= now - self._kept[0] < KEPT_SECONDS
