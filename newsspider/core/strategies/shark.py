"""Shark search: fish search with scores instead of verdicts, inherited from ancestors and read from anchors.

Source: Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim and Ur, "The shark-search algorithm" (1998). Choose it for a
scattered topic, where the path to a good page leads through poor ones: children inherit the score of a page, and it
fades step by step, so tunnels are followed as far as the energy lasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.fish import energy_left
from newsspider.core.strategies.order import scored
from newsspider.core.strategies.strategy import (
    UNLIMITED,
    Counts,
    LinkSeen,
    Need,
    Placement,
    Strategy,
    StrategyState,
    Visit,
    if_better,
)


@dataclass(frozen=True, slots=True)
class Shark(Strategy):
    """The priority of a link is ``gamma * inherited + (1 - gamma) * neighbourhood``.

    ``inherited`` is ``delta`` times the relevance of a relevant page, or else ``delta`` times what the page itself
    inherited. ``neighbourhood`` is ``beta * anchor + (1 - beta) * context``, with context 1 if the anchor scores at
    all. In the paper, any page that resembles the query is relevant; here the topic decides.
    """

    energy: int = 3
    delta: float = 0.5
    beta: float = 0.8
    gamma: float = 0.5
    depth: int = UNLIMITED

    needs = frozenset({Need.RELEVANCE, Need.ANCHORS, Need.WAITS})

    def __post_init__(self) -> None:
        for name in ("delta", "beta", "gamma"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} lies between 0 and 1, not at {getattr(self, name)}")

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(scored(1.0), 0, StrategyState(energy=self.energy))

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        energy = energy_left(visit, self.energy)
        if energy is None:
            return [None] * len(links)
        inherited = self.delta * (visit.relevance if visit.relevant else visit.placement.carried.inherited)
        carried = StrategyState(energy, inherited)
        return [if_better(link, Placement(scored(self.potential(inherited, link)), depth, carried)) for link in links]

    def potential(self, inherited: float, link: LinkSeen) -> float:
        """The potential score of a link, 0-1."""
        context = 1.0 if link.anchor > 0 else link.context
        neighbourhood = self.beta * link.anchor + (1 - self.beta) * context
        return self.gamma * inherited + (1 - self.gamma) * neighbourhood
