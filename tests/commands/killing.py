"""Kills a command in the middle of its work."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from tests.commands.reading import ROOT
from tests.events import until


def kill_when(condition: Callable[[], bool], database: str, *words: str) -> None:
    """Start ``scrapy`` with these words on a store, and kill it as soon as the condition holds."""
    environment = {**os.environ, "NEWSSPIDER_DATABASE_URL": database}
    command = [sys.executable, "-m", "scrapy", *words]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=quiet, stderr=quiet) as process:
        try:
            until(condition, process, 240)
        finally:
            process.kill()
