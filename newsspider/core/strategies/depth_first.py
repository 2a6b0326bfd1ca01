"""Depth-first search: follow the links of the page read last, down to a maximum depth, then backtrack.

Source: Tarjan, "Depth-first search and linear graph algorithms" (1972). The frontier itself is the stack: priorities
grow with the visit number, so the links of a later page come first. Choose it to read a known tree branch by branch (an
archive, a manual), never without a maximum depth, which keeps it out of traps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.order import newest_first
from newsspider.core.strategies.strategy import Counts, LinkSeen, Need, Placement, Strategy, Visit, if_better

SEED = -1  # below every link


@dataclass(frozen=True, slots=True)
class DepthFirst(Strategy):
    """The visit order of the recursion: a waiting URL that is found again further down is visited there.

    Pages read at the maximum depth are not read again for their links when a shorter path to them turns up.
    """

    depth: int = 5

    needs = frozenset({Need.NUMBER, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(SEED, 0)

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        placements = (Placement(newest_first(visit.number, position), depth) for position in range(len(links)))
        return list(map(if_better, links, placements))
