"""The present moment by which a crawl plans and measures: it goes on evenly when somebody sets the system clock."""

from __future__ import annotations

import logging
import threading
import time as clocks
from collections.abc import Callable
from datetime import UTC, datetime

logger = logging.getLogger(__name__)

# by which it goes faster or slower than it should, to come nearer to the system clock: less than a delay may be short
# of
SLEW = 0.02
JUMP_SECONDS = 10.0


def _elapsed() -> float:
    """Seconds since the machine started; on Linux those in which it slept count, too."""
    return clocks.clock_gettime(clocks.CLOCK_BOOTTIME) if hasattr(clocks, "CLOCK_BOOTTIME") else clocks.monotonic()


class SteadyClock:
    """Seconds since the epoch that never jump: it starts with the ``system`` clock, counts on by the ``elapsed``
    seconds, and makes up for a difference between the two at no more than the rate of :data:`SLEW`."""

    def __init__(self, system: Callable[[], float], elapsed: Callable[[], float]) -> None:
        self._system, self._elapsed = system, elapsed
        self._now, self._last, self._gap = system(), elapsed(), 0.0
        self._lock = threading.Lock()

    def time(self) -> float:
        """The present moment."""
        with self._lock:
            last, self._last = self._last, self._elapsed()
            passed = max(0.0, self._last - last)
            gap = self._system() - (self._now + passed)
            self._now += passed + max(-SLEW * passed, min(gap, SLEW * passed))
            jump, self._gap = gap - self._gap, gap
            now = self._now
        if abs(jump) > JUMP_SECONDS:
            logger.warning(
                "the system clock was set %s by %.0f s: this crawl goes on by its own; start it again to follow at once",
                "forward" if jump > 0 else "back", abs(jump),
            )  # fmt: skip
        return now


_clock = SteadyClock(lambda: clocks.time(), _elapsed)  # noqa: PLW0108 -- looked up at each call: a test may set it


def time() -> float:
    """The present moment, in seconds since the epoch: what a crawl takes instead of :func:`time.time`."""
    return _clock.time()


def utc() -> datetime:
    """The same as a date."""
    return datetime.fromtimestamp(time(), UTC)
