"""The messages that people push for a spider, in a list, a set or a sorted set of Redis: read first, removed later."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from redis.exceptions import LockError

from newsspider.features.fleet.redis_outages import Asking

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from scrapy.settings import BaseSettings

LOCK_SECONDS = 30.0  # for which a worker that dies while it takes messages blocks the others

logger = logging.getLogger(__name__)


class Form(NamedTuple):
    """How the messages of a type of Redis are read, and how one is removed in a transaction."""

    read: Callable[[Any, str, int], Awaitable[list[Any]]]
    remove: Callable[[Any, str, bytes], object]


LIST = Form(
    lambda redis, key, count: redis.lrange(key, 0, count - 1),
    lambda pipeline, key, message: pipeline.lrem(key, 1, message),
)
SET = Form(
    lambda redis, key, count: redis.srandmember(key, count), lambda pipeline, key, message: pipeline.srem(key, message)
)
SORTED_SET = Form(
    lambda redis, key, count: redis.zrevrange(key, 0, count - 1, withscores=True),
    lambda pipeline, key, message: pipeline.zrem(key, message),
)


class RedisMessages:
    """The messages of one key of this form; invalid ones go to the list ``dead``."""

    def __init__(self, redis: Redis, key: str, dead: str, form: Form = LIST) -> None:
        self.redis = redis
        self.key = key
        self.dead = dead
        self._form = form
        self._asking = Asking(f"so the URLs of {key} wait")

    @classmethod
    def of(cls, redis: Redis, settings: BaseSettings, spider: str) -> Self:
        """Those for a spider. Settings: ``REDIS_START_URLS_KEY``, ``_AS_SET``, ``_AS_ZSET``."""
        key = settings["REDIS_START_URLS_KEY"] % {"name": spider}
        sorted_set = SORTED_SET if settings.getbool("REDIS_START_URLS_AS_ZSET") else LIST
        form = SET if settings.getbool("REDIS_START_URLS_AS_SET") else sorted_set
        return cls(redis, key, f"{spider}:dead_letters", form)

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[bool]:
        """Whether this worker has the lock to take messages."""
        lock = self.redis.lock(f"{self.key}:lock", timeout=LOCK_SECONDS, blocking=False)
        _, locked = await self._asking.ask(lock.acquire)
        if not locked:
            yield False
            return
        try:
            yield True
        finally:
            await self._asking.ask(lambda: _release(lock))

    async def first(self, count: int) -> list[tuple[bytes, float]]:
        """The first messages, those with the highest score of a sorted set, each with its score."""
        _, messages = await self._asking.ask(lambda: self._form.read(self.redis, self.key, count))
        return [message if isinstance(message, tuple) else (message, 0.0) for message in messages or ()]

    async def remove(self, messages: Sequence[bytes], letters: Sequence[str]) -> bool:
        """Remove these messages and add the dead letters, in one transaction; returns whether that succeeded."""
        pipeline: Any = self.redis.pipeline(transaction=True)
        for message in messages:
            self._form.remove(pipeline, self.key, message)
        if letters:
            pipeline.rpush(self.dead, *letters)
        answered, _ = await self._asking.ask(pipeline.execute)
        return answered


async def _release(lock: Any) -> None:
    try:
        await lock.release()
    except LockError:  # it expired, or Redis was wiped: at worst another worker took the same messages
        logger.debug("the lock of the start URLs had expired")
