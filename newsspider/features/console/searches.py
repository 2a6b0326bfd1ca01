"""Buffers the searches of readers until they are written to the store."""

from __future__ import annotations

from collections import Counter
from threading import Lock

from sqlalchemy import Engine

from newsspider.core.text.characters import storable
from newsspider.store.engine.database import writing
from newsspider.store.searches import MOST_QUERIES, note

LONGEST_QUERY = 60  # characters; longer ones are pasted headlines


class Searches:
    """Counts queries until they are stored: a search itself writes nothing, so it waits for no crawl."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = Lock()

    def add(self, query: str) -> None:
        """Count a query that found something."""
        query = " ".join(storable(query).split())
        with self._lock:
            if 0 < len(query) <= LONGEST_QUERY and (query in self._counts or len(self._counts) < MOST_QUERIES):
                self._counts[query] += 1

    def store(self, engine: Engine, now: float) -> None:
        """Write down what was counted since the last time; what cannot be written is forgotten."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        if counts:
            with writing(engine) as conn:
                note(conn, counts, now)
