"""Fish search: a school of fish that breeds where it finds food and dies out where it finds none.

Source: De Bra and Post, "Information retrieval in the World-Wide Web: making client-based searching feasible" (1994);
the potential scores 1, 0.5 and 0 of Hersovici and others (1998) are the three bands here. Choose it for a quick search
around good pages when only a verdict (relevant or not) is available and anchors are uninformative; if links can be
scored, best-first finds more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.order import BAND, newest_first, oldest_first
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

EXCESS = 1.5  # children of a relevant page, in multiples of the width
REST, BEHIND, FRONT, SEEDS = 0, BAND, 2 * BAND, 3 * BAND  # the bands of the list, back to front


@dataclass(frozen=True, slots=True)
class Fish(Strategy):
    """Links of relevant pages go to the front of the list, those of other pages behind them, links to other sites
    first.

    The first ``1.5 * width`` links of a relevant page are children with full ``energy``; the first ``width`` links of
    another page are children with one less than the page. The other links go to the end of the list. An irrelevant
    page without energy has no children. A waiting link that is found again on a relevant page moves to the front.
    """

    width: int = 10
    energy: int = 3
    depth: int = UNLIMITED

    needs = frozenset({Need.NUMBER, Need.RELEVANCE, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(SEEDS, 0, StrategyState(energy=self.energy))

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        energy = energy_left(visit, self.energy)
        if energy is None:
            return [None] * len(links)
        carried = StrategyState(energy=energy)
        width = int(EXCESS * self.width) if visit.relevant else self.width
        placed: list[Placement | None] = [None] * len(links)
        for place, position in enumerate(elsewhere_first(visit, links)):
            priority = _priority(visit, place, place < width)
            placed[position] = if_better(links[position], Placement(priority, depth, carried))
        return placed


def energy_left(visit: Visit, energy: int) -> int | None:
    """The energy of a page's children: full for a relevant page, else one less; ``None``: it has no children."""
    if visit.relevant:
        return energy
    return visit.placement.carried.energy - 1 if visit.placement.carried.energy > 0 else None


def elsewhere_first(visit: Visit, links: Sequence[LinkSeen]) -> list[int]:
    """The positions of the links, those to other sites first."""
    return sorted(range(len(links)), key=lambda position: links[position].host == visit.host)


def _priority(visit: Visit, place: int, child: bool) -> int:
    if child and visit.relevant:
        return FRONT + newest_first(visit.number, place)
    return (BEHIND if child else REST) + oldest_first(visit.number, place)
