"""How often somebody may do something."""

from __future__ import annotations

import threading
from collections import deque
from math import ceil


class RateLimit:
    """At most ``most`` times in ``seconds`` for each key; the keys of ``MOST_KEYS`` are remembered.

    Each process of the console counts for itself.
    """

    MOST_KEYS = 10_000

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def wait(self, key: str, now: float, *, count: bool = True) -> int:
        """0, and with ``count`` it is counted; else after how many seconds it is allowed again."""
        with self._lock:
            times = self._times.pop(key, None) or deque(maxlen=self.most)
            while times and times[0] <= now - self.seconds:
                times.popleft()
            seconds = ceil(times[0] + self.seconds - now) if len(times) >= self.most else 0
            if count and not seconds:
                times.append(now)
            if times:
                self._times[key] = times  # the last one: the first is the one that was not seen for longest
            if len(self._times) > self.MOST_KEYS:
                del self._times[next(iter(self._times))]
            return seconds

    def forget(self, key: str) -> None:
        """Begin anew with a key."""
        with self._lock:
            self._times.pop(key, None)
