"""Work on large values in threads, and the return of the memory that it freed."""

from __future__ import annotations

import asyncio
import ctypes
import os
from collections.abc import Callable
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


_C_LIBRARY = ctypes.CDLL(None) if os.name == "posix" else None
_ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h


def trim() -> None:
    """Return the allocator's free memory to the system; other threads keep running."""
    if release := getattr(_C_LIBRARY, "malloc_trim", None):  # of glibc
        release(0)


def limit_arenas(most: int) -> None:
    """Let threads that begin from now on have at most so many of the allocator's arenas: each keeps what was freed."""
    if limit := getattr(_C_LIBRARY, "mallopt", None):  # of glibc
        limit(_ARENA_MAX, most)


async def in_thread(function: Callable[[Given], Made], value: Given) -> Made:
    """The result of a function for a large value, computed in a thread that then returns its free memory to the
    system."""
    return await asyncio.to_thread(_trimmed, function, value)


def _trimmed(function: Callable[[Given], Made], value: Given) -> Made:
    try:
        return function(value)
    finally:
        trim()
