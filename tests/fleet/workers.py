"""The workers of a fleet: whole crawls, as processes of their own, that tell the hosts who they are."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.events import until
from tests.support.hosts import AGENT
from tests.support.portal import environment
from tests.support.process import Process


class Workers:
    """The workers of one crawl, all with the same options."""

    def __init__(self, database: str, redis: str, folder: Path, sites: Path, *options: str, spider: str = "education") -> None:
        self.environment = environment(database) | {"NEWSSPIDER_REDIS_URL": redis, "NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8"}
        self.folder, self.spider = folder, spider
        self.options = ("-a", f"sites={sites}", "-a", "topic=any", *options)
        self.running: dict[str, Process] = {}

    def start(self, *names: str) -> None:
        """Start workers of these names."""
        for name in names:
            arguments = ("crawl", self.spider, *self.options, "-s", f"USER_AGENT={AGENT}{name}")
            self.running[name] = Process(arguments, self.environment, self.folder / f"{name}.log")

    def send(self, name: str, number: int = signal.SIGTERM) -> None:
        """Send a worker a signal."""
        self.running[name].send_signal(number)

    def wait(self, seconds: float) -> dict[str, int]:
        """The exit codes, when all have ended."""
        return {name: process.wait(seconds) for name, process in self.running.items()}

    def until(self, condition: Callable[[], bool], seconds: float) -> None:
        """Return as soon as the condition holds; fail, with all that is known, after so many seconds or when a worker ends before."""

        def looked() -> bool:
            ended = [name for name, process in self.running.items() if process.poll() is not None]
            assert not ended, f"ended: {ended}\n{self.log_ends()}"
            return condition()

        until(looked, seconds=seconds, progress=self.log_ends)

    def log_ends(self) -> str:
        """The exit codes so far and the ends of the logs."""
        return "\n".join(
            f"{name}, exit code {process.poll()}: {(self.folder / f'{name}.log').read_text('utf-8')[-1500:]}"
            for name, process in self.running.items()
        )


@contextmanager
def fleet(workers: Workers) -> Iterator[Workers]:
    """The workers; those that still run at the end are killed."""
    try:
        yield workers
    finally:
        for process in workers.running.values():
            process.kill()
