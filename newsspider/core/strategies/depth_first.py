"""Depth-first: follow the links of the page read last, down to a largest depth, then go back.

Source: Tarjan, "Depth-first search and linear graph algorithms" (1972). The stack is the frontier itself: a priority
that grows with the number of the visit puts the links of a later page on top. Choose it for a known tree that is to be
read branch by branch (an archive, a manual), never without a largest depth, which is what keeps it out of traps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.order import newest_first
from newsspider.core.strategies.strategy import (
    NO_COUNTS,
    Counts,
    LinkSeen,
    Need,
    Placement,
    Strategy,
    Visit,
    if_better,
)

SEED = -1  # under every link


@dataclass(frozen=True, slots=True)
class DepthFirst(Strategy):
    """The visit order of the recursion: a URL that still waits and is found again further down is visited there.

    What was read at the largest depth is not read again for its links where a shorter way to it turns up.
    """

    depth: int = 5

    needs = frozenset({Need.NUMBER, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(SEED, 0)

    def links(self, visit: Visit, links: Sequence[LinkSeen], counts: Counts = NO_COUNTS) -> list[Placement | None]:
        depth, number = visit.placement.depth + 1, visit.number
        if depth > self.depth:
            return [None] * len(links)
        return [
            if_better(link, Placement(newest_first(number, position), depth)) for position, link in enumerate(links)
        ]
