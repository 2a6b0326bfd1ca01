"""Mixed search: a table sets the number of pages and the importance for each depth.

Source: the depth tables of early Chinese crawlers, which balance breadth and depth by hand. Choose it when the shape of
a site is known (a home page, some twenty channels, their lists, the articles) and the effort must be bounded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.strategy import UNLIMITED, Counts, LinkSeen, Need, Placement, Strategy, Visit, if_new

_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Level:
    """One row of the table."""

    depth: int
    pages: int  # at most
    importance: int

    @classmethod
    def read(cls, text: str) -> Level:
        """Parse a row; raises ``ValueError``.

        >>> Level.read("2/600/5")
        Level(depth=2, pages=600, importance=5)
        """
        numbers = text.split("/")
        if len(numbers) != 3 or not all(_NUMBER.fullmatch(number) for number in numbers):
            raise ValueError(f"{text!r} is not DEPTH/PAGES/IMPORTANCE, three whole numbers from 0 to 999999999")
        return cls(*map(int, numbers))


LEVELS = (Level(0, 1, 10), Level(1, 20, 8), Level(2, 600, 5), Level(3, 2000, 2), Level(4, 6000, 1))


@dataclass(frozen=True, slots=True)
class Mixed(Strategy):
    """The priority of a page is the importance of its depth; a depth that is full, or missing from the table, takes
    no more.

    Every seed is taken, even if the table allows fewer pages at depth 0.
    """

    table: tuple[Level, ...] = LEVELS
    depth: int = UNLIMITED

    needs = frozenset({Need.DEPTHS, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> Placement:
        level = self._level(0)
        return Placement(level.importance if level else 0, 0)

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        level = self._level(depth)
        room = level.pages - counts.depths.get(depth, 0) if level else 0
        placed: list[Placement | None] = []
        for link in links:
            placement = if_new(link, Placement(level.importance, depth)) if level and room > 0 else None
            room -= placement is not None
            placed.append(placement)
        return placed

    def _level(self, depth: int) -> Level | None:
        return next((level for level in self.table if level.depth == depth), None)
