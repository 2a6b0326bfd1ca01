"""A cache of function results that is bounded in their number and in the length of their arguments; and the end of all
caches of a process that rests."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

SHORT_TEXT = 512  # characters: URLs, names and titles of real pages are shorter

_caches: WeakSet[Any] = WeakSet()  # with a method `cache_clear`

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
        cached = emptied_at_rest(lru_cache(entries)(function))

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            size = 0
            for value in args:
                if value.__class__ is str:
                    size += len(value)
            return cached(*args, **kwargs) if size <= characters else function(*args, **kwargs)  # type: ignore[arg-type]

        return call

    return decorate


def emptied_at_rest(cached: R) -> R:
    """Have :func:`empty_caches` clear a cached function of :mod:`functools`, too; a decorator."""
    _caches.add(cached)
    return cached


def empty_caches() -> None:
    """Forget all results of :func:`bounded_cache`, and what was marked by :func:`emptied_at_rest`: it is worked out, or
    read from files, when it is needed again."""
    for cached in list(_caches):
        cached.cache_clear()
