"""Buffers the last uses of sessions and API tokens until they are written to the store."""

from __future__ import annotations

from threading import Lock

from sqlalchemy import Engine

from newsspider.features.console.accounts import note_use
from newsspider.store.engine.database import writing


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
