"""WebCrawler's real-time query mode: the index answers, and every page fetched for the question makes it answer better.

Source: Pinkerton, "Finding what people want: experiences with the WebCrawler" (1994). It starts from the index's best
answers and follows the links whose anchors resemble the query; after every page the query is run again, and it goes on
from the new top. Choose it for one question, asked now; it forgets nothing, since each new page is indexed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.order import STEPS, scored
from newsspider.core.strategies.strategy import Counts, LinkSeen, Need, Placement, Strategy, Visit, if_better


@dataclass(frozen=True, slots=True)
class RealTimeQuery(Strategy):
    """Links of the best result first, best anchors first among them; an anchor below ``resembling`` is not followed.

    ``Visit.relevance`` is the score of the page in the results, ``LinkSeen.anchor`` the similarity of the anchor to
    the query. After the query was run again, :meth:`place` gives the new positions of the waiting links.
    """

    resembling: float = 0.1
    depth: int = 5

    needs = frozenset({Need.RELEVANCE, Need.ANCHORS, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(scored(1.0) * STEPS + STEPS, 0)

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        placements = (self.place(visit.relevance, link.anchor, depth) for link in links)
        return [placement and if_better(link, placement) for link, placement in zip(links, placements, strict=True)]

    def place(self, answer: float, anchor: float, depth: int) -> Placement | None:
        """The placement of a link of a page with this score in the latest results; ``None``: it is not followed."""
        if anchor < self.resembling or depth > self.depth:
            return None
        return Placement(scored(answer) * STEPS + scored(anchor), depth)
