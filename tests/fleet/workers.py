"""The workers of a fleet: whole crawls, as processes of their own, that tell the hosts who they are."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.crawl.portal import ROOT, command, environment
from tests.fleet.hosts import AGENT


class Workers:
    """Those of one crawl; the options are those of each."""

    def __init__(self, database: str, redis: str, folder: Path, sites: Path, *options: str) -> None:
        self.environment = environment(database) | {"NEWSSPIDER_REDIS_URL": redis, "NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8"}
        self.folder = folder
        self.options = ("-a", f"sites={sites}", "-a", "topic=any", *options)
        self.running: dict[str, subprocess.Popen[str]] = {}

    def start(self, *names: str) -> None:
        """Start workers of these names."""
        for name in names:
            arguments = command("crawl", "education", *self.options, "-s", f"USER_AGENT={AGENT}{name}")
            with (self.folder / f"{name}.log").open("w") as log:
                self.running[name] = subprocess.Popen(
                    arguments, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL, stderr=log, text=True
                )

    def send(self, name: str, number: int = signal.SIGTERM) -> None:
        """Send a worker a signal."""
        self.running[name].send_signal(number)

    def wait(self, seconds: float) -> dict[str, int]:
        """The exit codes, when all have ended."""
        return {name: process.wait(seconds) for name, process in self.running.items()}

    def said(self) -> str:
        """The ends of the logs."""
        return "\n".join(f"{name}: {(self.folder / f'{name}.log').read_text('utf-8')[-1500:]}" for name in self.running)


@contextmanager
def fleet(workers: Workers) -> Iterator[Workers]:
    """The workers; those that still run at the end are killed."""
    try:
        yield workers
    finally:
        for process in workers.running.values():
            if process.poll() is None:
                process.kill()
            process.wait()
