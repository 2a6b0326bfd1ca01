"""Best-first search on relevance: always the most promising link, by its page, its anchor text and its list.

Source: Cho, Garcia-Molina and Page, "Efficient crawling through URL ordering" (1998); the soft focus of Chakrabarti,
van den Berg and Dom, "Focused crawling" (1999). Choose it to harvest a topic that can be scored: it fetches the highest
share of on-topic pages. It is greedy: pages behind a chain of poor ones come late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.order import scored
from newsspider.core.strategies.strategy import UNLIMITED, Counts, LinkSeen, Need, Placement, Strategy, Visit, if_better

TOPICAL = 0.5  # from here an anchor or context is on topic


@dataclass(frozen=True, slots=True)
class BestFirst(Strategy):
    """The priority of a link is the weighted mean of three scores.

    ``page``: the relevance of the page; ``anchor``: the better score of anchor and context; ``share``: the share of
    the page's links that are on topic, which distinguishes a list on the topic from a page that happens to link to
    it.
    """

    page: float = 0.2
    anchor: float = 0.4
    share: float = 0.4
    depth: int = UNLIMITED

    needs = frozenset({Need.RELEVANCE, Need.ANCHORS, Need.WAITS})

    def __post_init__(self) -> None:
        if not self.page + self.anchor + self.share > 0:
            raise ValueError("one of page, anchor and share must be above 0")

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(scored(1.0), 0)

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        scores = [max(link.anchor, link.context) for link in links]
        total = self.page + self.anchor + self.share
        base = self.page * visit.relevance + self.share * share_on_topic(scores)
        return [
            if_better(link, Placement(scored((base + self.anchor * score) / total), depth))
            for link, score in zip(links, scores, strict=True)
        ]


def share_on_topic(scores: Sequence[float]) -> float:
    """The share of the scores that are on topic.

    >>> share_on_topic([0.9, 0.5, 0.1, 0.0])
    0.5
    """
    return sum(score >= TOPICAL for score in scores) / len(scores) if scores else 0.0
