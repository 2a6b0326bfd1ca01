"""How much of its news a site publishes on the full hour: content systems release what has gathered then, all at once.

Short intervals between two polls tell it: those that hold a full hour bring more than their length says. Items of an
interval that holds one are shared out between the hour and the rest by what is expected of both, and both are counted
over the time watched (the expectation-maximisation of a mixture, one step a poll).

Source: A. P. Dempster, N. M. Laird and D. B. Rubin, "Maximum likelihood from incomplete data via the EM algorithm"
(1977).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.scheduling.publication_rate import HOUR

SHORT = 1800.0  # seconds; a longer interval says too little of where its items lie
LEAST_EXPECTED = 0.05  # of the items, so that a site that begins with it is found out
LEAST = 0.1  # a smaller share is taken for none
ITEMS_OF_NONE = 10.0  # that there is none weighs so many items
LATE = 90.0  # seconds after the full hour, until all of it is there

Span = tuple[float, float, int]


@dataclass(frozen=True, slots=True)
class Ticks:
    """Items at full hours and between them, each with the time watched, in seconds at the mean rate; a full hour
    counts as 3600."""

    at_items: float = 0.0
    at_seconds: float = 0.0
    between_items: float = 0.0
    between_seconds: float = 0.0

    @property
    def share(self) -> float:
        """The share of the items that comes on the full hour; 0 as long as that is little, or hardly known."""
        if not self.at_seconds or not self.between_seconds:
            return 0.0
        at, between = self.at_items / self.at_seconds, self.between_items / self.between_seconds
        items = self.at_items + self.between_items
        share = at / (at + between) * items / (items + ITEMS_OF_NONE) if items else 0.0
        return share if share >= LEAST else 0.0

    def times(self, factor: float) -> Ticks:
        """All of it counting so much less."""
        return Ticks(
            self.at_items * factor, self.at_seconds * factor, self.between_items * factor, self.between_seconds * factor
        )


NO_TICKS = Ticks()


def seconds_of(spans: Sequence[Span]) -> tuple[float, float]:
    """The full hours inside an interval, as seconds at the mean rate if all came with them, and the interval itself."""
    at = between = 0.0
    for place, (seconds, factor, half) in enumerate(spans):
        if place and not half & 1:
            at += factor * HOUR
        between += seconds * factor
    return at, between


def learned(before: Ticks, spans: Sequence[Span], new: int) -> Ticks:
    """What is known after a poll that found so many items of the time of these spans."""
    if len(spans) > 2 or sum(seconds for seconds, _, _ in spans) > SHORT:
        return before
    at, between = seconds_of(spans)
    share = max(before.share, LEAST_EXPECTED)
    expected = share * at + (1.0 - share) * between
    of_hour = new * share * at / expected if expected > 0.0 else 0.0
    return Ticks(
        before.at_items + of_hour,
        before.at_seconds + at,
        before.between_items + new - of_hour,
        before.between_seconds + between,
    )
