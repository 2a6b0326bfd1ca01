"""Crawl strategies by name: the orders in which a crawl fetches the URLs it knows.

:mod:`newsspider.features.explore.rules.strategy` describes how a strategy and a crawl work together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from newsspider.features.explore.rules.best_first import BestFirst, Fish, PageWeight, RealTimeQuery
from newsspider.features.explore.rules.breadth_and_depth_first import (
    BreadthFirst,
    DepthFirst,
    LevelRow,
    Mixed,
    Rbse,
    WebCrawler,
    WeightedPolling,
    Worm,
)
from newsspider.features.explore.rules.focused import Focused
from newsspider.features.explore.rules.strategy import UNLIMITED_DEPTH, Strategy

LARGEST_OPTION = 1_000_000_000  # largest value of a float option: seconds, or a weight

STRATEGIES: dict[str, type[Strategy]] = {
    "polling": WeightedPolling,
    "breadth-first": BreadthFirst,
    "depth-first": DepthFirst,
    "mixed": Mixed,
    "worm": Worm,
    "rbse": Rbse,
    "webcrawler": WebCrawler,
    "query": RealTimeQuery,
    "fish": Fish,
    "best-first": BestFirst,
    "focused": Focused,
    "page-weight": PageWeight,
}


def options_of(name: str) -> dict[str, Any]:
    """The options of a strategy with their defaults; raises ``ValueError`` for an unknown name.

    >>> options_of("fish")
    {'width': 10, 'energy': 3, 'depth': 32767}
    """
    if name not in STRATEGIES:
        raise ValueError(f"there is no strategy {name!r}; there are {', '.join(STRATEGIES)}")
    options = fields(STRATEGIES[name])  # type: ignore[arg-type]  # all are dataclasses
    return {option.name: option.default for option in options}


def make_strategy(name: str, options: Mapping[str, str] | None = None) -> Strategy:
    """A strategy with options given as text; raises ``ValueError`` with a message for users.

    >>> make_strategy("fish", {"width": "5"})
    Fish(width=5, energy=3, depth=32767)
    """
    defaults = options_of(name)
    values = {}
    for option, text in (options or {}).items():
        if option not in defaults:
            raise ValueError(f"{name} has no option {option!r}; it has {', '.join(defaults)}")
        values[option] = _value(option, text, defaults[option])
    return STRATEGIES[name](**values)


def _value(option: str, text: str, default: object) -> object:
    try:
        return READERS[type(default)](text)
    except ValueError as error:
        raise ValueError(f"{option}={text}: {error}") from None


def _whole(text: str) -> int:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(UNLIMITED_DEPTH)) else -1
    if not 0 <= number <= UNLIMITED_DEPTH:
        raise ValueError(f"say a whole number from 0 to {UNLIMITED_DEPTH}")
    return number


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= LARGEST_OPTION:
        raise ValueError(f"say a number from 0 to {LARGEST_OPTION}")
    return number


def _levels(text: str) -> tuple[LevelRow, ...]:
    levels = tuple(LevelRow.read(row.strip()) for row in text.split(","))
    if len({level.depth for level in levels}) < len(levels):
        raise ValueError("a depth occurs twice")
    return levels


READERS: dict[type, Callable[[str], object]] = {str: str, int: _whole, float: _number, tuple: _levels}
