"""Starts threads whose death is noticed: it is logged with its cause, counted, and ends or restarts what needs it. One
watches the writer, as a store may no longer answer."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsspider.store.engine.writer import Writer


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


LOOK_SECONDS = 0.5
SILENT_SECONDS = 5.0  # of one try of a transaction: healthy ones take milliseconds, those of maintenance a second


class Watchdog:
    """Ends a writer whose thread is stuck, so that nobody waits for it forever.

    After :data:`SILENT_SECONDS` in one try of a transaction the writer's trouble says so. After the writer's patience
    the waiting jobs fail as for a lost store. Silence itself raises no exception: a server that is frozen, or a disk
    that hangs, still holds its connections open. Time in which this process was stopped itself does not count.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._over = Event()
        start_thread("newsspider-writer-watchdog", self._watch, until=self._over, rest_seconds=LOOK_SECONDS)

    def stop(self) -> None:
        """End the thread."""
        self._over.set()

    def _watch(self) -> None:
        resumed_at = looked_at = time.monotonic()
        while not self._over.wait(LOOK_SECONDS):
            now = time.monotonic()
            if now - looked_at > LOOK_SECONDS + SILENT_SECONDS:  # Ctrl-Z, a paused container, a suspended machine
                resumed_at = now
            looked_at = now
            if self._has_ended_writer(now - resumed_at):
                return

    def _has_ended_writer(self, awake: float) -> bool:
        silent = min(self.writer.measure_wait(), awake)
        if silent > max(self.writer.patience, SILENT_SECONDS):
            cause = f"the store cannot be written: it has not answered for {silent:.0f} s"
            logger.error(cause)
            self.writer.abandon(cause)
            return True
        if silent > SILENT_SECONDS:
            self.writer.trouble.note_silence(silent)
        return False
