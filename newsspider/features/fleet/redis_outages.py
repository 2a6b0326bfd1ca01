"""Asks a Redis server that the worker can do without, and goes on without it while it is away."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from redis.exceptions import RedisError, ResponseError

T = TypeVar("T")

ANSWER_SECONDS = 1.0  # a slower server does not help
AWAY_SECONDS = 5.0  # for which it is not asked after a failure
WRONG_TYPE = "WRONGTYPE"  # another program wrote to a key of ours

logger = logging.getLogger(__name__)


class Asking:
    """Asks a Redis server, and does not ask again for a while after a failure.

    Each failure is logged once; ``instead`` says what is done meanwhile. ``mend`` removes keys that hold another type
    than ours; without it that is a failure like any other.
    """

    def __init__(self, instead: str, mend: Callable[[], Awaitable[Any]] | None = None) -> None:
        self._instead = instead
        self._mend = mend
        self._away_until = 0.0
        self._away = False
        self._back = False

    async def ask(self, question: Callable[[], Awaitable[T]]) -> tuple[bool, T | None]:
        """Whether it answered, and its answer."""
        if time.monotonic() < self._away_until:
            return False, None
        try:
            answer = await asyncio.wait_for(question(), ANSWER_SECONDS)
        except (RedisError, OSError, TimeoutError, UnicodeError) as error:
            await self._failed(error)
            return False, None
        if self._away:
            self._away, self._back = False, True
            logger.info("Redis answers again")
        return True, answer

    def came_back(self) -> bool:
        """Whether it has answered again after a failure, since the last call."""
        back, self._back = self._back, False
        return back

    async def _failed(self, error: Exception) -> None:
        if self._mend and isinstance(error, ResponseError) and WRONG_TYPE in str(error):
            logger.warning("a key of ours in Redis holds something else: it is rebuilt (%s)", error)
            try:
                await asyncio.wait_for(self._mend(), ANSWER_SECONDS)
            except (RedisError, OSError, TimeoutError) as worse:
                error = worse
            else:
                return
        if not self._away:
            logger.warning("Redis cannot be asked, %s: %s", self._instead, str(error) or type(error).__name__)
        self._away = True
        self._away_until = time.monotonic() + AWAY_SECONDS
