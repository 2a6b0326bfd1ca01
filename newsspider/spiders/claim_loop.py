"""The claim loop that all spiders share: leases in, requests out, until nothing is due or a limit is reached."""

from __future__ import annotations

import asyncio
import logging
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Coroutine
from math import inf
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, UsageError

from newsspider.core.crawling.finish import Finish
from newsspider.core.crawling.internal_errors import forget_frames, one_line
from newsspider.core.fetching.validators import Ask, ask, conditions
from newsspider.core.model import PageType
from newsspider.crawl.component_check import check_built
from newsspider.crawl.crawl import Runtime
from newsspider.crawl.fetch_notes import ASKED, LEASE
from newsspider.download.backlog import LOOK_SECONDS
from newsspider.extensions.memory import in_thread
from newsspider.extensions.store import StoreExtension
from newsspider.store.engine import clock as steady
from newsspider.store.engine.writer import StoreFailed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from newsspider.core.crawling.visit import Lease, PageResult
    from newsspider.pages.router import PageReader

logger = logging.getLogger(__name__)

LONG_BYTES = 256 * 1024  # of a page from which it is read in a thread
LONG_MARKS = 8_000  # ... and the tags and line ends of a shorter one: so many take as long
MANY_LINKS = 5_000  # of a page: until they are stored, no other long page is read
SHORTEST_WAIT_SECONDS = 0.005  # what is due but not claimable yet is not asked for in a tight loop


class ClaimingSpider(Spider):
    """A spider whose ``start()`` claims leases while there is room, and waits for the next due moment when nothing may
    be asked.

    The callback reads a page into one :class:`~newsspider.core.model.PageResult`. A child says where a run starts, who
    reads its pages, and what it means that nothing was read.
    """

    forever = False  # go on around the clock
    watches = False  # it comes back to what it has read, and asks whether that has changed
    reader: PageReader

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._aside = asyncio.Lock()
        self._unstored: Lease | None = None  # of the last long page with many links

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.refuse_what_breaks_a_guarantee, signals.spider_opened)
        return spider

    def refuse_what_breaks_a_guarantee(self) -> None:
        """Close before the first request if the crawler lacks a component that it relies on, however it was started."""
        try:
            check_built(self.crawler)
        except UsageError as error:
            logger.error("refused: %s", error)
            if self.crawler.get_extension(StoreExtension) is None:  # nobody else would end the writer
                self.crawler.signals.connect(Runtime.of(self.crawler).close, signals.spider_closed)
            raise CloseSpider(str(Finish.REFUSED)) from error

    @abstractmethod
    def reader_of(self, runtime: Runtime) -> PageReader:
        """Who reads the pages."""

    @abstractmethod
    async def begin(self, runtime: Runtime, now: float) -> None:
        """Offer what the run starts from, due at this moment at the latest."""

    @abstractmethod
    async def nothing_read(self, runtime: Runtime) -> bool:
        """Whether a run that is at its end read nothing, though there was something to read."""

    async def lists_unread(self, runtime: Runtime) -> bool:
        """Whether some lists of this crawl could not be read; one that has no lists says no."""
        return False

    async def again(self, runtime: Runtime) -> None:
        """Think again, before the next claim."""

    async def start(self) -> AsyncIterator[Request]:
        """Yield a request for every lease claimed until nothing is due, a limit is reached or the crawl is stopped."""
        runtime = Runtime.of(self.crawler)
        self.reader = self.reader_of(runtime)
        try:
            began = steady.time()
            await self.begin(runtime, began)
            revisit_before = None if self.forever else began
            while await self._goes_on(runtime):
                leases = await runtime.claim(revisit_before)
                for lease in leases:
                    yield self.request(lease)
                if not leases and not await self._wait(runtime, revisit_before):
                    break
            runtime.frontier.leave()
            reason = await self._reason(runtime, revisit_before)
            await self.again(runtime)
        except StoreFailed as error:
            if runtime.writer.failed is None:
                return  # only its writer is closed: Scrapy has closed the spider while this waited
            runtime.store_failed(error)
            reason = Finish.STORE_FAILED
        # Scrapy would only log it, and what was claimed and not asked for would be held for ever
        except Exception as error:
            logger.exception("the claim loop failed")
            runtime.stats.inc_value("spider/start_failed")
            reason = Finish.INTERNAL_OUTAGE if runtime.faults.log.names(error) else Finish.START_ERROR
            runtime.faults.log.stop(f"the claim loop failed ({one_line(error)})")
        finally:
            runtime.frontier.leave()
        raise CloseSpider(str(reason))

    def request(self, lease: Lease) -> Request:
        """The request of a lease; of a page that was read before, on condition that it changed, unless others go on
        with it: they are asked for behind it."""
        kept = self.watches and (lease.kind.polled or (lease.had_article and not lease.in_parts))
        asked = ask(lease.known, lease.trust, lease.fetch_count) if kept else Ask.PLAINLY
        headers = conditions(lease.known) if asked is Ask.IF_CHANGED else None
        meta = {LEASE: lease, ASKED: asked, "handle_httpstatus_all": True}
        return Request(
            lease.url, self.parse, headers=headers, errback=self.failed, dont_filter=True, meta=meta, encoding="latin-1"
        )

    def parse(self, response: Response) -> list[PageResult] | Coroutine[None, None, list[PageResult]]:
        """One page, one result; a long page in a thread."""
        return self._parse_aside(response) if _is_long(response) else [self.reader.result(response)]

    async def _parse_aside(self, response: Response) -> list[PageResult]:
        """It would hold the event loop for seconds. One at a time: each takes a lot of memory, with many links until
        they are stored, and the threads take turns anyway."""
        async with self._aside:
            while self._unstored is not None and self.reader.runtime.holds(self._unstored):
                await asyncio.sleep(LOOK_SECONDS)
            result = await in_thread(self.reader.result, response)
            self._unstored = result.lease if len(result.links) > MANY_LINKS else None
            return [result]

    def failed(self, failure: Failure) -> list[PageResult]:
        """A fetch that failed, one result as well."""
        try:
            return [self.reader.failure(failure)]
        finally:
            if failure.value is not None:
                forget_frames(failure.value)

    async def _goes_on(self, runtime: Runtime) -> bool:
        runtime.changed.clear()
        runtime.drop_ended()
        await self.again(runtime)
        return runtime.stop_reason is None

    async def _wait(self, runtime: Runtime, revisit_before: float | None) -> bool:
        """Wait until something may be claimable; ``False`` when nothing is left for this crawl."""
        if runtime.room() <= 0:
            await self._wait_for_room(runtime)
            return True
        busy = bool(runtime.held)  # between question and answer these may be settled, and the answer still tell of them
        left = await runtime.left(revisit_before)
        seconds = inf if left.due_at is None else left.due_at - steady.time()
        patience = runtime.settings.getfloat("ROUND_PATIENCE_SECONDS")
        if seconds > patience and not (busy or runtime.held or left.others_hold or self.forever):
            return False
        await self._changed(runtime, max(seconds, SHORTEST_WAIT_SECONDS))
        return True

    async def _wait_for_room(self, runtime: Runtime) -> None:
        """The pool is full: its producer, which is the claim loop, pauses until a lease is settled."""
        since = time.monotonic()
        await self._changed(runtime)
        runtime.full_seconds += time.monotonic() - since

    async def _reason(self, runtime: Runtime, revisit_before: float | None) -> Finish:
        while runtime.held:
            runtime.changed.clear()
            runtime.drop_ended()
            await self._changed(runtime)
        left = (await runtime.left(revisit_before)).due_at is not None
        internal = await runtime.faults.left()
        if runtime.stop_reason is not None and (left or runtime.stop_reason is Finish.INTERNAL_OUTAGE):
            return runtime.stop_reason
        if await self.nothing_read(runtime):
            return Finish.INTERNAL_ERRORS if runtime.stats.get_value("spider/internal_error") else Finish.NOTHING_READ
        if internal:
            return Finish.INTERNAL_ERRORS
        unread = await self.lists_unread(runtime)
        if left:
            return Finish.POSTPONED
        return Finish.UNREAD_LISTS if unread else Finish.FINISHED

    async def _changed(self, runtime: Runtime, seconds: float = inf) -> None:
        """Wait for a change of what is held, but not longer than so many seconds, and never than
        ``LEDGER_WATCH_SECONDS``."""
        longest = runtime.settings.getfloat("LEDGER_WATCH_SECONDS")
        try:
            await asyncio.wait_for(runtime.changed.wait(), min(seconds, longest, runtime.seconds_left()))
        except TimeoutError:
            runtime.check_limits()


def _is_long(response: Response) -> bool:
    """Whether reading a page may take longer than the event loop should be held."""
    kind, body = response.meta[LEASE].kind, response.body
    if kind is PageType.ROBOTS:
        return False  # its reader is linear, and what it changes belongs to the event loop
    return kind is PageType.SITEMAP or len(body) > LONG_BYTES or body.count(b"<") + body.count(b"\n") > LONG_MARKS
