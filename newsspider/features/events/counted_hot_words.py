"""The hot words of a time, counted in a process of its own: that may take seconds, and some ten megabytes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import NamedTuple

from sqlalchemy import Engine

from newsspider.features.console.child_process import ChildError, arguments_of_parent, done_apart, return_result
from newsspider.features.events.hot_words import HotWord, hot_words
from newsspider.store.articles.article_filters import Filters
from newsspider.store.engine.database import open_store, reading
from newsspider.store.engine.watched_threads import start_thread

logger = logging.getLogger(__name__)

MOST_WORDS = 50  # words of a time
COUNT_SECONDS = 300.0  # that a count may take
GOOD_SECONDS, MOST_TIMES = 600.0, 16  # how long words are good, how many times are kept
MOST_WAITING = 2  # requests that wait for a count, each in a thread of the server


def counted_apart(engine: Engine, filters: Filters) -> list[HotWord]:
    """The hot words of the time that ``filters`` name; :exc:`ChildError`."""
    arguments = engine.url.render_as_string(hide_password=False), filters
    return [HotWord(**record) for record in done_apart(__name__, arguments, COUNT_SECONDS)["words"]]


def main() -> None:
    """In the process of its own."""
    store, filters = arguments_of_parent()
    with reading(open_store(store, readable=True)) as conn:
        return_result({"words": [asdict(word) for word in hot_words(conn, filters, MOST_WORDS)]})


class _Counted(NamedTuple):
    words: Sequence[HotWord]
    at: float


class HotWords:
    """The hot words of the time spans that were asked for last. Each is counted again after a while; until that count
    is done, readers get the one before."""

    def __init__(self) -> None:
        self._counted: dict[object, _Counted] = {}  # memory: MOST words of MOST_TIMES times
        self._running: dict[object, threading.Thread] = {}
        self._lock = threading.Lock()
        self._waiting = threading.BoundedSemaphore(MOST_WAITING)

    def of(
        self, engine: Engine, key: object, filters: Filters, now: datetime, patience: float
    ) -> Sequence[HotWord] | None:
        """The words of the time that ``filters`` name, which is called ``key``; waits for the count at most these
        seconds, and not at all where ``MOST_WAITING`` others do. ``None``: they are not counted yet, or those of
        another time are being counted."""
        for _ in range(2):  # behind the count of another time there is a turn
            counted, thread = self._counting(engine, key, filters, now.timestamp())
            if thread is None or counted is not None or not self._waiting.acquire(blocking=False):
                break
            try:
                thread.join(patience)
            finally:
                self._waiting.release()
        counted = self._counted.get(key)
        return None if counted is None else counted.words

    def _counting(
        self, engine: Engine, key: object, filters: Filters, seconds: float
    ) -> tuple[_Counted | None, threading.Thread | None]:
        """What was counted before, and, if that is old, the thread that counts: one at a time for all."""
        with self._lock:
            counted = self._counted.get(key)
            if counted is not None and 0 <= seconds - counted.at < GOOD_SECONDS:
                return counted, None
            if not self._running:
                values = (engine, key, filters, seconds)
                self._running[key] = start_thread("newsspider-hot-words", partial(self._count, *values))
            return counted, next(iter(self._running.values()))

    def _count(self, engine: Engine, key: object, filters: Filters, seconds: float) -> None:
        try:
            words = counted_apart(engine, filters)
            with self._lock:
                self._counted.pop(key, None)
                self._counted[key] = _Counted(words, seconds)
                while len(self._counted) > MOST_TIMES:
                    del self._counted[next(iter(self._counted))]
        except ChildError as problem:
            logger.warning("hot words were not counted: %s", problem)
        finally:
            with self._lock:
                del self._running[key]
