"""Start URLs from Redis: moves URLs that people push to scrapy-redis's list into the ledger, bad ones to a
dead-letter queue."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from redis.exceptions import LockError
from scrapy.exceptions import NotConfigured

from newsspider.core.crawling.message import BadMessage, start_url
from newsspider.core.fetching.addresses import Exceptions
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import Repeated
from newsspider.frontier.redis import RedisFrontier
from newsspider.frontier.redis_client import Asking
from newsspider.store.engine.writer import StoreFailed
from newsspider.store.ledger.submitted import Submitted, submit

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.store.engine.clock import Clock

VERSION = 1  # of a dead letter
AT_ONCE = 100
LOCK_SECONDS = 30.0  # how long a worker that dies while taking messages blocks the others

logger = logging.getLogger(__name__)


class StartUrls(Repeated):
    """With ``REDIS_URL``: reads ``<spider>:start_urls`` every ``START_URLS_SECONDS``, one worker at a time.

    A message is removed only after its URL was committed to the ledger: if a worker dies in between, it is taken
    again. Invalid messages go to ``<spider>:dead_letters``, with the reason.
    """

    work = "take the start URLs"
    at_once = True
    ended_by = (StoreFailed,)

    def __init__(
        self, frontier: RedisFrontier, pool: LeasePool, spider: str, settings: BaseSettings, stats: StatsCollector,
        clock: Clock,
    ) -> None:  # fmt: skip
        super().__init__(settings.getfloat("START_URLS_SECONDS"))
        self.frontier = frontier
        self.pool = pool
        self.stats = stats
        self.clock = clock
        self.key, self.dead = f"{spider}:start_urls", f"{spider}:dead_letters"
        self.suffixes = frozenset(settings.getlist("IGNORED_SUFFIXES"))
        self.allowed = Exceptions.read(settings.getlist("ALLOWED_ADDRESSES"))
        self.asking = Asking(f"so the URLs of {self.key} wait")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = Crawl.of(crawler)
        frontier = crawl.storage.frontier
        if not isinstance(frontier, RedisFrontier) or crawler.spider is None:
            raise NotConfigured
        assert crawler.stats is not None
        extension = cls(frontier, crawl.pool, crawler.spider.name, crawler.settings, crawler.stats, crawl.clock)
        return extension.connect(crawler)

    async def step(self) -> None:
        """Take everything on the list."""
        while await self.take():
            pass

    def failed(self) -> None:
        """The messages stay on the list."""
        self.stats.inc_value("starts/failed")  # stat: failures to take messages

    async def take(self) -> bool:
        """Take up to ``AT_ONCE`` messages; returns whether there may be more."""
        redis = self.frontier.redis
        lock = redis.lock(f"{self.key}:lock", timeout=LOCK_SECONDS, blocking=False)
        answered, locked = await self.asking.ask(lock.acquire)
        if not answered or not locked:
            return False
        try:
            _, raw_messages = await self.asking.ask(lambda: redis.lrange(self.key, 0, AT_ONCE - 1))
            messages = [message for message in raw_messages or () if isinstance(message, bytes)]
            if not messages:
                return False
            bad = await self._submit(messages)
            await self._remove(messages, bad)
            return len(messages) == AT_ONCE
        finally:
            await self.asking.ask(partial(_release, lock))

    async def _submit(self, messages: Sequence[bytes]) -> dict[bytes, str]:
        """Commit the URLs of these messages to the ledger; returns the reasons for bad ones."""
        urls: dict[bytes, str] = {}
        bad: dict[bytes, str] = {}
        for message in messages:
            try:
                urls[message] = start_url(message)
            except BadMessage as error:
                bad[message] = str(error)
        refused = await self._commit(tuple(dict.fromkeys(urls.values())))
        return bad | {message: refused[url] for message, url in urls.items() if url in refused}

    async def _commit(self, urls: Sequence[str]) -> dict[str, str]:
        """Commit each URL separately, so that one that cannot be stored does not delay others; returns the reasons
        for failures."""
        step = partial(submit, now=self.clock.now(), suffixes=self.suffixes, allowed=self.allowed)
        jobs = [self.frontier.run(partial(step, urls=(url,))) for url in urls]
        refused: dict[str, str] = {}
        for url, done in zip(urls, await asyncio.gather(*jobs, return_exceptions=True), strict=True):
            if isinstance(done, Submitted):
                self.stats.inc_value("starts/submitted")  # stat: URLs committed to the ledger
                self.stats.inc_value("starts/new", done.new)  # stat: URLs not known before
                self.pool.changed.set()
            elif isinstance(done, StoreFailed) or not isinstance(done, Exception):
                raise done
            else:
                refused[url] = f"it cannot be stored: {done!r:.200}"
        return refused

    async def _remove(self, messages: Sequence[bytes], bad: Mapping[bytes, str]) -> None:
        """Remove these from the list, and add the bad ones to the dead letters, in one transaction."""
        pipeline = self.frontier.redis.pipeline(transaction=True)
        for message in messages:
            pipeline.lrem(self.key, 1, message)  # type: ignore[arg-type] # redis-py says str
            if message in bad:
                letter = {"version": VERSION, "message": message.decode("utf-8", "replace"), "reason": bad[message]}
                pipeline.rpush(self.dead, json.dumps(letter, ensure_ascii=False))
        asked, _ = await self.asking.ask(pipeline.execute)
        if asked and bad:
            if not self.stats.get_value("starts/dead_letters"):
                message, reason = next(iter(bad.items()))
                logger.warning(
                    "%d start URLs went to %s, the first because of: %s: %.200r", len(bad), self.dead, reason, message
                )
            # stat starts/dead_letters: invalid messages
            self.stats.inc_value("starts/dead_letters", sum(message in bad for message in messages))


async def _release(lock: Any) -> None:
    try:
        await lock.release()
    except LockError:  # it expired, or Redis was wiped: at worst another worker took the same messages
        logger.debug("the lock of the start URLs had expired")
