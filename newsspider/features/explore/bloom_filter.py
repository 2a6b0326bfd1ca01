"""The URL memory of the classical crawlers: a Bloom filter without a store behind it.

URLs that it takes for known are neither looked up nor offered, so a run loses new URLs at its error rate. In return it
answers without the store, and takes 3 bytes a URL. It is filled from the ledger at the start of a run, and learns only
URLs that were committed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pybloom_live import pybloom
from sqlalchemy import Connection

from newsspider.store.engine.statement import Statement

FIRST_CAPACITY = 100_000  # URLs; it grows by parts, each four times as large as the one before
# pybloom-live gives its first part 0.9 of the given rate, and each further one 0.9 of that of the part before. A key is
# looked up in all parts, so the rates add up, in the end to nine times the given rate (Almeida et al., Scalable Bloom
# Filters, 2007).
PARTS_TOGETHER = 9

Scalable: Any = pybloom.ScalableBloomFilter  # it has no types

_KEYS = Statement("SELECT key FROM urls WHERE site = :site AND channel = 'explore'")


class SeenFilter:
    """A set of keys that takes a share of ``error_rate`` of all others for its own."""

    def __init__(self, error_rate: float) -> None:
        self._filter = Scalable(FIRST_CAPACITY, error_rate / PARTS_TOGETHER, mode=Scalable.LARGE_SET_GROWTH)

    def __contains__(self, key: object) -> bool:
        return bool(key in self._filter)

    def add(self, keys: Iterable[int]) -> None:
        """Add keys."""
        for key in keys:
            self._filter.add(key)

    def fill(self, conn: Connection, site: str) -> None:
        """Add every URL that a crawl has in the ledger."""
        self.add(row.key for row in _KEYS.run(conn, {"site": site}))

    @property
    def bytes(self) -> int:
        """The memory that the bits take."""
        return sum(len(part.bitarray) for part in self._filter.filters) // 8
