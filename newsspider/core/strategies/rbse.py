"""The RBSE spider: the graph is discovered apart from the indexing, and a run starts in one of four ways.

Source: Eichmann, "The RBSE spider: balancing effective search against Web load" (1994). Choose it to map a region
cheaply: with ``stage=discover`` graph and titles are kept and nothing else; ``stage=index`` then reads the articles
among the pages discovered. The four starts are breadth-first or limited depth-first, each from a given URL or from the
unvisited URLs of the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.breadth_first import BreadthFirst
from newsspider.core.strategies.depth_first import DepthFirst
from newsspider.core.strategies.strategy import NO_COUNTS, Counts, LinkSeen, Placement, Strategy, Visit

BREADTH, DEPTH = "breadth-first", "depth-first"
URL, UNVISITED = "url", "unvisited"
DISCOVER, INDEX, ALL = "discover", "index", "all"


@dataclass(frozen=True, slots=True)
class Rbse(Strategy):
    """Breadth-first or limited depth-first; the depth counts from where the run started."""

    order: str = BREADTH
    start: str = URL
    stage: str = ALL
    depth: int = 5

    needs = BreadthFirst.needs | DepthFirst.needs

    def __post_init__(self) -> None:
        for name, known in (
            ("order", (BREADTH, DEPTH)),
            ("start", (URL, UNVISITED)),
            ("stage", (DISCOVER, INDEX, ALL)),
        ):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {' or '.join(known)}, not {getattr(self, name)!r}")

    @property
    def stores_articles(self) -> bool:
        return self.stage != DISCOVER

    @property
    def indexes_discovered(self) -> bool:
        return self.stage == INDEX

    @property
    def from_unvisited(self) -> bool:
        return self.start == UNVISITED

    def seed(self, url: str, weight: int = 1) -> Placement:
        return self._walk().seed(url, weight)

    def links(self, visit: Visit, links: Sequence[LinkSeen], counts: Counts = NO_COUNTS) -> list[Placement | None]:
        if self.stage == INDEX:
            return [None] * len(links)
        return self._walk().links(visit, links, counts)

    def _walk(self) -> Strategy:
        return BreadthFirst(self.depth) if self.order == BREADTH else DepthFirst(self.depth)
