"""The wiring of one crawl: builds its collaborators; opens its run, with what dead workers left, and closes it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from scrapy.exceptions import NotConfigured

from newsspider.core.crawling.outcome import DAY, RetryPolicy
from newsspider.core.scheduling.article_revisits import RevisitSchedule, steps_of
from newsspider.crawl.counters import Counters
from newsspider.crawl.crawl_sites import CrawlSites, SiteKnowledge
from newsspider.crawl.ending import CrawlEnding, ErrorLog, PageErrors
from newsspider.crawl.freed_memory import limit_arenas, return_large_blocks
from newsspider.crawl.host_policy import HostPolicy, bound_waits, delay_limits
from newsspider.crawl.lease_pool import LeasePool, PageClaims, prepare_reading
from newsspider.crawl.link_filter import LinkFilter
from newsspider.crawl.page_saver import PageCompletion, PageSaver
from newsspider.crawl.poll_planner import PollPlanner, PollPolicy
from newsspider.crawl.storage import Storage, died_here, worker_name
from newsspider.crawl.trap_budgets import TrapBudgets
from newsspider.download.browser import try_browser
from newsspider.store import ledger, runs, workers
from newsspider.store.articles import revisits
from newsspider.store.articles.precedents import judged_articles
from newsspider.store.engine.clock import Clock, SteadyClock
from newsspider.store.engine.errors import StoreFailedError
from newsspider.topics.loader import load_topic

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from newsspider.store.engine.writer import Writer

logger = logging.getLogger(__name__)


class Crawl:
    """The collaborators of one crawl. Each gets what it needs in its constructor; a component takes the ones it uses
    from here and passes them on.

    Settings: ``TOPIC``, ``RELEVANCE_MODEL``, ``ROBOTS_AGENT``, ``DELAY_*``, ``RETRY_*``, ``LEASE_SECONDS``,
    ``LEASES_AHEAD``, ``CONCURRENT_REQUESTS``, ``BOILERPLATE_LEARNED``,
    ``ARTICLE_REVISITS``, ``ARTICLE_REVISIT_MAX_AGE_DAYS``.
    """

    # memory _of: the collaborators of a crawl: weak, gone with the crawler
    _of: ClassVar[WeakKeyDictionary[Crawler, Crawl]] = WeakKeyDictionary()

    def __init__(self, crawler: Crawler, clock: Clock) -> None:
        limit_arenas(1)  # threads share one interpreter anyway
        return_large_blocks()
        settings, stats = crawler.settings, crawler.stats
        assert stats is not None
        spider: Any = crawler.spider
        topic, counters = load_topic(spider.topic), Counters(stats)
        self.clock = clock
        self._browser: str = settings["BROWSER"]
        self.storage = Storage.open(settings, worker_name(), clock)
        frontier = self.storage.frontier
        knowledge = SiteKnowledge(learns_boilerplate=settings.getbool("BOILERPLATE_LEARNED"))
        self.sites = CrawlSites(spider.scope, knowledge)
        self.host_policy = HostPolicy(
            self.storage.writer,
            lambda lease: self.sites.scope.site_of(lease, self.sites.by_name),
            settings["ROBOTS_AGENT"],
            delay_limits(settings),
            _retries(settings),
            clock,
        )
        self.poll_planner = PollPlanner(PollPolicy(settings), self.storage, self.sites, topic.name, stats, clock)
        self.pool = LeasePool(
            frontier,
            self.sites,
            spider.limits,
            counters,
            stats,
            clock,
            size=settings.getint("CONCURRENT_REQUESTS") * settings.getint("LEASES_AHEAD"),
            lease_seconds=settings.getfloat("LEASE_SECONDS"),
        )
        self.ending = CrawlEnding(spider.limits, counters, self.pool, clock)
        errors = PageErrors(ErrorLog(stats), self.storage, self.sites, self.host_policy, self.ending, stats, clock)
        trap_budgets = TrapBudgets(settings, frontier, self.sites, clock)
        self.saver = PageSaver(
            frontier,
            self.sites,
            trap_budgets,
            errors,
            self.ending,
            self.pool,
            stats,
            clock,
            PageCompletion(self.sites, self.poll_planner.policy, _revisits(spider, settings), counters, stats, clock),
        )
        model = settings["RELEVANCE_MODEL"] or None
        prepare = lambda: prepare_reading(topic, model, clock.utc())  # noqa: E731 -- with the moment of its call
        self.claims = PageClaims(self.pool, LinkFilter(topic, clock), trap_budgets, self.sites, self.saver, prepare)

    @classmethod
    def of(cls, crawler: Crawler, clock: Clock | None = None) -> Crawl:
        """The crawl of a crawler, built on the first call, with a steady clock by default.

        Raises ``NotConfigured`` for a spider without leases: the component that asks is not needed there.
        """
        if crawler not in cls._of:
            if not hasattr(crawler.spider, "scope") or shows_a_page(crawler.spidercls):
                raise NotConfigured
            cls._of[crawler] = cls(crawler, clock or SteadyClock())
        return cls._of[crawler]

    async def open(self, spider: str, arguments: Mapping[str, Any]) -> None:
        """Begin the run: load sites, topic and learned values, and reclaim what belongs to this crawl."""
        now, writer, link_filter = self.clock.now(), self.storage.writer, self.claims.link_filter
        await begin_run(self.storage, spider, arguments, now)  # before its sites, so that two that begin see each other
        await self.sites.load(writer, now)
        if any(site.render for site in self.sites.by_name.values()):
            await try_browser(self._browser)
        self.ending.counters.visits = await writer.run(revisits.visits)
        if link_filter.topic.link_threshold:
            link_filter.recall(await writer.run(partial(judged_articles, topic=link_filter.topic.name)))
        await self.sites.take_over(self.storage.frontier, link_filter, now)
        await bound_waits(self.storage.frontier, self.clock)

    async def take_over(self) -> None:
        """Adapt more of what was left when the crawl started, if a transaction was too short for all of it."""
        await self.sites.take_over(self.storage.frontier, self.claims.link_filter, self.ending.started_at)
        self.pool.changed.set()

    async def close(self, reason: str) -> None:
        """Record the end of the run and stop the writer, after the batch of start URLs that is being taken."""
        storage, stats = self.storage, self.ending.counters.stats
        async with self.ending.taking:
            await finish_run(storage.writer, storage.frontier.worker, reason, self.ending.counters, self.clock.now())
            self.saver.errors.log.close()
            await storage.close(stats)


def shows_a_page(spider: type[Spider]) -> bool:
    """Whether a command of Scrapy, such as ``parse``, put its own request in place of the claims of a spider."""
    return spider.start.__module__.startswith("scrapy.")


def _revisits(spider: Any, settings: BaseSettings) -> RevisitSchedule:
    steps = steps_of(settings.getlist("ARTICLE_REVISITS")) if getattr(spider, "watches", False) else ()
    return RevisitSchedule(steps, settings.getfloat("ARTICLE_REVISIT_MAX_AGE_DAYS") * DAY)


def _retries(settings: BaseSettings) -> RetryPolicy:
    base, cap = settings.getfloat("RETRY_BASE_SECONDS"), settings.getfloat("RETRY_CAP_SECONDS")
    return RetryPolicy(settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0, base, cap)


async def begin_run(storage: Storage, spider: str, arguments: Mapping[str, Any], now: float) -> None:
    """Record dead workers of this machine, insert the run's row, and reclaim what the dead workers held."""
    writer, frontier = storage.writer, storage.frontier
    for worker in filter(died_here, await writer.run(runs.open_workers)):
        await writer.run(partial(runs.note_death, worker=worker))
    await writer.run(partial(runs.start_run, spider=spider, worker=frontier.worker, arguments=arguments, now=now))
    for worker in filter(died_here, await writer.run(ledger.workers)):
        await frontier.run(partial(ledger.release_worker, worker=worker, died=True))
    for worker in filter(died_here, await writer.run(workers.names)):
        await writer.run(partial(workers.leave, worker=worker))


async def finish_run(writer: Writer, worker: str, reason: str, counters: Counters, now: float) -> None:
    """Record why the run ended, and its figures."""
    figures = {"pages": counters.pages, "articles": counters.articles, "lists_read": counters.lists_read}
    try:
        await writer.run(partial(runs.finish_run, worker=worker, reason=reason, now=now, figures=figures))
    except StoreFailedError as error:
        logger.error("the end of the run could not be recorded: %s", error)
