"""Weighted polling: lists are polled in rounds by weight, as the education spider does.

The rounds and priorities are those of :mod:`newsspider.core.scheduling.priorities`.

Source: weighted round robin, as focused news crawlers use it. Choose it to watch known lists for new articles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.scheduling.priorities import ARTICLE_PRIORITY, LIST_PRIORITY, priority, update_cycle
from newsspider.core.strategies.strategy import Counts, LinkSeen, Need, Placement, Strategy, Visit, if_new


@dataclass(frozen=True, slots=True)
class WeightedPolling(Strategy):
    """Seeds are lists, polled in rounds by weight; their links are fetched once, with the weight of the list."""

    round_seconds: float = 60.0
    depth: int = 1

    needs = frozenset({Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(priority(LIST_PRIORITY, weight), 0, update_cycle=update_cycle(weight, self.round_seconds))

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        own = visit.placement.priority
        article = Placement(own if depth > 1 else own - LIST_PRIORITY + ARTICLE_PRIORITY, depth)
        return [if_new(link, article) for link in links]
