"""Opens and closes the run, and makes sure that a lease is settled even if its item never reached the store."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider, UsageError
from scrapy.http import Response

from newsspider.core.crawling import outcome
from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from newsspider.core.crawling.internal_errors import one_line
from newsspider.core.model import Reason
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE, OTHER_ITEMS
from newsspider.crawl.freed_memory import give_back
from newsspider.download.graceful_shutdown import STORE_SECONDS, told_to_stop
from newsspider.extensions.named_job import NamedJob, let_go
from newsspider.pipelines.relevance import OffTopicError
from newsspider.pipelines.store import NotStoredError, page_of
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.sites import BrokenSiteError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

# A page creates thousands of objects but almost no cycles: Python's default 700, 10, 10 costs 7 % of a crawl.
COLLECTED_AFTER = (50_000, 20, 100)

logger = logging.getLogger(__name__)


class StoreExtension:
    """Starts the run's row with the spider, and closes the writer after everything else.

    A :exc:`~scrapy.exceptions.DropItem` in a user's pipeline settles the lease as ``dropped``. An exception in a
    pipeline, the writer's job or a user's spider middleware is an internal error: the page is retried later. Once the
    store has failed, the crawl stops with ``store_failed``.
    """

    def __init__(self, crawl: Crawl, stats: StatsCollector, job: NamedJob | None) -> None:
        self.job = job
        self.crawl = crawl  # whose run it opens and closes
        self.saver, self.errors, self.ending, self.pool = crawl.saver, crawl.saver.errors, crawl.ending, crawl.pool
        self.clock = crawl.clock
        self.stats = stats
        self._settling: set[asyncio.Task[None]] = set()
        self._opening = asyncio.Lock()
        self._begun = False  # the spider was opened, or it was told to stop

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assert crawler.stats is not None
        extension = cls(Crawl.of(crawler), crawler.stats, NamedJob.of(crawler))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        crawler.signals.connect(extension.item_dropped, signals.item_dropped)
        crawler.signals.connect(extension.item_error, signals.item_error)
        crawler.signals.connect(extension.item_scraped, signals.item_scraped)
        crawler.signals.connect(extension.spider_error, signals.spider_error)
        crawler.signals.connect(extension.request_dropped, signals.request_dropped)
        crawler.signals.connect(extension.told_to_stop, told_to_stop)
        return extension

    async def spider_opened(self, spider: Any) -> None:
        self._begun = True
        try:
            async with self._opening:
                if self.job is not None and not await self.job.take():
                    logger.info("not started: the job %s is under way, or was started just now", self.job.name)
                    raise CloseSpider(str(Finish.ALREADY_RUNS))
                await self.crawl.open(spider.name, spider.arguments.given)
        except CloseSpider:
            raise
        except StoreFailedError as error:
            self.ending.store_failed(error)
            raise CloseSpider(str(Finish.STORE_FAILED)) from error
        except (UsageError, BrokenSiteError) as error:
            logger.error("refused: %s", error)
            self.stats.set_value("spider/stopped_by", str(error))
            raise CloseSpider(str(Finish.REFUSED)) from error
        except Exception as error:  # Scrapy would crawl anyway, and find nothing to do
            if self.errors.log.must_stop(error):
                raise CloseSpider(str(Finish.INTERNAL_OUTAGE)) from error
            logger.exception("the run could not be started")
            self.errors.log.stop(f"the run could not be started ({one_line(error)})")
            self.stats.inc_value("spider/start_failed")  # stat: the run could not start, or its claim loop failed
            raise CloseSpider(str(Finish.START_ERROR)) from error
        give_back()  # memory used to load the dictionaries
        gc.freeze()  # dictionaries and topics live as long as the process
        gc.set_threshold(*COLLECTED_AFTER)

    def told_to_stop(self) -> None:
        self._begun = True
        self.crawl.storage.writer.hurry(STORE_SECONDS)

    async def spider_closed(self, spider: Any, reason: str) -> None:
        if reason == Finish.SHUTDOWN and not self._begun:  # Scrapy says so, too, if a scheduler cannot be opened
            reason = str(Finish.START_ERROR)
        async with self._opening:  # a limit of seconds may end a crawl before it is open
            await let_go(self.job, reason)
            await self.crawl.close(reason)
        end, cause = ending_of_reason(reason), self.stats.get_value("spider/stopped_by")
        level = logging.WARNING if cause and end.exit_code else logging.INFO
        logger.log(level, "%s: %s", spider.name, f"{cause}; {end.sentence}" if cause else end.sentence)

    async def item_dropped(self, item: Any, exception: Exception, **_: Any) -> None:
        if isinstance(exception, NotStoredError):
            self.ending.store_failed(exception)
        elif (page := page_of(item)) is not None and self.pool.holds(page.lease):
            if isinstance(exception, OffTopicError):
                page.settlement = outcome.off_topic(
                    page.settlement, exception.topic, exception.body_hash, str(exception)
                )
                if not self.crawl.sites.scope.explores:
                    page.offers = ()  # the further pages of the article
                    if exception.held is not None:
                        page.add(exception.held)
            else:
                dropped = outcome.read(page.lease, Reason.DROPPED, self.clock.now(), detail=str(exception)[:200])
                page.settlement = outcome.after(dropped, page.settlement)
            await self.saver.finish(page)

    def item_scraped(self, item: Any, response: Any, **_: Any) -> None:
        """The lease of an article that passed all pipelines has ended, unless one of them took its page away."""
        if isinstance(response, Response) and OTHER_ITEMS not in response.meta:
            self._fail(response.request, ValueError("a pipeline returned an item without the page of its article"))

    async def item_error(self, item: Any, failure: Any, **_: Any) -> None:
        if (page := page_of(item)) is None:
            return
        if self.pool.holds(page.lease):
            await self.saver.save_error(page.lease, failure.value, page.settlement)
        else:  # a pipeline behind the store's: the article is stored
            self.errors.log.note(failure.value, page.lease)

    def request_dropped(self, request: Any) -> None:
        """A middleware replaced a response by another request, but the lease has had its one request."""
        self.stats.inc_value("pool/second_requests")  # stat: second requests for a lease, as of retry middlewares
        self._fail(request, RuntimeError("a further request was made for it; one lease is one request"))

    def spider_error(self, failure: Any, response: Any, **_: Any) -> None:
        """A callback or a spider middleware failed; the signal does not wait for coroutines."""
        self._fail(response.request, failure.value)

    def _fail(self, request: Any, error: BaseException) -> None:
        """End the lease of a request with an error, if it is still held."""
        lease = request.meta.get(LEASE)
        if lease is not None and self.pool.holds(lease):
            visit = self.errors.visit(request, lease)
            task = asyncio.ensure_future(self.saver.save_error(lease, error, visit))
            self._settling.add(task)
            task.add_done_callback(self._settling.discard)
