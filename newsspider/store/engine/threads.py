"""Starts threads whose death is noticed: it is logged with its cause, counted, and ends or restarts what needs it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from threading import Event, Thread

REST_SECONDS = 60.0  # before a thread that died starts again

DEATHS: Counter[str] = Counter()  # memory: the names of our threads, a dozen

logger = logging.getLogger(__name__)


def start_thread(
    name: str,
    work: Callable[[], object],
    *,
    until: Event | None = None,
    rest_seconds: float | None = None,
    died: Callable[[str], object] | None = None,
) -> Thread:
    """Run ``work`` in a daemon thread. If it raises anything, this is logged, its traceback only the first time, and
    ``died`` is told. With ``until``, the work begins again after :data:`REST_SECONDS`, or ``rest_seconds``, unless that
    event is set by then."""
    rest = REST_SECONDS if rest_seconds is None else rest_seconds

    def run() -> None:
        while not _is_done(name, work, f"; it starts again in {rest:g} s" if until else "", died):
            if until is None or until.wait(rest):
                return

    thread = Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


def _is_done(name: str, work: Callable[[], object], then: str, died: Callable[[str], object] | None) -> bool:
    try:
        work()
        return True
    except BaseException as error:  # the fence of the thread: whatever happens, nobody may wait for it forever
        DEATHS[name] += 1
        sentence = f"the thread {name} died: {error!r}"
        logger.error("%s%s (deaths so far: %d)", sentence, then, DEATHS[name], exc_info=DEATHS[name] == 1)
        if died is not None:
            died(sentence)
        return False
