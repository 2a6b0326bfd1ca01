"""Returns the memory that large values freed, and does work on such values in threads."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Engine

from newsspider.core.caching import empty_caches

Value = TypeVar("Value")
Result = TypeVar("Result")


_C_LIBRARY = ctypes.CDLL(None) if os.name == "posix" else None
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # M_MMAP_THRESHOLD and M_ARENA_MAX of glibc's malloc.h
LARGE_BYTES = 2**20


def trim_allocator() -> None:
    """Return the allocator's free memory to the system; other threads keep running."""
    if release := getattr(_C_LIBRARY, "malloc_trim", None):  # of glibc
        release(0)


def give_back() -> None:
    """Run the garbage collector, and return freed memory to the system."""
    gc.collect()
    trim_allocator()


def give_memory_back(engine: Engine) -> None:
    """Give back all memory that this process can fill again in a moment: caches, dictionaries, idle connections."""
    empty_caches()
    engine.dispose()  # a connection in use is closed when it is returned
    give_back()


def limit_arenas(most: int) -> None:
    """Limit the arenas of the allocator for threads that start from now on: each arena keeps freed memory."""
    if limit := getattr(_C_LIBRARY, "mallopt", None):  # of glibc
        limit(_ARENA_MAX, most)


def return_large_blocks() -> None:
    """Have each block of :data:`LARGE_BYTES` and more returned to the system when it is freed.

    glibc does so from 128 kB at first, but with every large block that is freed it raises this threshold, up to 32 MB,
    and keeps what lies below. Crawls of hosts that answer with large pages need a tenth less memory.
    """
    if limit := getattr(_C_LIBRARY, "mallopt", None):
        limit(_MMAP_THRESHOLD, LARGE_BYTES)


async def in_thread(function: Callable[[Value], Result], value: Value) -> Result:
    """The result of a function for a large value, computed in a thread that then returns its free memory to the
    system."""
    return await asyncio.to_thread(_trimmed, function, value)


def _trimmed(function: Callable[[Value], Result], value: Value) -> Result:
    try:
        return function(value)
    finally:
        trim_allocator()
