"""The stats collector: counts what a crawl does, also where a long list is read in a thread."""

from __future__ import annotations

from threading import Lock
from typing import Any

from scrapy.statscollectors import MemoryStatsCollector


class ThreadStatsCollector(MemoryStatsCollector):
    """Loses no increment, whichever thread makes it: Scrapy's own reads a count and writes it back."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._counting = Lock()

    def inc_value(self, key: str, count: int = 1, start: int = 0, spider: Any = None) -> None:
        """Raise a count; whose spider it is does not matter."""
        with self._counting:
            self._stats[key] = self._stats.get(key, start) + count
