"""Watches the writer from a thread of its own: a store that no longer answers, and a writer's thread that died."""

from __future__ import annotations

import logging
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsspider.store.engine.writer import Writer

LOOK_SECONDS = 0.5
SILENT_SECONDS = 5.0  # of one try of a transaction: healthy ones take milliseconds, those of maintenance a second

logger = logging.getLogger(__name__)


class Watchdog:
    """Ends a writer whose thread is stuck or dead, so that nobody waits for it forever.

    After :data:`SILENT_SECONDS` in one try of a transaction the writer's trouble says so. After the writer's patience,
    or when its thread has died, the waiting jobs fail as for a lost store. Silence itself raises no exception: a server
    that is frozen, or a disk that hangs, still holds its connections open.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._over = Event()
        self._thread = Thread(target=self._watch, name="newsspider-writer-watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            try:
                if self._has_ended_writer():
                    return
            except Exception:  # the fence of the thread: one failed look must not be the last
                logger.exception("the writer could not be watched")

    def _has_ended_writer(self) -> bool:
        if self.writer.has_died():
            self.writer.abandon("the thread that writes the store has died")
            return True
        silent = self.writer.measure_wait()
        if silent > max(self.writer.patience, SILENT_SECONDS):
            self.writer.abandon(f"the store cannot be written: it has not answered for {silent:.0f} s")
            return True
        if silent > SILENT_SECONDS:
            self.writer.trouble.note_silence(silent)
        return False
