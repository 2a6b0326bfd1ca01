"""The frontier of a fleet: Redis says which hosts are worth a claim, the ledger says what is claimed.

The ledger in PostgreSQL stays the single truth: every lease, its end and its fencing token are rows of it. Redis holds
a copy of the few rows of ``queues`` (one a host and site), so that idle workers cost the database little, no two
workers go for the same host, and thousands of hosts are drawn from in one atomic step. All of it can be rebuilt: a copy
that was wiped, or lags behind because a worker died between its commit and its note, is filled again from the ledger;
what is no row of ours is put aside; while Redis is away, claims go to the ledger itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from newsspider.core.crawling.visit import Lease
from newsspider.features.fleet.redis_outages import Asking
from newsspider.features.fleet.start_url_queue import RedisMessages
from newsspider.frontier.claim_order import WAITED_SHARE
from newsspider.frontier.sql_frontier import SqlFrontier
from newsspider.store import workers
from newsspider.store.ledger import Remaining, queues

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

    from newsspider.store.engine.writer import Writer

T = TypeVar("T")

ROWS_VERSION = 2  # of the rows in Redis; another one is not read, but rewritten
PICK_SECONDS = 5.0  # a host that a worker went for is not picked again before, unless the ledger says more
LOOKED_AT = 512  # queues that are ready longest, among which priority decides
MOST_LOOKED_AT = 8192  # where most are of sites that this crawl does not watch
COPY_SECONDS = 30.0  # between two comparisons of the copy with the ledger
# between two claims that look into the ledger itself: for leases that ended, suspects, and what Redis does not know
LEDGER_SECONDS = 5.0
LAG_SECONDS = 0.2  # what the ledger has and Redis does not is looked for there no sooner
NOTED_AT_ONCE = 500
DEAD_LETTERS = 1000  # the latest are kept

logger = logging.getLogger(__name__)


class RedisFrontier(SqlFrontier):
    """The frontier of one worker of many, on the store of its writer and a Redis server.

    ``prefix`` stands before every key, in braces, so that a cluster keeps them together. Junk goes to
    ``{prefix}:dead_letters``.
    """

    def __init__(
        self,
        writer: Writer,
        worker: str,
        lease_seconds: float,
        redis: Redis,
        prefix: str,
        clock: Callable[[], float],
        *,
        assigned: bool = False,
    ) -> None:
        super().__init__(writer, worker, lease_seconds, clock, assigned=assigned)
        self.redis = redis
        self.prefix = prefix
        self.made, self.ready, self.aged = map(self._key, ("made", "ready", "aged"))
        self.rows, self.dead = map(self._key, ("rows", "dead_letters"))
        self._asking = Asking("so the ledger is", self._wipe)
        lua = files("newsspider.features.fleet") / "lua"
        self._pick_script = redis.register_script((lua / "pick.lua").read_text("utf-8"))
        self._note_script = redis.register_script((lua / "note.lua").read_text("utf-8"))
        self.looks_at_all = assigned
        self._copied_at = -math.inf
        self._ledger_at: float | None = None  # the first claim makes the copy
        self._idle = False  # the last claim found nothing in the copy
        self._asked_for = 0  # hosts, ever
        self._to_note: dict[str, queues.QueueRow] = {}
        self._noted: asyncio.Task[None] | None = None  # gathers what is to be noted
        self._sites: frozenset[str] | None = None  # those of the set in Redis
        self._sites_until = 0.0
        self._set_key = self._sites_key(None)

    def start_messages(self, settings: BaseSettings, spider: str) -> RedisMessages:
        """The start URLs that people push for a spider."""
        return RedisMessages.of(self.redis, settings, spider)

    async def run(self, job: Callable[[Connection], T]) -> T:
        """Run a step of the ledger, then note in Redis what it changed; if Redis fails, nothing is lost."""
        result, changed = await self.writer.run_watched(job, queues.watched)
        if changed:
            await self._note(changed)
        return result

    async def claim(
        self,
        n: int,
        now: float,
        *,
        sites: Set[str] | None = None,
        revisit_before: float | None = None,
        settling: Sequence[str] = (),
    ) -> list[Lease]:
        if self.assigned:  # nobody else goes for the hosts of this worker
            return await super().claim(n, now, sites=sites, revisit_before=revisit_before)
        if settling:  # Redis is told of what ends only after the commit
            return await self._claim(n, now, sites, revisit_before, settling, own=True)
        if self._asking.came_back():
            self._copied_at = -math.inf  # empty, perhaps
        if abs(now - self._copied_at) >= COPY_SECONDS:
            await self._copy(now)
        self._ledger_at = now if self._ledger_at is None else self._ledger_at
        picked = None
        if abs(now - self._ledger_at) < LEDGER_SECONDS:
            latest = now if revisit_before is None else min(now, revisit_before)
            picked = await self._pick(n, now, latest, None if sites is None else frozenset(sites))
        if picked is None:
            self._ledger_at = now
            self._idle = False
            return await super().claim(n, now, sites=sites, revisit_before=revisit_before)
        self._idle = not picked
        if not picked:
            return []
        hosts = list(dict.fromkeys(queue.split(b"\t")[0].decode("utf-8", "replace") for queue in picked))
        leases = await self._claim(n, now, sites, revisit_before, hosts)
        await self._refresh(set(hosts) - {lease.host for lease in leases}, picked)
        return leases

    async def left(self, revisit_before: float | None = None, *, sites: Set[str] | None = None) -> Remaining:
        """What the ledger says. If something is due of which Redis knows nothing, the next claim looks into the ledger,
        a little later."""
        remaining = await super().left(revisit_before, sites=sites)
        now = self.clock()
        if remaining.due_at is None or remaining.due_at > now or not self._idle or self.assigned:
            return remaining
        self._ledger_at = -math.inf
        return remaining._replace(due_at=now + LAG_SECONDS)

    async def beat(self, now: float, *, sites: Set[str] | None = None) -> None:
        changed = await self.run(partial(self.members.assign, sites=sites, now=now))
        if changed and not self.assigned:
            await self._tell_owners(changed)

    async def close(self) -> None:
        if self._noted is not None:
            await self._noted
        await self.redis.aclose()

    async def _pick(self, n: int, now: float, latest: float, sites: frozenset[str] | None) -> list[bytes] | None:
        """The queues of hosts to claim from; ``None`` if the claim must look into the ledger."""
        watched = await self._watch(sites)
        whose = self._whose(now)
        keys = [self.made, self.ready, self.rows, watched, self.dead, self._owners_key(), self.aged]
        asked_before, self._asked_for = self._asked_for, self._asked_for + n
        waited = self._asked_for // WAITED_SHARE - asked_before // WAITED_SHARE
        values: list[Any] = [
            ROWS_VERSION,
            now,
            latest,
            n,
            now + PICK_SECONDS,
            LOOKED_AT,
            waited,
            MOST_LOOKED_AT,
            int(sites is None),
            DEAD_LETTERS,
            whose.worker,
            whose.overdue,
        ]
        answered, picked = await self._asking.ask(lambda: self._pick_script(keys, values))
        if not answered or picked == 0:
            return None
        if picked is None:
            logger.warning("Redis holds no copy of the queues: it is made from the ledger")
            self._sites = None
            await self._copy(now)
            return None
        return list(picked)

    async def _watch(self, sites: frozenset[str] | None) -> str:
        """The key of the set of these sites; the set is written if it may be missing."""
        if sites is None:
            return self._sites_key(None)
        if sites != self._sites or time.monotonic() >= self._sites_until:
            self._sites, self._sites_until = sites, time.monotonic() + COPY_SECONDS
            self._set_key = self._sites_key(sites)
            pipeline = self.redis.pipeline(transaction=True)
            pipeline.sadd(self._set_key, *(sites or {"\n"}))
            pipeline.expire(self._set_key, int(10 * COPY_SECONDS))
            await self._asking.ask(pipeline.execute)
        return self._set_key

    async def _copy(self, now: float) -> None:
        """Copy all queues of the ledger to Redis, and mark the copy as complete.

        A row in Redis that is newer than that of the ledger belongs to another ledger: then all is rebuilt.
        """
        self._copied_at = now
        newer = await self._tell(await self.writer.run(queues.rows))
        if newer:
            hosts = {queue.split("\t")[0] for queue in newer}
            rows = await self.writer.run(partial(queues.rows, hosts=sorted(hosts)))
            revisions = {_name(row): row.revision for row in rows}
            if any(revisions.get(queue, -1) < revision for queue, revision in newer.items()):
                logger.warning("Redis holds the queues of another ledger under %s: they are rebuilt", self.prefix)
                await self._asking.ask(self._wipe)
                newer = await self._tell(await self.writer.run(queues.rows))
        if newer is not None:
            await self._tell_owners(
                await self.writer.run(partial(workers.owners, scope=self.members.watching)), rebuild=True
            )
            await self._asking.ask(lambda: self.redis.set(self.made, ROWS_VERSION))

    async def _refresh(self, hosts: Set[str], picked: Iterable[bytes]) -> None:
        """Correct the rows of these hosts in Redis, which had promised more than the ledger has."""
        if not hosts:
            return
        rows = await self.writer.run(partial(queues.rows, hosts=sorted(hosts)))
        await self._tell(rows)
        names = {_name(row).encode() for row in rows}
        unknown = [
            queue
            for queue in picked
            if queue.split(b"\t")[0].decode("utf-8", "replace") in hosts and queue not in names
        ]
        if unknown:
            pipeline = self.redis.pipeline(transaction=True)
            pipeline.zrem(self.ready, *unknown)
            pipeline.zrem(self.aged, *unknown)
            pipeline.hdel(self.rows, *unknown)
            await self._asking.ask(pipeline.execute)

    async def _note(self, rows: Iterable[queues.QueueRow]) -> None:
        """Note these rows in Redis, together with those of other steps of the same transaction."""
        for row in rows:
            pending = self._to_note.get(_name(row))
            if pending is None or pending.revision <= row.revision:
                self._to_note[_name(row)] = row
        if self._noted is None:
            self._noted = asyncio.ensure_future(self._tell_noted())
        await asyncio.shield(self._noted)

    async def _tell_noted(self) -> None:
        await asyncio.sleep(0)  # the other steps are answered in the same turn of the loop
        self._noted = None
        rows, self._to_note = list(self._to_note.values()), {}
        await self._tell(rows)

    async def _tell(self, rows: Sequence[queues.QueueRow]) -> dict[str, int] | None:
        """Write these rows to Redis. Returns the queues of which it has a newer row, with its revision; ``None`` if it
        does not answer."""
        newer: dict[str, int] = {}
        for start in range(0, len(rows), NOTED_AT_ONCE):
            values: list[Any] = [ROWS_VERSION]
            for row in rows[start : start + NOTED_AT_ONCE]:
                moment = "" if row.due_at is None else repr(max(row.due_at, row.host_ready_at))
                body = json.dumps([ROWS_VERSION, row.revision, row.due_at, row.top_priority, row.host_ready_at])
                values += [_name(row), row.revision, moment, body]
            keys = [self.ready, self.rows, self.aged]
            answered, reply = await self._asking.ask(partial(self._note_script, keys, values))
            if not answered or reply is None:
                return None
            newer |= {queue.decode(): int(number) for queue, number in zip(reply[::2], reply[1::2], strict=True)}
        return newer

    async def _tell_owners(self, owners: Mapping[str, str | None], *, rebuild: bool = False) -> None:
        """Write the workers of these hosts to Redis; with ``rebuild`` these hosts are all. Without updates they expire
        there."""
        key, assigned = self._owners_key(), [(host, worker) for host, worker in owners.items() if worker]
        pipeline = self.redis.pipeline(transaction=True)
        if rebuild:
            pipeline.unlink(key)
        elif dropped := [host for host, worker in owners.items() if not worker]:
            pipeline.hdel(key, *dropped)
        for start in range(0, len(assigned), NOTED_AT_ONCE):
            pipeline.hset(key, mapping=dict(assigned[start : start + NOTED_AT_ONCE]))
        pipeline.expire(key, int(10 * COPY_SECONDS))
        await self._asking.ask(pipeline.execute)

    async def _wipe(self) -> None:
        await self.redis.unlink(self.made, self.ready, self.aged, self.rows, self._set_key, self._owners_key())
        self._sites = None

    def _owners_key(self) -> str:
        return self._key(f"owners:{self.members.watching}")

    def _sites_key(self, sites: frozenset[str] | None) -> str:
        if sites is None:
            return self._key("sites")
        return self._key("sites:" + hashlib.sha256("\n".join(sorted(sites)).encode()).hexdigest()[:16])

    def _key(self, name: str) -> str:
        return f"{{{self.prefix}}}:{name}"


def _name(row: queues.QueueRow) -> str:
    return f"{row.host}\t{row.site}\t{row.queue}"
