"""The frontier of a fleet: Redis says which hosts are worth a claim, the ledger says what is claimed.

The ledger in PostgreSQL stays the single truth: every lease, its end and its fencing token are rows of it. Redis holds a
copy of the few rows of ``queues`` (one a host and site), so that idle workers cost the database nothing, no two workers go
for the same host, and thousands of hosts are drawn from in one atomic step. All of it can be rebuilt: a copy that was
wiped, or lags behind because a worker died between its commit and its note, is filled again from the ledger; while Redis
is away, claims go to the ledger itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence, Set
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from redis.exceptions import NoScriptError, RedisError

from newsspider.core.model import Lease
from newsspider.frontier.sql import SqlFrontier
from newsspider.store import queues

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from sqlalchemy import Connection

    from newsspider.store.writer import Writer

T = TypeVar("T")

VERSION = 1  # of the rows in Redis; another one is not read, but written anew
PICK_SECONDS = 5.0  # a host that a worker went for is not picked again before, unless the ledger says more
LOOKED_AT = 512  # queues that are ready longest, among which priority decides
WAITED_SHARE = 8  # one of so many hosts is the one that waited longest, so that the lowest priority never starves
COPY_SECONDS = 30.0  # the copy is compared with the ledger so often
LEDGER_SECONDS = 5.0  # an idle worker looks into the ledger itself so often: for suspects and what Redis does not know
AWAY_SECONDS = 2.0  # Redis is not asked again so soon after it failed
NOTED_AT_ONCE = 500

logger = logging.getLogger(__name__)


class RedisFrontier(SqlFrontier):
    """A :class:`~newsspider.frontier.protocol.Frontier` for one worker of many, on the store of its writer and a Redis server.

    ``prefix`` stands before every key, in braces, so that a cluster keeps them together.
    """

    def __init__(
        self, writer: Writer, worker: str, lease_seconds: float, redis: Redis, prefix: str = "newsspider",
        clock: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        super().__init__(writer, worker, lease_seconds, clock)
        self.redis = redis
        self.made, self.ready, self.rows = (f"{{{prefix}}}:{name}" for name in ("made", "ready", "rows"))
        self.prefix = prefix
        self._scripts = {name: _Script(name) for name in ("pick", "note")}
        self._away_until = 0.0
        self._copied_at = 0.0
        self._ledger_at = 0.0
        self._watched: dict[frozenset[str], str] = {}

    async def run(self, job: Callable[[Connection], T]) -> T:
        """Do a step of the ledger, then let Redis know what it changed; a failing Redis loses nothing."""
        result, changed = await self.writer.run(partial(_noting, job=job))
        await self._note(changed)
        return result

    async def claim(
        self, n: int, now: float, *, sites: Set[str] | None = None, revisit_before: float | None = None
    ) -> list[Lease]:
        if now - self._copied_at >= COPY_SECONDS:
            await self._copy(now)
        latest = now if revisit_before is None else min(now, revisit_before)
        picked = await self._asked(lambda: self._pick(n, now, latest, sites), None)
        if picked is None or now - self._ledger_at >= LEDGER_SECONDS:
            self._ledger_at = now
            return await super().claim(n, now, sites=sites, revisit_before=revisit_before)
        if not picked:
            return []
        hosts = list(dict.fromkeys(queue.split("\t")[0] for queue in picked))
        leases = await self._claim(n, now, sites, revisit_before, hosts)
        await self._refresh(set(hosts) - {lease.host for lease in leases})
        return leases

    async def close(self) -> None:
        await self.redis.aclose()

    async def _pick(self, n: int, now: float, latest: float, sites: Set[str] | None) -> list[str] | None:
        """The queues of hosts that this worker should go for; ``None`` if Redis knows nothing, but then it is told."""
        watched = await self._watch(sites)
        keys = [self.made, self.ready, self.rows, watched]
        values = [now, latest, n, now + PICK_SECONDS, LOOKED_AT, max(1, n // WAITED_SHARE)]
        picked = await self._scripts["pick"].run(self.redis, keys, values)
        if picked is None:
            logger.warning("Redis holds no queues: they are copied from the ledger")
            await self._copy(now)
            return None
        return [queue.decode() if isinstance(queue, bytes) else queue for queue in picked]

    async def _watch(self, sites: Set[str] | None) -> str:
        """The key of the set of these sites, which is made where it is missing."""
        if sites is None:
            return f"{{{self.prefix}}}:everything"
        wanted = frozenset(sites)
        digest = hashlib.sha256("\n".join(sorted(wanted)).encode()).hexdigest()[:16]
        key = f"{{{self.prefix}}}:sites:{digest}"
        if not await self.redis.expire(key, int(10 * COPY_SECONDS)):
            await self.redis.sadd(key, *(wanted or {"\n"}))
            await self.redis.expire(key, int(10 * COPY_SECONDS))
        return key

    async def _copy(self, now: float) -> None:
        """Tell Redis all queues of the ledger, and that it knows them now."""
        self._copied_at = now
        rows = await self.writer.run(queues.rows)

        async def copied() -> None:
            await self._tell(rows)
            await self.redis.set(self.made, VERSION)

        await self._asked(copied, None)

    async def _refresh(self, hosts: Iterable[str]) -> None:
        """Tell Redis what the ledger says of these hosts, of which it promised too much."""
        await self._note(await self.writer.run(partial(queues.rows, hosts=sorted(hosts))) if hosts else [])

    async def _note(self, rows: Sequence[queues.QueueRow]) -> None:
        if rows:
            await self._asked(lambda: self._tell(rows), None)

    async def _tell(self, rows: Sequence[queues.QueueRow]) -> None:
        for start in range(0, len(rows), NOTED_AT_ONCE):
            values: list[Any] = []
            for row in rows[start : start + NOTED_AT_ONCE]:
                moment = "" if row.due_at is None else repr(max(row.due_at, row.gate))
                body = json.dumps([VERSION, row.revision, row.due_at, row.top, row.gate])
                values += [f"{row.host}\t{row.site}\t{row.queue}", row.revision, moment, body]
            await self._scripts["note"].run(self.redis, [self.ready, self.rows], values)

    async def _asked(self, question: Callable[[], Awaitable[T]], otherwise: T) -> T:
        """What Redis answers; ``otherwise`` while it is away, which is logged once each time."""
        now = time.monotonic()
        if now < self._away_until:
            return otherwise
        try:
            answer = await asyncio.wait_for(question(), AWAY_SECONDS)
        except (RedisError, OSError, TimeoutError) as error:
            if now - self._away_until > COPY_SECONDS:
                logger.warning("Redis cannot be asked, so the ledger is: %s", error or type(error).__name__)
            self._away_until = time.monotonic() + AWAY_SECONDS
            self._copied_at = 0.0  # it may come back empty
            return otherwise
        return answer


class _Script:
    """A Lua script of this package, run by its digest."""

    def __init__(self, name: str) -> None:
        self.text = files("newsspider.frontier").joinpath(f"lua/{name}.lua").read_bytes()
        self.digest = hashlib.sha1(self.text).hexdigest()  # Redis names scripts so

    async def run(self, redis: Redis, keys: Sequence[str], values: Sequence[Any]) -> Any:
        """What it returns; it is loaded first where the server does not know it."""
        try:
            return await redis.evalsha(self.digest, len(keys), *keys, *values)
        except NoScriptError:
            return await redis.eval(self.text.decode(), len(keys), *keys, *values)


def _noting(conn: Connection, job: Callable[[Connection], T]) -> tuple[T, list[queues.QueueRow]]:
    """The result of a step, and the queues that it changed as they are now."""
    with queues.watched(conn) as hosts:
        result = job(conn)
    return result, queues.rows(conn, sorted(hosts)) if hosts else []
