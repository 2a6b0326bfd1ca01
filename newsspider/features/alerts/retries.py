"""When a message that could not be delivered is tried again (exponential backoff with jitter)."""

from __future__ import annotations

MOST_TRIES = 20  # from the thirteenth wait on six hours apart: 47 hours in all with ALERT_RETRY_SECONDS=5
LONGEST_WAIT = 6 * 3600.0


def wait_seconds(tries: int, base: float, chance: float) -> float:
    """How long to wait after so many tries: twice as long as before, and by ``chance``, from 0 to 1, up to a quarter
    less or more, so that messages which failed together are not tried together.

    >>> [wait_seconds(tries, 5.0, 0.5) for tries in (1, 2, 3, 20)]
    [5.0, 10.0, 20.0, 21600.0]
    >>> round(sum(wait_seconds(tries, 5.0, 0.5) for tries in range(1, MOST_TRIES)) / 3600)
    47
    """
    return min(LONGEST_WAIT, base * 2.0 ** min(tries - 1, 30)) * (0.75 + chance / 2)
