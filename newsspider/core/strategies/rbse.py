"""The RBSE spider: discovers the graph separately from indexing, and starts a run in one of four ways.

Source: Eichmann, "The RBSE spider: balancing effective search against Web load" (1994). Choose it to map a region
cheaply: ``stage=discover`` stores the graph and titles and keeps the pages; ``stage=index`` then reads the articles
among them, without fetching them again. The four starts are breadth-first or limited depth-first, each from given URLs
or from the unvisited URLs of the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from newsspider.core.strategies.breadth_first import BreadthFirst
from newsspider.core.strategies.depth_first import DepthFirst
from newsspider.core.strategies.strategy import NO_COUNTS, UNLIMITED, Counts, LinkSeen, Mode, Placement, Strategy, Visit

BREADTH, DEPTH = "breadth-first", "depth-first"
URL, UNVISITED = "url", "unvisited"
DISCOVER, INDEX, ALL = "discover", "index", "all"


@dataclass(frozen=True, slots=True)
class Rbse(Strategy):
    """Breadth-first or limited depth-first; links below the depth, counted from the run's start, are kept."""

    order: str = BREADTH
    start: str = URL
    stage: str = ALL
    depth: int = 5

    needs = BreadthFirst.needs | DepthFirst.needs

    def __post_init__(self) -> None:
        for name, allowed in (
            ("order", (BREADTH, DEPTH)),
            ("start", (URL, UNVISITED)),
            ("stage", (DISCOVER, INDEX, ALL)),
        ):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {' or '.join(allowed)}, not {getattr(self, name)!r}")

    @property
    def mode(self) -> Mode:
        return Mode(
            stores_articles=self.stage != DISCOVER,
            from_unvisited=self.start == UNVISITED,
            indexes_discovered=self.stage == INDEX,
            deepest=self.depth,
        )

    def seed(self, url: str, weight: int = 1) -> Placement:
        return self._walk().seed(url, weight)

    def links(self, visit: Visit, links: Sequence[LinkSeen], counts: Counts = NO_COUNTS) -> list[Placement | None]:
        if self.stage == INDEX:
            return [None] * len(links)
        placements = self.placed(visit, links, visit.placement.depth + 1, counts)
        if visit.placement.depth < self.depth:
            return placements
        of_new_urls = (
            placement if link.waits is None else None for link, placement in zip(links, placements, strict=True)
        )
        return [placement and replace(placement, kept=True) for placement in of_new_urls]

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        return self._walk().placed(visit, links, depth, counts)

    def _walk(self) -> Strategy:
        return BreadthFirst() if self.order == BREADTH else DepthFirst(UNLIMITED)
