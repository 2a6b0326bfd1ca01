"""The system clock, and a steady clock for crawls, which runs on evenly when somebody sets the system clock."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

logger = logging.getLogger(__name__)

# The steady clock runs faster or slower by at most this share to approach the system clock, so no delay is cut short
# by more.
MOST_SLEW = 0.02
JUMP_SECONDS = 10.0


class Clock:
    """The present moment. This clock is the system's; entry points build one and hand it on."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def utc(self) -> datetime:
        """The same moment as a date."""
        return datetime.fromtimestamp(self.now(), UTC)


def _system() -> float:
    return time.time()  # looked up at each call: a test may set it


# Seconds since the machine started; on Linux including the time that it was suspended.
_elapsed = partial(time.clock_gettime, time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic


class SteadyClock(Clock):
    """A clock that never jumps: it starts at the ``system`` time, advances by the ``elapsed`` seconds, and corrects a
    difference between the two at no more than the rate of :data:`MOST_SLEW`."""

    def __init__(self, system: Callable[[], float] = _system, elapsed: Callable[[], float] = _elapsed) -> None:
        self._system, self._elapsed = system, elapsed
        self._now, self._last, self._gap = system(), elapsed(), 0.0
        self._lock = threading.Lock()

    def now(self) -> float:
        with self._lock:
            last, self._last = self._last, self._elapsed()
            passed = max(0.0, self._last - last)
            gap = self._system() - (self._now + passed)
            self._now += passed + max(-MOST_SLEW * passed, min(gap, MOST_SLEW * passed))
            jump, self._gap = gap - self._gap, gap
            now = self._now
        if abs(jump) > JUMP_SECONDS:
            logger.warning(
                "the system clock was set %s by %.0f s: this crawl goes on by its own; start it again to follow at once",
                "forward" if jump > 0 else "back",
                abs(jump),
            )
        return now
