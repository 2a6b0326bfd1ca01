"""A cache of function results that is bounded in their number and in the length of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

SHORT_TEXT = 512  # characters: URLs, names and titles of real pages are shorter

P = ParamSpec("P")
R = TypeVar("R")


def bounded_cache(entries: int, characters: int = SHORT_TEXT) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """:func:`functools.lru_cache` with a bound in bytes: a call whose strings have more than ``characters`` characters
    in total is not cached.

    >>> lengths = []
    >>> measured = bounded_cache(2, characters=4)(lambda text: lengths.append(len(text)))
    >>> [measured(text) for text in ("four", "four", "longer", "longer")] and lengths
    [4, 6, 6]
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        cached = lru_cache(entries)(function)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            size = 0
            for value in args:
                if value.__class__ is str:
                    size += len(value)
            return cached(*args, **kwargs) if size <= characters else function(*args, **kwargs)  # type: ignore[arg-type]

        return call

    return decorate
