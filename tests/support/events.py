"""Waiting for something to become true, never for time to pass."""

import sqlite3
import time
from collections.abc import Callable
from typing import Protocol

LOOK_AGAIN_SECONDS = 0.02


class Running(Protocol):
    """A process, as far as it is needed here: a ``subprocess.Popen`` or a ``tests.support.process.Process``."""

    @property
    def returncode(self) -> int | None: ...

    def poll(self) -> int | None: ...


def until(condition: Callable[[], bool], process: Running | None = None, seconds: float = 240, progress: Callable[[], str] = str) -> None:
    """Return as soon as the condition holds; fail if the process ends before, or after so many seconds, with the ``progress`` then."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if condition():
                return
        except sqlite3.OperationalError:  # the store is not there yet
            pass
        if process is not None and process.poll() is not None:
            raise AssertionError(f"the process ended with {process.returncode} before it happened")
        time.sleep(LOOK_AGAIN_SECONDS)
    raise AssertionError(f"did not happen within {seconds:g} s {progress()}")
