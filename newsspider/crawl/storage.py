"""The storage of one crawl: engine, writer, and the frontier that hands out URLs."""

from __future__ import annotations

import asyncio
import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from newsspider.frontier.backend import frontier_of, uses_redis
from newsspider.store.engine.database import open_store
from newsspider.store.engine.writer import Writer

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector
    from sqlalchemy import Engine

    from newsspider.frontier.sql import SqlFrontier
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
