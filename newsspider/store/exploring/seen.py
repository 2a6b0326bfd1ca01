"""The URL memory of the classical crawlers: a Bloom filter and nothing behind it.

What it takes for known is neither looked up nor offered, so of a million new URLs it loses at most the share that is
its error rate, for ever as long as it lives. In return it answers without the store, from 3 bytes a URL. It is filled
from the ledger when a run begins, and learns only what was committed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pybloom_live import pybloom
from sqlalchemy import Connection

from newsspider.store.engine.statement import Statement

FIRST_CAPACITY = 100_000  # URLs; it grows by parts, each four times as large as the one before
# pybloom-live gives its first part 0.9 of the rate that it is told, and each further one 0.9 of that of the part
# before. A key is
# asked of all parts, so the rates add up, in the end to nine times that rate (Almeida et al., Scalable Bloom Filters,
# 2007).
PARTS_TOGETHER = 9

Scalable: Any = pybloom.ScalableBloomFilter  # it has no types

_KEYS = Statement("SELECT key FROM urls WHERE site = :site AND channel = 'explore'")


class SeenFilter:
    """Knows the keys that were added, and takes a share of ``error_rate`` of all others for known."""

    def __init__(self, error_rate: float) -> None:
        self._filter = Scalable(FIRST_CAPACITY, error_rate / PARTS_TOGETHER, mode=Scalable.LARGE_SET_GROWTH)

    def __contains__(self, key: object) -> bool:
        return bool(key in self._filter)

    def add(self, keys: Iterable[int]) -> None:
        """Know these from now on."""
        for key in keys:
            self._filter.add(key)

    def fill(self, conn: Connection, site: str) -> None:
        """Know every URL that a crawl has in the ledger."""
        self.add(row.key for row in _KEYS.run(conn, {"site": site}))

    @property
    def bytes(self) -> int:
        """How much memory the bits take."""
        return sum(len(part.bitarray) for part in self._filter.filters) // 8
