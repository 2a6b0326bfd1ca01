"""Buffers what readers do until it is written to the store, so that a request that only reads waits for no writer: what
they searched for, and when each session or API token was last used."""

from __future__ import annotations

from collections import Counter
from threading import Lock

from sqlalchemy import Engine

from newsspider.core.text.characters import storable
from newsspider.features.console.accounts import note_use
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


class Uses:
    """Keeps the time of each last use until it is stored, so that a request that only reads never waits for a
    writer."""

    def __init__(self) -> None:
        self._moments: dict[str, float] = {}
        self._lock = Lock()

    def add(self, token_hash: str, now: float) -> None:
        """A session or token is used."""
        with self._lock:
            self._moments[token_hash] = now

    def store(self, engine: Engine) -> None:
        """Write down what was used since the last time; what cannot be written is forgotten."""
        with self._lock:
            moments, self._moments = self._moments, {}
        if moments:
            with writing(engine) as conn:
                for token_hash, moment in sorted(moments.items()):
                    note_use(conn, token_hash, moment)
