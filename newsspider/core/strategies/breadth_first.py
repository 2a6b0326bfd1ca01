"""Breadth-first: the nearest pages first, each level in the order found.

Source: Moore's algorithm (1959), as crawlers use it; Najork and Wiener, "Breadth-first search crawling yields
high-quality pages" (2001). Choose it for a first picture of a region of the web, for mirrors, and wherever nothing is
known of the topic: pages that many link to come early, no host is dug out before the others, traps are reached last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.strategy import (
    NO_COUNTS,
    UNLIMITED,
    Counts,
    LinkSeen,
    Need,
    Placement,
    Strategy,
    Visit,
    if_better,
)


@dataclass(frozen=True, slots=True)
class BreadthFirst(Strategy):
    """By depth, then in the order found; with ``cycle_seconds`` every page is visited again so long after its visit."""

    depth: int = UNLIMITED
    cycle_seconds: float = 0.0  # 0: visited once

    needs = frozenset({Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(0, 0, update_cycle=self.cycle_seconds or None)

    def links(self, visit: Visit, links: Sequence[LinkSeen], counts: Counts = NO_COUNTS) -> list[Placement | None]:
        depth = visit.placement.depth + 1
        if depth > self.depth:
            return [None] * len(links)
        placement = Placement(-depth, depth, update_cycle=self.cycle_seconds or None)
        return [if_better(link, placement) for link in links]
