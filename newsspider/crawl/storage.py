"""The storage of one crawl: engine, writer, and the frontier that hands out URLs to a worker; worker names show whether
a worker of this machine is still alive."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from newsspider.frontier.sql_frontier import SqlFrontier
from newsspider.hooks import plugins
from newsspider.store.engine.database import open_store
from newsspider.store.engine.writer import Writer

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector
    from sqlalchemy import Engine

    from newsspider.store.engine.clock import Clock


@dataclass(frozen=True, slots=True)
class Storage:
    """Settings: ``DATABASE_URL``, ``REDIS_URL``, ``LEASE_SECONDS``, ``WRITER_*``. Stats: ``writer/*``."""

    engine: Engine
    writer: Writer
    frontier: SqlFrontier

    @classmethod
    def open(cls, settings: BaseSettings, worker: str, clock: Clock) -> Self:
        # with Redis, a taken message exists nowhere else
        engine = open_store(settings["DATABASE_URL"], durable=uses_redis(settings))
        writer = Writer(
            engine,
            settings.getint("WRITER_BATCH"),
            settings.getfloat("WRITER_PATIENCE_SECONDS"),
            settings.getfloat("WRITER_GATHER_SECONDS"),
        )
        return cls(engine, writer, frontier_of(settings, writer, worker, clock.now))

    async def close(self, stats: StatsCollector) -> None:
        """Finish the writer's work and close all connections."""
        await self.frontier.close()
        for name, value in dataclasses.asdict(self.writer.figures).items():
            # stat writer/transactions: commits
            # stat writer/jobs: jobs done in them, mostly pages
            # stat writer/failed_jobs: jobs that raised an exception
            # stat writer/retries: transactions repeated because the store was locked or away
            # stat writer/longest_wait_seconds: the longest wait of a job
            stats.set_value(f"writer/{name}", value)
        try:
            await asyncio.to_thread(self.writer.close)
        except RuntimeError:  # no thread can be started
            self.writer.close()
        self.engine.dispose()


_STARTED = time.time_ns()  # a worker of this process began later


def worker_name() -> str:
    """A name for this process: host, process id and time."""
    return f"{socket.gethostname()}:{os.getpid()}:{time.time_ns()}"


def died_here(worker: str) -> bool:
    """Whether this worker was a process of this machine that no longer exists; this process may have its id now.

    On Windows other processes cannot be checked: the leases of a dead worker expire by themselves.
    """
    name, _, moment = worker.rpartition(":")
    host, _, rest = name.rpartition(":")
    if host != socket.gethostname() or not rest.isdigit():
        return False
    if os.name == "posix":  # elsewhere signal 0 is Ctrl-C
        try:
            os.kill(int(rest), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
    return int(rest) == os.getpid() and moment.isdigit() and int(moment) < _STARTED


def frontier_of(settings: BaseSettings, writer: Writer, worker: str, clock: Callable[[], float]) -> SqlFrontier:
    """The frontier of a worker; with ``REDIS_URL``, one that shares a copy of the queues with all others.

    ``FRONTIER_ASSIGNMENT`` says whether it helps with the hosts of other workers.
    """
    frontier: SqlFrontier | None = plugins().hook.frontier(settings=settings, writer=writer, worker=worker, clock=clock)
    if frontier is not None:
        return frontier
    assigned = settings["FRONTIER_ASSIGNMENT"] == "static"
    return SqlFrontier(writer, worker, settings.getfloat("LEASE_SECONDS"), clock, assigned=assigned)


def uses_redis(settings: BaseSettings) -> bool:
    """Whether a Redis server is named; without one, no module of Redis is loaded."""
    return any(settings[name] for name in ("REDIS_URL", "REDIS_HOST", "REDIS_PORT", "REDIS_PARAMS"))
