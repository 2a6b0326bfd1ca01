"""Which frontier a worker uses: that of a plug-in, or the ledger alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from newsspider.frontier.sql import SqlFrontier
from newsspider.hooks import plugins

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.store.engine.writer import Writer


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
