"""Which frontier a worker uses: the ledger alone, or a Redis server beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from newsspider.frontier.sql import SqlFrontier

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from scrapy.settings import BaseSettings

    from newsspider.store.cache.fleet_keys import SharedKeys
    from newsspider.store.engine.writer import Writer

SHARED_KEYS_SECONDS = 0.5  # a slower server does not help


def frontier_of(settings: BaseSettings, writer: Writer, worker: str, clock: Callable[[], float]) -> SqlFrontier:
    """The frontier of a worker; with ``REDIS_URL``, one that shares a copy of the queues with all others.

    ``FRONTIER_ASSIGNMENT`` says whether it helps with the hosts of other workers.
    """
    lease_seconds, assigned = settings.getfloat("LEASE_SECONDS"), settings["FRONTIER_ASSIGNMENT"] == "static"
    if not uses_redis(settings):
        return SqlFrontier(writer, worker, lease_seconds, clock, assigned=assigned)
    from newsspider.frontier.redis import RedisFrontier

    if settings["SEEN_FILTER"] == "redis":
        writer.share(shared_keys_of(settings))
    return RedisFrontier(
        writer, worker, lease_seconds, redis_of(settings), settings["REDIS_PREFIX"], clock, assigned=assigned
    )


def uses_redis(settings: BaseSettings) -> bool:
    """Whether a Redis server is named; without one, no module of Redis is loaded."""
    return any(settings[name] for name in ("REDIS_URL", "REDIS_HOST", "REDIS_PORT", "REDIS_PARAMS"))


def redis_of(settings: BaseSettings) -> Redis:
    """The asynchronous client of scrapy-redis's connection settings.

    A failed command is repeated once at once, since its connection may be stale; the caller sets the timeout.
    """
    from redis.asyncio import Redis
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    client: Redis = client_of(settings, redis_cls=Redis, retry=Retry(NoBackoff(), 1))
    return client


def shared_keys_of(settings: BaseSettings) -> SharedKeys:
    """The keys of known URLs that the workers share, on a connection of its own: the writer's thread waits for it."""
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    from newsspider.store.cache.fleet_keys import SharedKeys

    seconds = {"socket_timeout": SHARED_KEYS_SECONDS, "socket_connect_timeout": SHARED_KEYS_SECONDS}
    return SharedKeys(
        client_of(settings, redis_cls=Redis, retry=Retry(NoBackoff(), 1), **seconds), settings["REDIS_PREFIX"]
    )


def client_of(settings: BaseSettings, **ours: Any) -> Any:
    """A client of scrapy-redis's settings: ``REDIS_URL``, ``REDIS_HOST``, ``REDIS_PORT``, ``REDIS_DB``,
    ``REDIS_PARAMS``; keys and rows of ours are bytes in UTF-8, whatever ``REDIS_ENCODING`` says of messages."""
    from scrapy_redis import connection, defaults

    from newsspider.frontier.redis_password import with_password

    named = {name: settings[setting] for setting, name in connection.SETTINGS_PARAMS_MAP.items() if settings[setting]}
    options = {**defaults.REDIS_PARAMS, **settings.getdict("REDIS_PARAMS"), **named}
    options.pop("retry_on_timeout", None)  # deprecated: every client tries again
    options |= {"encoding": "utf-8", "decode_responses": False, **ours}
    return connection.get_redis(**with_password(options))  # type: ignore[no-untyped-call] # scrapy-redis has no types
