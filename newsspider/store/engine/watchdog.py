"""Watches the writer from a thread of its own: a store may no longer answer."""

from __future__ import annotations

import logging
import time
from threading import Event
from typing import TYPE_CHECKING

from newsspider.store.engine.threads import start_thread

if TYPE_CHECKING:
    from newsspider.store.engine.writer import Writer

LOOK_SECONDS = 0.5
SILENT_SECONDS = 5.0  # of one try of a transaction: healthy ones take milliseconds, those of maintenance a second

logger = logging.getLogger(__name__)


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
