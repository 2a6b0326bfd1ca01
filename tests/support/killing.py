"""Kills a command in the middle of its work."""

import os
from collections.abc import Callable
from pathlib import Path

from tests.support.events import until
from tests.support.process import Process


def kill_when(condition: Callable[[], bool], database: str, *words: str) -> None:
    """Start ``scrapy`` with these words on a store, and kill it as soon as the condition holds."""
    environment = {**os.environ, "NEWSSPIDER_DATABASE_URL": database}
    process = Process(words, environment, Path(os.devnull))
    try:
        until(condition, process, 240)
    finally:
        process.kill()
