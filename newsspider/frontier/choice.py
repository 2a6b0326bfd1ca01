"""Which frontier a worker uses: the ledger alone, or a Redis server beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.frontier.sql import SqlFrontier

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from scrapy.settings import BaseSettings

    from newsspider.store.writer import Writer


def frontier_of(settings: BaseSettings, writer: Writer, worker: str) -> SqlFrontier:
    """The frontier of a worker; with ``REDIS_URL``, one that shares a copy of the queues with all others."""
    lease_seconds = settings.getfloat("LEASE_SECONDS")
    if not settings["REDIS_URL"]:
        return SqlFrontier(writer, worker, lease_seconds)
    from newsspider.frontier.redis import RedisFrontier

    return RedisFrontier(writer, worker, lease_seconds, redis_of(settings), settings["REDIS_PREFIX"])


def redis_of(settings: BaseSettings) -> Redis:
    """The asynchronous client of scrapy-redis's connection settings: ``REDIS_URL``, ``REDIS_PARAMS``.

    What fails is tried once more at once, for the connection may be an old one; how long to wait is its user's to say.
    """
    from redis.asyncio import Redis
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from scrapy_redis import connection, defaults

    ours = {"redis_cls": Redis, "url": settings["REDIS_URL"], "decode_responses": False, "retry": Retry(NoBackoff(), 1)}
    found: Redis = connection.get_redis(  # type: ignore[no-untyped-call] # scrapy-redis has no types
        **{**defaults.REDIS_PARAMS, **settings.getdict("REDIS_PARAMS"), **ours}
    )
    return found
