"""What the workers of a fleet tell each other of the ledger: keys of URLs that are in it, exact and compact, in
Redis."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError

if TYPE_CHECKING:
    from redis import Redis

BUCKETS = 65_536  # sets of integers, packed by Redis up to 512 each: enough for 30 million URLs
AWAY_SECONDS = 30.0  # a server that failed is not asked again so soon
ADDED_AT_ONCE = 2000

logger = logging.getLogger(__name__)


class SharedKeys:
    """A set of 64-bit keys in Redis, only ever believed when it says yes: what it does not know, the ledger is asked.

    Every question and every addition names its generation: how often a URL had been forgotten when the transaction
    began that asks, or that saw the URL in the ledger. What was noted in an earlier generation is believed by nobody of
    a later one. So a forgotten URL comes back, even if Redis was away when it was forgotten: whoever saw it in the
    ledger before had read an earlier number than every transaction that begins after.

    A server that is away, wiped or spoilt costs time and nothing else.
    """

    def __init__(self, redis: Redis, prefix: str) -> None:
        self.redis = redis
        self.generation = f"{{{prefix}}}:seen"
        self.buckets = f"{{{prefix}}}:s"
        self._script = redis.register_script(files("newsspider.store").joinpath("lua/seen.lua").read_text("utf-8"))
        self._away_until = 0.0

    def known(self, keys: Collection[int], generation: int) -> set[int]:
        """Those of the keys that are known to be in the ledger; one round trip."""
        answer = self._ask("ask", generation, keys) if keys else None
        if answer is None or len(answer) != len(keys):
            return set()
        return {key for key, known in zip(keys, answer.decode(), strict=True) if known == "1"}

    def add(self, keys: Iterable[int], generation: int) -> None:
        """Note keys that are in the ledger: their transaction was committed, and had read this generation when it
        began."""
        self._tell("add", keys, generation)

    def remove(self, keys: Iterable[int], generation: int) -> None:
        """Know these keys no longer; until somebody sees them again, the ledger is asked."""
        self._tell("remove", keys, generation)

    def wipe(self, generation: int) -> None:
        """Forget all: it is of another ledger."""
        logger.warning("the URLs that Redis knows are not those of this ledger: they are forgotten")
        self._ask("wipe", generation, ())

    def close(self) -> None:
        self.redis.close()

    def _tell(self, what: str, keys: Iterable[int], generation: int) -> None:
        left = list(keys)
        while left:
            some, left = left[:ADDED_AT_ONCE], left[ADDED_AT_ONCE:]
            if self._ask(what, generation, some) is None:
                return

    def _ask(self, what: str, generation: int, keys: Collection[int]) -> bytes | None:
        if time.monotonic() < self._away_until:
            return None
        values: list[Any] = [what, self.buckets, BUCKETS, generation]
        for key in keys:
            values += (key & (BUCKETS - 1), key)
        try:
            answer: bytes | None = self._script([self.generation], values)
        except (RedisError, OSError) as error:
            if "WRONGTYPE" in str(error):  # another program wrote to a key of ours: the next question wipes them all
                with suppress(RedisError, OSError):
                    self.redis.delete(self.generation)
            logger.warning("Redis cannot be asked for known URLs, the ledger is: %s", error)
            self._away_until = time.monotonic() + AWAY_SECONDS
            return None
        return answer
