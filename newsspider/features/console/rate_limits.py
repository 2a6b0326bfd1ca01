"""The rate limit of the console: how often an account or an address may search or log in, and its lockout after wrong
passwords."""

from __future__ import annotations

import threading
from collections import deque
from math import ceil

from fastapi import HTTPException, Request

from newsspider.features.console import accounts
from newsspider.features.console.access import address_of, asker_of
from newsspider.features.console.accounts import is_right
from newsspider.features.console.oidc import MARK
from newsspider.store.engine.database import reading

MOST_QUERIES, QUERY_SECONDS = 240, 60.0  # of an account, or of an address, that look through the index
MOST_FAILURES, LOCKOUT_SECONDS = 5, 300.0  # wrong passwords of a name, and from an address, in this time
MOST_OIDC_VISITS, OIDC_VISIT_SECONDS = 60, 60.0  # requests of an address that may ask the provider; a log-in takes two


def check_password(request: Request, name: str, password: str) -> bool:
    """Whether this is the password of the account. An attempt counts against the limit before the password is checked,
    so that parallel attempts gain nothing; a correct one is taken back. Status 429 after too many wrong passwords for
    a name or from an address. The answer does not tell whether the name exists."""
    failures: RateLimit = request.app.state.failures
    now = request.app.state.clock.now()
    keys = (f"name {name}", f"address {address_of(request)}")
    if wait := failures.wait(now, *keys):
        raise HTTPException(429, f"too many wrong passwords; try again in {wait} s", {"Retry-After": str(wait)})
    with reading(request.app.state.engine) as conn:
        row = accounts.account(conn, name)
    if not is_right(password, row.password_hash if row and not row.password_hash.startswith(MARK) else None):
        return False
    failures.forget(now, *keys)
    return True


def limit_costly(request: Request) -> None:
    """Status 429 if somebody asks for too many searches, exports or feeds at once."""
    limit: RateLimit = request.app.state.queries
    if wait := limit.wait(request.app.state.clock.now(), asker_of(request)):
        raise HTTPException(429, f"too many queries; try again in {wait} s", {"Retry-After": str(wait)})


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
