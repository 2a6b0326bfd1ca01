"""Divides figures into levels, from zero to a round figure."""

from __future__ import annotations

from collections.abc import Sequence

COLOUR_LEVELS = 5  # of a colour, which can still be told apart


def rounded_up(value: float) -> float:
    """The next higher figure that begins with 1, 2 or 5, for the top of an axis; 1 for none.

    >>> [rounded_up(value) for value in (0, 3, 41, 0.13, 1000)]
    [1, 5, 50, 0.2, 1000]
    """
    power = 1.0
    if value <= 0:
        return 1
    while power < value:
        power *= 10
    while power > value:
        power /= 10
    top = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= value * 0.999999)
    return round(top) if top >= 1 else round(top, 9)


def levels_to(most: float, *, whole: bool) -> list[float]:
    """The highest figure of each level. They grow with the square, so that many small figures beside a large one are
    told apart, too. Of ``whole`` figures each level has one at least.

    >>> levels_to(480, whole=True), levels_to(3, whole=True), levels_to(0.2, whole=False)
    ([20, 80, 180, 320, 500], [1, 2, 3, 5], [0.008, 0.032, 0.072, 0.128, 0.2])
    """
    top = rounded_up(most)
    ends = [top * (place / COLOUR_LEVELS) ** 2 for place in range(1, COLOUR_LEVELS + 1)]
    return sorted({max(round(end), 1) for end in ends}) if whole else [round(end, 6) for end in ends]


def level_of(figure: float, ends: Sequence[float]) -> int | None:
    """The level of a figure, of fewer than :data:`COLOUR_LEVELS` the higher ones; ``None`` for nothing.

    >>> [level_of(figure, [20, 80, 180, 320, 500]) for figure in (0, 1, 20, 21, 500)], level_of(1, [1])
    ([None, 0, 0, 1, 4], 4)
    """
    if figure <= 0:
        return None
    return COLOUR_LEVELS - len(ends) + next(place for place, end in enumerate(ends) if figure <= end)
