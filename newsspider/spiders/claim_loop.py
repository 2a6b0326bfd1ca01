"""The claim loop of all spiders: claims leases and yields requests until nothing is due or a limit is reached."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterable
from math import inf
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, UsageError
from scrapy.http import Response

from newsspider.core.crawling.finish_reasons import Finish
from newsspider.core.crawling.internal_errors import forget_frames, one_line
from newsspider.core.fetching.politeness import Ask, condition_headers, how_to_ask
from newsspider.core.model import PageType, StoredArticle
from newsspider.crawl.component_check import check_built
from newsspider.crawl.crawl import Crawl, shows_a_page
from newsspider.crawl.ending import name_cause
from newsspider.crawl.fetch_notes import ASKED, FAIL_ON_CUT, LEASE, lease_of
from newsspider.crawl.freed_memory import in_thread
from newsspider.crawl.setting_checks import setting_warnings
from newsspider.crawl.wrong_use import check_loop, wrong_use
from newsspider.download.guarded_resolver import installed_resolver
from newsspider.download.handler import LOOK_SECONDS
from newsspider.extensions.start_urls import StartUrls
from newsspider.extensions.store import StoreExtension
from newsspider.pages.user_callbacks import ARTICLE_CALLBACK, callback_results
from newsspider.spiders.leased_components import set_leased_components
from newsspider.store.engine.errors import StoreFailedError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from newsspider.core.crawling.visit import Lease, Offer, PageResult
    from newsspider.pages.router import PageReader

logger = logging.getLogger(__name__)

LONG_BYTES = 128 * 1024  # pages from this size on are read in a thread: the worst ones take 0.1 s
LONG_MARKS = 4_000  # ... and shorter pages from this number of tags and line ends on
MANY_LINKS = 5_000  # links of a page that must be stored before another long page is read
SHORTEST_WAIT_SECONDS = 0.005  # avoids a busy loop while due URLs are not claimable yet


class ClaimingSpider(Spider):
    """A spider whose ``start()`` claims leases while there is room, and waits for the next due time when nothing may
    be requested.

    The callback yields the article of a page as an item; a page without one is saved at once. A child says where a run
    starts, who reads its pages, and what it means that nothing was read.
    """

    forever = False  # run continuously
    reader: PageReader
    pages_only = True  # other documents are not downloaded
    _idle: IdleTime
    watches = False  # it revisits pages and asks whether they have changed

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._aside = asyncio.Lock()
        self._unstored: Lease | None = None  # lease of the last long page with many links
        self._full_seconds = 0.0  # during which the lease pool was full

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Set the components of a spider with leases, behind ``custom_settings``."""
        check_loop()
        super().update_settings(settings)
        if not shows_a_page(cls):
            set_leased_components(settings)
        elif not hasattr(cls, ARTICLE_CALLBACK):
            raise wrong_use(
                f"--spider {cls.name}: it has no callback for a page; name {cls.name} in `scrapy crawl` only"
            )

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        if not shows_a_page(cls):
            crawler.signals.connect(spider.refuse_what_breaks_a_guarantee, signals.spider_opened)
        return spider

    def refuse_what_breaks_a_guarantee(self) -> None:
        """Close before the first request if the crawler lacks a required component, however it was started."""
        try:
            check_built(self.crawler)
        except UsageError as error:
            logger.error("refused: %s", error)
            if self.crawler.get_extension(StoreExtension) is None:  # nobody else would end the writer
                self.crawler.signals.connect(Crawl.of(self.crawler).close, signals.spider_closed)
            raise CloseSpider(str(Finish.REFUSED)) from error
        for line in setting_warnings(self.crawler.settings):
            logger.warning(line)

    @abstractmethod
    def build_reader(self) -> PageReader:
        """The reader of the pages."""

    @abstractmethod
    async def begin(self, crawl: Crawl, now: float) -> None:
        """Offer what the run starts from, due now at the latest."""

    @abstractmethod
    async def nothing_read(self, crawl: Crawl) -> bool:
        """Whether a finished run read nothing, although there was something to read."""

    async def lists_unread(self, crawl: Crawl) -> bool:
        """Whether some lists could not be read; ``False`` for a crawl without lists."""
        return False

    async def before_next_round(self, crawl: Crawl) -> None:
        """A hook before each round of the loop, also where none follows because the crawl ends."""

    async def round_ended(self, crawl: Crawl) -> None:
        """A hook when nothing is claimed any more."""

    async def start(self) -> AsyncIterator[Request]:
        """Yield a request for every claimed lease until nothing is due, a limit is reached or the crawl is stopped."""
        crawl = Crawl.of(self.crawler)
        self.reader = self.build_reader()
        self._idle = IdleTime(self.crawler, forever=self.forever)
        self._count_full(crawl, 0.0)
        try:
            began = crawl.clock.now()
            await self.begin(crawl, began)
            revisit_before = None if self.forever else began
            while await self._goes_on(crawl):
                leases = await crawl.claims.claim(revisit_before)
                for lease in leases:
                    yield self.request(lease)
                if (not leases or crawl.claims.pool.drained) and not await self._wait(crawl, revisit_before):
                    break
            crawl.storage.frontier.leave()
            reason = await self._reason(crawl, revisit_before)
            await self.before_next_round(crawl)
            await self.round_ended(crawl)
        except StoreFailedError as error:
            if crawl.storage.writer.failed is None:
                return  # only its writer is closed: Scrapy has closed the spider while this waited
            crawl.ending.store_failed(error)
            reason = Finish.STORE_FAILED
        # Scrapy would only log it, and claimed leases without a request would be held forever
        except Exception as error:
            what = "the claim loop failed" if crawl.ending.counters.pages else "the run could not be started"
            logger.exception(what)
            crawl.ending.counters.stats.inc_value("spider/start_failed")
            reason = Finish.INTERNAL_OUTAGE if crawl.saver.errors.log.must_stop(error) else Finish.START_ERROR
            crawl.saver.errors.log.stop(f"{what} ({one_line(error)})")
        finally:
            crawl.storage.frontier.leave()
        raise CloseSpider(str(reason))

    def request(self, lease: Lease) -> Request:
        """The request of a lease; conditional for a page that was read before, unless it has further pages, which
        depend on it. What arrives of a page is taken when it is tried again: its reader decides whether it is
        whole."""
        may_be_unchanged = self.watches and (lease.kind.polled or (lease.had_article and not lease.in_parts))
        is_asked = may_be_unchanged and not Crawl.of(self.crawler).sites.renders(lease)
        mode = Ask.PLAINLY
        if is_asked:
            mode = how_to_ask(lease.known, lease.fetch_count, is_list=lease.kind.polled, distrusted=lease.distrusted)
        headers = condition_headers(lease.known) if mode is Ask.IF_CHANGED else None
        meta = {**json.loads(lease.meta or "{}"), LEASE: lease, ASKED: mode, "handle_httpstatus_all": True}
        if (lease.failures or lease.rechecked) and lease.kind is not PageType.ROBOTS:
            meta[FAIL_ON_CUT] = False
        return Request(
            lease.url, self.parse, headers=headers, errback=self.failed, dont_filter=True, meta=meta, encoding="latin-1"
        )

    async def parse(self, response: Response) -> list[Any]:
        """Read a page: its article is an item, anything else is saved here."""
        request = response.request
        if request is None or LEASE not in request.meta:  # of `scrapy parse`
            return await callback_results(getattr(self, ARTICLE_CALLBACK)(response))
        try:
            return await self._items(await self.read(response))
        except Exception as error:  # a user's spider middleware may take it for handled
            lease, crawl = lease_of(request), Crawl.of(self.crawler)
            if crawl.pool.holds(lease):
                await crawl.saver.save_error(lease, error, crawl.saver.errors.visit(request, lease))
            raise

    async def read(self, response: Response) -> PageResult:
        """Read a page; long pages are read in a worker thread."""
        return await self._read_aside(response) if _is_long(response) else self.reader.result(response)

    async def _items(self, page: PageResult) -> list[StoredArticle]:
        """Return the article of a page for the pipelines; save a page without one."""
        if (resolver := installed_resolver()) is not None:  # so that nobody waits for the addresses later
            hosts = {offer.host for offer in self.offered_by(page) if offer.refused is None}
            for host in hosts - {page.lease.host}:
                resolver.prefetch(host)
        article, page.article = page.article, None
        if article is None:
            await Crawl.of(self.crawler).saver.finish(page)
            return []
        article.page = page
        return [article]

    async def _read_aside(self, response: Response) -> PageResult:
        """Read a long page in a thread, for it would block the event loop for seconds. One at a time: each takes much
        memory, with many links until they are stored, and threads share one interpreter anyway."""
        async with self._aside:
            while self._unstored is not None and Crawl.of(self.crawler).pool.holds(self._unstored):
                await asyncio.sleep(LOOK_SECONDS)
            result = await in_thread(self.reader.result, response)
            self._unstored = result.lease if len(result.links) > MANY_LINKS else None
            return result

    async def failed(self, failure: Failure) -> list[StoredArticle]:
        """Save what a failed fetch means for its page."""
        try:
            return await self._items(self.reader.failure(failure))
        finally:
            if failure.value is not None:
                forget_frames(failure.value)

    async def _goes_on(self, crawl: Crawl) -> bool:
        crawl.pool.changed.clear()
        crawl.pool.drop_ended()
        await self.before_next_round(crawl)
        return crawl.ending.reason is None

    async def _wait(self, crawl: Crawl, revisit_before: float | None) -> bool:
        """Wait until something may be claimable; ``False`` when nothing is left for this crawl."""
        if crawl.pool.room() <= 0:
            await self._wait_for_room(crawl)
            return True
        if crawl.pool.changed.is_set():
            return True
        busy = bool(crawl.pool.held)  # these may be settled while the query runs
        remaining = await crawl.pool.left(revisit_before)
        seconds = inf if remaining.due_at is None else remaining.due_at - crawl.clock.now()
        max_wait = self.crawler.settings.getfloat("ROUND_PATIENCE_SECONDS")
        if seconds <= max_wait or busy or crawl.pool.held or remaining.others_hold:
            self._idle.since = None
        elif not crawl.sites.is_adapted:  # what earlier crawls left may be for this one
            await crawl.take_over()
            crawl.ending.check_limits()
            return True
        elif await self._idle.took_start_urls():
            return True
        elif (idle_left := self._idle.seconds_left()) > 0:
            seconds = min(seconds, idle_left)
        else:
            return False
        await self._changed(crawl, max(seconds, SHORTEST_WAIT_SECONDS))
        return True

    async def _wait_for_room(self, crawl: Crawl) -> None:
        """The pool is full: the claim loop pauses until a lease is settled."""
        since = time.monotonic()
        await self._changed(crawl)
        self._count_full(crawl, time.monotonic() - since)

    def _count_full(self, crawl: Crawl, seconds: float) -> None:
        self._full_seconds += seconds
        # stat pool/leases_full_seconds: seconds without room for a lease
        crawl.ending.counters.stats.set_value("pool/leases_full_seconds", round(self._full_seconds, 3))

    async def _reason(self, crawl: Crawl, revisit_before: float | None) -> Finish:
        while crawl.pool.held:
            crawl.pool.changed.clear()
            crawl.pool.drop_ended()
            await self._changed(crawl)
        unfinished = (await crawl.pool.left(revisit_before)).due_at is not None
        internal = await crawl.saver.errors.left()
        if crawl.ending.reason is not None and (unfinished or crawl.ending.reason is Finish.INTERNAL_OUTAGE):
            return crawl.ending.reason
        if await self.nothing_read(crawl):
            await name_cause(crawl)
            errors = crawl.ending.counters.stats.get_value("spider/internal_error")
            return Finish.INTERNAL_ERRORS if errors else Finish.NOTHING_READ
        if internal:
            return Finish.INTERNAL_ERRORS
        unread = await self.lists_unread(crawl)
        if unfinished:
            return Finish.POSTPONED
        return Finish.UNREAD_LISTS if unread else Finish.FINISHED

    def offered_by(self, page: PageResult) -> Iterable[Offer]:
        """All that a page offers."""
        return page.offers

    async def _changed(self, crawl: Crawl, seconds: float = inf) -> None:
        """Wait for a change of the held leases, for at most ``seconds`` and ``LEDGER_WATCH_SECONDS``."""
        longest = self.crawler.settings.getfloat("LEDGER_WATCH_SECONDS")
        try:
            await asyncio.wait_for(crawl.pool.changed.wait(), min(seconds, longest, crawl.ending.seconds_left()))
        except TimeoutError:
            crawl.ending.check_limits()


def _is_long(response: Response) -> bool:
    """Whether reading a page may block the event loop for too long."""
    kind, body = response.meta[LEASE].kind, response.body
    if kind is PageType.ROBOTS:
        return False  # its reader takes linear time and changes state of the event loop
    return kind is PageType.SITEMAP or len(body) > LONG_BYTES or body.count(b"<") + body.count(b"\n") > LONG_MARKS


class IdleTime:
    """The time since a crawl last had work. A round ends when it is idle and no start URL is left; with
    ``MAX_IDLE_TIME_BEFORE_CLOSE`` or ``SCHEDULER_IDLE_BEFORE_CLOSE`` it waits that long before. The former ends
    a crawl around the clock, too."""

    def __init__(self, crawler: Crawler, *, forever: bool) -> None:
        settings, self._crawler = crawler.settings, crawler
        longest = settings.getint("MAX_IDLE_TIME_BEFORE_CLOSE")
        self._longest = (longest or inf) if forever else max(longest, settings.getint("SCHEDULER_IDLE_BEFORE_CLOSE"))
        self.since: float | None = None  # when there was work last; None: there is
        self._taken = 0

    def seconds_left(self) -> float:
        """How long it may go on to be idle; 0 when it is to end."""
        now = time.monotonic()
        self.since = now if self.since is None else self.since
        return max(0.0, self._longest - (now - self.since))

    async def took_start_urls(self) -> bool:
        """Whether start URLs were committed to the ledger since the last call, or by this one."""
        starts = self._crawler.get_extension(StartUrls)
        if starts is None:
            return False
        await starts.attempt()
        taken_before, self._taken = self._taken, starts.taken
        return self._taken > taken_before
