"""The hot words of a time, counted beside the requests, for that may take seconds."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Engine

from newsspider.analysis.words import HotWord, hot_words
from newsspider.store.articles.export import Filters
from newsspider.store.engine.database import reading
from newsspider.store.engine.errors import StoreFails

logger = logging.getLogger(__name__)

MOST = 50  # words of a time
GOOD_SECONDS, MOST_TIMES = 600.0, 16  # how long words are good, how many times are kept


class _Counted(NamedTuple):
    words: Sequence[HotWord]
    at: float


class HotWords:
    """Of some times, each counted once and again after a while; who asks meanwhile gets what was counted before."""

    def __init__(self) -> None:
        self._counted: dict[object, _Counted] = {}  # memory: MOST words of MOST_TIMES times
        self._running: dict[object, threading.Thread] = {}
        self._lock = threading.Lock()

    def of_hours(self, engine: Engine, hours: int, now: datetime, patience: float | None) -> Sequence[HotWord]:
        """Those of the last so many hours; see :meth:`of`."""
        return self.of(engine, hours, Filters(since=now - timedelta(hours=hours), until=now), now, patience)

    def of(
        self, engine: Engine, key: object, filters: Filters, now: datetime, patience: float | None
    ) -> Sequence[HotWord]:
        """The words of the time that ``filters`` name, which is called ``key``; waits for the count at most these
        seconds, without a number until it is done."""
        seconds = now.timestamp()
        with self._lock:
            counted = self._counted.get(key)
            if counted is not None and seconds - counted.at < GOOD_SECONDS:
                return counted.words
            thread = self._running.get(key)
            if thread is None:
                values = (engine, key, filters, seconds)
                thread = self._running[key] = threading.Thread(target=self._count, args=values, daemon=True)
                thread.start()
        thread.join(patience if counted is None else 0.0)
        counted = self._counted.get(key)
        return () if counted is None else counted.words

    def _count(self, engine: Engine, key: object, filters: Filters, seconds: float) -> None:
        words: Sequence[HotWord] = ()
        try:
            with reading(engine) as conn:
                words = hot_words(conn, filters, MOST)
        except StoreFails as error:
            logger.warning("hot words were not counted: %s", error)
        finally:
            with self._lock:
                self._counted.pop(key, None)
                self._counted[key] = _Counted(words, seconds)
                while len(self._counted) > MOST_TIMES:
                    del self._counted[next(iter(self._counted))]
                del self._running[key]
