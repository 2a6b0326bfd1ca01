"""Estimates how many of a site's articles appear on the full hour, when some content systems publish in a batch.

Short poll intervals show it: those that contain a full hour bring more than their length explains. Items of such an
interval are divided between the hour and the rest by their expected numbers, and both are counted over the time
observed: expectation maximisation of a mixture, one step per poll.

Source: A. P. Dempster, N. M. Laird and D. B. Rubin, "Maximum likelihood from incomplete data via the EM algorithm"
(1977).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.scheduling.publication_rate import HOUR

SHORT = 1800.0  # seconds; longer intervals do not show when their items appeared
LEAST_EXPECTED = 0.05  # least assumed share, so that a site that starts doing it is noticed
LEAST = 0.1  # a smaller share counts as none
ITEMS_OF_NONE = 10.0  # items that the prior of no such share counts for
LATE = 90.0  # seconds after the full hour until all items are there

Span = tuple[float, float, int]


@dataclass(frozen=True, slots=True)
class Ticks:
    """Items at full hours and between them, each with the seconds observed at the mean rate; a full hour counts as
    3600."""

    at_items: float = 0.0
    at_seconds: float = 0.0
    between_items: float = 0.0
    between_seconds: float = 0.0

    @property
    def share(self) -> float:
        """The share of items on the full hour; 0 while it is small or uncertain."""
        if not self.at_seconds or not self.between_seconds:
            return 0.0
        at, between = self.at_items / self.at_seconds, self.between_items / self.between_seconds
        items = self.at_items + self.between_items
        share = at / (at + between) * items / (items + ITEMS_OF_NONE) if items else 0.0
        return share if share >= LEAST else 0.0

    def times(self, factor: float) -> Ticks:
        """All counts times a factor."""
        return Ticks(
            self.at_items * factor, self.at_seconds * factor, self.between_items * factor, self.between_seconds * factor
        )


NO_TICKS = Ticks()


def seconds_of(spans: Sequence[Span]) -> tuple[float, float]:
    """The full hours of an interval as seconds at the mean rate, if all items came on the hour; and the interval
    itself."""
    at = between = 0.0
    for place, (seconds, factor, half) in enumerate(spans):
        if place and not half & 1:
            at += factor * HOUR
        between += seconds * factor
    return at, between


def learned(ticks: Ticks, spans: Sequence[Span], new: int) -> Ticks:
    """The counts after a poll that found ``new`` items in these spans."""
    if len(spans) > 2 or sum(seconds for seconds, _, _ in spans) > SHORT:
        return ticks
    at, between = seconds_of(spans)
    share = max(ticks.share, LEAST_EXPECTED)
    expected = share * at + (1.0 - share) * between
    on_the_hour = new * share * at / expected if expected > 0.0 else 0.0
    return Ticks(
        ticks.at_items + on_the_hour,
        ticks.at_seconds + at,
        ticks.between_items + new - on_the_hour,
        ticks.between_seconds + between,
    )
