"""Breadth-first search: nearest pages first, each level in order of discovery.

Source: Moore's algorithm (1959), as crawlers use it; Najork and Wiener, "Breadth-first search crawling yields
high-quality pages" (2001). Choose it for a first map of a region of the web, for mirroring, and when nothing is known
about the topic: pages with many inlinks come early, no host is exhausted before the others, traps are reached last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.strategy import UNLIMITED, Counts, LinkSeen, Need, Placement, Strategy, Visit, if_better


@dataclass(frozen=True, slots=True)
class BreadthFirst(Strategy):
    """By depth, then in order of discovery; with ``cycle_seconds`` every page is revisited after that time."""

    depth: int = UNLIMITED
    cycle_seconds: float = 0.0  # 0: visited once

    needs = frozenset({Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(0, 0, update_cycle=self.cycle_seconds or None)

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        placement = Placement(-depth, depth, update_cycle=self.cycle_seconds or None)
        return [if_better(link, placement) for link in links]
