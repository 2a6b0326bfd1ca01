"""The connections of a worker to Redis, by scrapy-redis's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redis import Redis, asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry
from scrapy_redis import connection, defaults

from newsspider.features.fleet.password import with_password
from newsspider.features.fleet.shared_keys import RedisKeys

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SHARED_KEYS_SECONDS = 0.5  # a slower server does not help


def redis_of(settings: BaseSettings) -> asyncio.Redis:
    """The asynchronous client of scrapy-redis's connection settings.

    A failed command is repeated once at once, since its connection may be stale; the caller sets the timeout.
    """
    client: asyncio.Redis = client_of(settings, redis_cls=asyncio.Redis, retry=AsyncRetry(NoBackoff(), 1))
    return client


def shared_keys_of(settings: BaseSettings) -> RedisKeys:
    """The keys of known URLs that the workers share, on a connection of its own: the writer's thread waits for it."""
    seconds = {"socket_timeout": SHARED_KEYS_SECONDS, "socket_connect_timeout": SHARED_KEYS_SECONDS}
    return RedisKeys(
        client_of(settings, redis_cls=Redis, retry=Retry(NoBackoff(), 1), **seconds), settings["REDIS_PREFIX"]
    )


def client_of(settings: BaseSettings, **ours: Any) -> Any:
    """A client of scrapy-redis's settings: ``REDIS_URL``, ``REDIS_HOST``, ``REDIS_PORT``, ``REDIS_DB``,
    ``REDIS_PARAMS``; keys and rows of ours are bytes in UTF-8, whatever ``REDIS_ENCODING`` says of messages."""
    named = {name: settings[setting] for setting, name in connection.SETTINGS_PARAMS_MAP.items() if settings[setting]}
    options = {**defaults.REDIS_PARAMS, **settings.getdict("REDIS_PARAMS"), **named}
    options.pop("retry_on_timeout", None)  # deprecated: every client tries again
    options |= {"encoding": "utf-8", "decode_responses": False, **ours}
    return connection.get_redis(**with_password(options))  # type: ignore[no-untyped-call] # scrapy-redis has no types
