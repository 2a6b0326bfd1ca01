"""Rate limit of the console: how often an account or an address may search or log in, and its lockout after wrong
passwords.

``app.py`` makes a limit for each of these; ``access.py`` and ``pages/login.py`` ask it.
"""

from __future__ import annotations

import threading
from collections import deque
from math import ceil

MOST_QUERIES, QUERY_SECONDS = 240, 60.0  # of an account, or of an address, that look through the index
MOST_FAILURES, LOCKOUT_SECONDS = 5, 300.0  # wrong passwords of a name, and from an address, in this time
MOST_OIDC_VISITS, OIDC_VISIT_SECONDS = 60, 60.0  # requests of an address that may ask the provider; a log-in takes two


class RateLimit:
    """At most ``most`` times in ``seconds`` for each key; the keys of ``MOST_KEYS`` are remembered.

    Each process of the console counts for itself.
    """

    MOST_KEYS = 10_000

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def wait(self, now: float, *keys: str) -> int:
        """Count an attempt for each key and return 0. If one of them has reached its limit, count nothing and return
        after how many seconds all of them are allowed again."""
        with self._lock:
            seconds = max(self._seconds(key, now) for key in keys)
            for key in keys if not seconds else ():
                self._times.setdefault(key, deque()).append(now)
            while len(self._times) > self.MOST_KEYS:
                del self._times[next(iter(self._times))]
            return seconds

    def forget(self, now: float, *keys: str) -> None:
        """Take back what was counted at this moment."""
        with self._lock:
            for key in keys:
                if now in self._times.get(key, ()):
                    self._times[key].remove(now)

    def _seconds(self, key: str, now: float) -> int:
        times = self._times.pop(key, deque())
        while times and times[0] <= now - self.seconds:
            times.popleft()
        if times:
            self._times[key] = times  # moved to the end, so that the first key is the one that was idle for longest
        return ceil(times[0] + self.seconds - now) if len(times) >= self.most else 0
