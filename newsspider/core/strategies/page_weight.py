"""Page weight: important pages first, by the link graph and the URL, before the page is read.

Source: the crawler of Tianwang (Peking University); :func:`newsspider.core.links.page_weight.page_weight` is the
formula. Choose it for a general index of a region: entry pages and pages with many inlinks come early. Without a graph,
only the directory depth counts: the root 0, /cs 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.links.page_weight import Coefficients, directory_depth, page_weight
from newsspider.core.strategies.strategy import UNLIMITED, Counts, LinkSeen, Need, Placement, Strategy, Visit, if_better

POINTS = 1000  # of priority per unit of weight


@dataclass(frozen=True, slots=True)
class PageWeight(Strategy):
    """``indegree * log2(1 + i) + father * log2(1 + f) + mirrors * log2(1 + m) - directory * d``.

    i pages link to it, f to the best known of these, m other hosts mirror it, and d is its directory depth.
    """

    indegree: float = 1.0
    father: float = 0.5
    mirrors: float = 0.5
    directory: float = 1.0
    depth: int = UNLIMITED

    needs = frozenset({Need.INDEGREE, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(self._priority(url, 0, 0, 0), 0)

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        priorities = (
            self._priority(link.url, link.indegree, max(visit.indegree, link.father), link.mirrors) for link in links
        )
        return [if_better(link, Placement(priority, depth)) for link, priority in zip(links, priorities, strict=True)]

    def _priority(self, url: str, indegree: int, father: int, mirrors: int) -> int:
        by = Coefficients(self.indegree, self.father, self.mirrors, self.directory)
        return round(POINTS * float(page_weight(indegree, father, mirrors, directory_depth(url), by)))
