"""Shares the keys of URLs that are in the ledger between the workers of a fleet, exactly and compactly, in Redis."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError

from newsspider.store.engine.statement import batched

if TYPE_CHECKING:
    from redis import Redis

BUCKETS = 65_536  # sets of integers, packed by Redis up to 512 each: enough for 30 million URLs
AWAY_SECONDS = 30.0  # a server that failed is not asked again so soon
KEYS_AT_ONCE = 2000

logger = logging.getLogger(__name__)


class RedisKeys:
    """A set of 64-bit keys in Redis. A key that it has is in the ledger; for any other the ledger is queried.

    Every query and every addition names its generation: the number of forgotten URLs when its transaction began. Keys
    of an earlier generation are ignored. So a forgotten URL can come back even if Redis was away when it was forgotten:
    whoever saw it in the ledger before belongs to an earlier generation than any transaction that begins after.

    A server that is away, wiped or corrupted costs time and nothing else.
    """

    def __init__(self, redis: Redis, prefix: str) -> None:
        self.redis = redis
        self.generation = f"{{{prefix}}}:seen"
        self.buckets = f"{{{prefix}}}:s"
        self._script = redis.register_script(
            files("newsspider.features.fleet").joinpath("lua/seen.lua").read_text("utf-8")
        )
        self._away_until = 0.0

    def known(self, keys: Collection[int], generation: int) -> set[int]:
        """Those of the keys that are known to be in the ledger; one round trip."""
        answer = self._call("ask", generation, keys) if keys else None
        if answer is None or len(answer) != len(keys):
            return set()
        return {key for key, flag in zip(keys, answer.decode(), strict=True) if flag == "1"}

    def add(self, keys: Iterable[int], generation: int) -> None:
        """Add keys that a committed transaction of this generation saw in the ledger."""
        self._call_in_parts("add", keys, generation)

    def remove(self, keys: Iterable[int], generation: int) -> None:
        """Remove these keys."""
        self._call_in_parts("remove", keys, generation)

    def wipe(self, generation: int) -> None:
        """Remove all keys: they belong to another ledger."""
        logger.warning("the URLs that Redis knows are not those of this ledger: they are forgotten")
        self._call("wipe", generation, ())

    def close(self) -> None:
        """Close the connection."""
        self.redis.close()

    def _call_in_parts(self, command: str, keys: Iterable[int], generation: int) -> None:
        for part in batched(list(keys), KEYS_AT_ONCE):
            if self._call(command, generation, part) is None:
                return

    def _call(self, command: str, generation: int, keys: Collection[int]) -> bytes | None:
        if time.monotonic() < self._away_until:
            return None
        values: list[Any] = [command, self.buckets, BUCKETS, generation]
        for key in keys:
            values += (key & (BUCKETS - 1), key)
        try:
            answer: bytes | None = self._script([self.generation], values)
        except (RedisError, OSError) as error:
            if "WRONGTYPE" in str(error):  # another program wrote to a key of ours: the next call wipes them all
                with suppress(RedisError, OSError):
                    self.redis.delete(self.generation)
            logger.warning("Redis cannot be asked for known URLs, the ledger is: %s", error)
            self._away_until = time.monotonic() + AWAY_SECONDS
            return None
        return answer
