"""``scrapy`` as a process that starts at once: forked from one that has imported everything already."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from tests.crawl.portal import ROOT

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.faults.warm", __name__])


class Process:
    """A ``scrapy`` command that runs: its log goes to a file."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._process: ForkServerProcess = _forks.Process(target=_run, args=(list(arguments), dict(environment), log), daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        """Its number."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """How it ended, if it did."""
        return self._process.exitcode

    def signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def wait(self, seconds: float) -> int | None:
        """Wait for its end, but only so long; the exit code, ``None`` if it still runs."""
        self._process.join(seconds)
        return self.exit_code

    def kill(self) -> None:
        """Kill it, if it still runs, and wait for its end."""
        if self.exit_code is None:
            self.signal(signal.SIGKILL)
            self._process.join(30)


def _run(arguments: list[str], environment: dict[str, str], log: Path) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    with log.open("ab") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    from scrapy.cmdline import execute

    execute(["scrapy", *arguments])
