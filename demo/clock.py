"""The portal's own time: starts at a fixed instant, runs with the machine's clock or is held and moved by hand."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone

CHINA = timezone(timedelta(hours=8))
START = datetime(2025, 6, 16, 8, 0, tzinfo=CHINA)


class Clock:
    """Seconds since ``start``; everything that the portal publishes, changes or removes goes by them."""

    def __init__(self, start: datetime = START, running: bool = False) -> None:
        self.start = start
        self._seconds = 0.0
        self._since = time.monotonic() if running else None

    @property
    def held(self) -> bool:
        """Whether time stands still."""
        return self._since is None

    @property
    def seconds(self) -> float:
        """Portal seconds since the start."""
        return self._seconds + (0.0 if self._since is None else time.monotonic() - self._since)

    @property
    def now(self) -> datetime:
        """The portal's time of day."""
        return self.start + timedelta(seconds=self.seconds)

    def advance(self, seconds: float) -> None:
        """Moves the time on, whether held or running."""
        self._seconds += seconds

    def hold(self) -> None:
        """Stops the time where it is."""
        self._seconds, self._since = self.seconds, None

    def run(self) -> None:
        """Lets the time go on with the machine's."""
        if self._since is None:
            self._since = time.monotonic()
