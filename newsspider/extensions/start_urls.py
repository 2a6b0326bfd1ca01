"""Start URLs from Redis: moves URLs that people push to scrapy-redis's key into the ledger, bad ones to a
dead-letter queue."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, Protocol, Self

from scrapy.exceptions import NotConfigured

from newsspider.core.crawling.start_url_message import MessageError, StartUrl, start_url
from newsspider.core.fetching.address_guard import AllowedAddresses
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.storage import uses_redis
from newsspider.extensions.periodic import Repeated
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.ledger.submitted import Submitted

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.crawl_sites import CrawlScope

LETTER_VERSION = 1  # of a dead letter

logger = logging.getLogger(__name__)


class StartMessages(Protocol):
    """The messages of a key that people push URLs to; the list ``dead`` takes the invalid ones."""

    dead: str

    def locked(self) -> AbstractAsyncContextManager[bool]:
        """Whether this worker has the lock to take messages."""

    async def first(self, count: int) -> list[tuple[bytes, float]]:
        """Return the first messages, each with its score."""

    async def remove(self, messages: Sequence[bytes], letters: Sequence[str]) -> bool:
        """Remove messages and add the dead letters, in one transaction; returns whether that succeeded."""


class StartUrls(Repeated):
    """With Redis: reads ``<spider>:start_urls`` every ``START_URLS_SECONDS``, one worker at a time.

    A message is removed only after its URL was committed to the ledger: if a worker dies in between, it is taken
    again. Invalid messages go to ``<spider>:dead_letters``, with the reason.
    """

    work = "take the start URLs"
    failure = "starts/failed"  # stat: failures to take messages, which stay where they are
    at_once = True

    def __init__(
        self,
        messages: StartMessages,
        scope: CrawlScope,
        crawl: Crawl,
        settings: BaseSettings,
        stats: StatsCollector | None,
    ) -> None:
        super().__init__(settings.getfloat("START_URLS_SECONDS"), stats)
        self.messages = messages
        self.taken = 0  # messages whose URL was committed to the ledger
        self.scope = scope
        self.crawl = crawl
        self._closed = False
        self.encoding: str = settings["REDIS_ENCODING"]
        self.at_most = settings.getint("REDIS_START_URLS_BATCH_SIZE")
        self.suffixes = frozenset(settings.getlist("IGNORED_SUFFIXES"))
        self.allowed = AllowedAddresses.read(settings.getlist("ALLOWED_ADDRESSES"))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not uses_redis(crawler.settings) or crawler.spider is None:
            raise NotConfigured
        crawl = Crawl.of(crawler)
        spider, settings = crawler.spider, crawler.settings
        messages = crawl.storage.frontier.start_messages(settings, spider.name)  # type: ignore[attr-defined] # on Redis
        scope: CrawlScope = spider.scope  # type: ignore[attr-defined] # a ClaimingSpider
        return cls(messages, scope, crawl, settings, crawler.stats).connect(crawler)

    def spider_closed(self) -> None:
        self._closed = True
        super().spider_closed()

    async def step(self) -> None:
        """Take everything on the list. The batch under way ends even if the step is cancelled: else it could leave its
        lock in Redis to the next crawl."""
        while await asyncio.shield(self._batch()):
            pass

    async def _batch(self) -> bool:
        async with self.crawl.ending.taking:
            return not self._closed and await self.take()

    async def take(self) -> bool:
        """Take up to ``REDIS_START_URLS_BATCH_SIZE`` messages; returns whether there may be more."""
        async with self.messages.locked() as locked:
            if not locked:
                return False
            messages = dict(received := await self.messages.first(self.at_most))
            if not received:
                return False
            bad = await self._submit(messages)
            await self._remove([message for message, _ in received], bad)
            return len(received) == self.at_most

    async def _submit(self, messages: Mapping[bytes, float]) -> dict[bytes, str]:
        """Commit the URLs of these messages, given with their scores, to the ledger; returns the reasons for bad
        ones."""
        urls: dict[bytes, StartUrl] = {}
        bad: dict[bytes, str] = {}
        for message, score in messages.items():
            try:
                urls[message] = start_url(message, self.encoding, score)
            except MessageError as error:
                bad[message] = str(error)
        refused = await self._commit(tuple(dict.fromkeys(urls.values())))
        return bad | {message: refused[url] for message, url in urls.items() if url in refused}

    async def _commit(self, urls: Sequence[StartUrl]) -> dict[StartUrl, str]:
        """Commit each URL separately, so that one that cannot be stored does not delay others; returns the reasons
        for failures."""
        step = partial(self.scope.submit, now=self.crawl.clock.now(), suffixes=self.suffixes, allowed=self.allowed)
        jobs = [self.crawl.storage.frontier.run(partial(step, urls=(url,))) for url in urls]
        refused: dict[StartUrl, str] = {}
        for url, done in zip(urls, await asyncio.gather(*jobs, return_exceptions=True), strict=True):
            if isinstance(done, Submitted):
                self.taken += 1
                self.stats.inc_value("starts/submitted")  # stat: URLs committed to the ledger
                self.stats.inc_value("starts/new", done.new)  # stat: URLs not known before
                self.crawl.pool.changed.set()
            elif isinstance(done, StoreFailedError) or not isinstance(done, Exception):
                raise done
            else:
                refused[url] = f"it cannot be stored: {done!r:.200}"
        return refused

    async def _remove(self, messages: Sequence[bytes], bad: Mapping[bytes, str]) -> None:
        """Remove these, and add the bad ones to the dead letters."""
        refused = [message for message in messages if message in bad]
        letters = [
            {"version": LETTER_VERSION, "message": message.decode("utf-8", "replace"), "reason": bad[message]}
            for message in refused
        ]
        removed = await self.messages.remove(messages, [json.dumps(letter, ensure_ascii=False) for letter in letters])
        if removed and refused:
            if not self.stats.get_value("starts/dead_letters"):
                logger.warning(
                    "%d start URLs went to %s, the first because of: %s: %.200r",
                    len(bad),
                    self.messages.dead,
                    bad[refused[0]],
                    refused[0],
                )
            # stat starts/dead_letters: invalid messages
            self.stats.inc_value("starts/dead_letters", len(refused))
