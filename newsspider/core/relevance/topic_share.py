"""Whether a site brings more or less to a topic than it used to: the share of its articles that is kept, week by week.

A share that moves tells that the site has changed what it writes about, that a channel was made anew, or that the
topic's profile no longer fits. Whether a week differs is the two-proportion z-test against the weeks before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import sqrt

LEAST = 20  # articles that were read before, from which on a week is judged
LEAST_OF_WEEK = 5
UNLIKELY = 3.0  # standard errors: once in some hundred weeks by chance


@dataclass(frozen=True, slots=True)
class Week:
    """What was read of a site in one week; ``start`` is Monday, midnight in Shanghai, seconds since the epoch."""

    site: str
    start: float
    kept: int
    refused: int
    drifted: bool = False

    @property
    def share(self) -> float:
        """The share that was kept."""
        return self.kept / (self.kept + self.refused)


def drift(weeks: Iterable[Week]) -> Iterator[Week]:
    """The weeks of one site, oldest first, each with whether it differs from all before it."""
    kept = read = 0
    for week in weeks:
        yield replace(week, drifted=differs(week, kept, read))
        kept, read = kept + week.kept, read + week.kept + week.refused


def differs(week: Week, kept: int, read: int) -> bool:
    """Whether the share of a week is another than that of ``kept`` of ``read``.

    >>> differs(Week("a", 0.0, 5, 25), 80, 100), differs(Week("a", 0.0, 22, 8), 80, 100)
    (True, False)
    """
    of_week = week.kept + week.refused
    if read < LEAST or of_week < LEAST_OF_WEEK:
        return False
    together = (kept + week.kept) / (read + of_week)
    error = sqrt(together * (1 - together) * (1 / read + 1 / of_week))
    return error > 0 and abs(week.share - kept / read) > UNLIKELY * error
