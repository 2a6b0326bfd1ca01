"""Ranks events as headlines: by the weight of the sources, their number, and how fresh the news is."""

from __future__ import annotations

import math
from collections.abc import Iterable

HALF_LIFE = 12 * 3600  # seconds after which an event without news is worth half
HEAVIEST = 10  # weight of a source


def headline_score(weights: Iterable[float], age: float) -> float:
    """The score of an event; ``weights`` are those of the sites that report it, ``age`` the seconds since its last
    page.

    A site counts by the square of its weight: one central source outweighs several small ones.

    >>> headline_score([9], 0), headline_score([9], HALF_LIFE), headline_score([5, 5, 5], 0)
    (0.81, 0.405, 0.75)
    """
    return sum((weight / HEAVIEST) ** 2 for weight in weights) * math.exp2(-max(age, 0) / HALF_LIFE)
