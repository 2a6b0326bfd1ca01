"""What the components of one crawl share: the store, the frontier, the sites, the topic, and the leases that are
held."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import random
from collections.abc import Iterable, Mapping, Set
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from newsspider.core.crawling import outcome
from newsspider.core.crawling.finish import Finish, Limits
from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.extraction.body.learned_boilerplate import Boilerplate
from newsspider.core.fetching.politeness import DelayLimits
from newsspider.core.model import Layout, Reason
from newsspider.core.scheduling.vanished import Patience
from newsspider.core.strategies.polling import better_hubs
from newsspider.core.text.words import use_words
from newsspider.crawl.channel_offers import channel_offers
from newsspider.crawl.counters import Counters
from newsspider.crawl.fetch_notes import visit_of
from newsspider.crawl.host_policy import HostPolicy
from newsspider.crawl.internal_errors import Faults
from newsspider.crawl.link_filter import LinkFilter
from newsspider.crawl.poll_planner import Clock
from newsspider.crawl.trap_budgets import Budgets
from newsspider.crawl.warm_up import prepare_reading
from newsspider.crawl.worker_names import died_here, worker_name
from newsspider.frontier.backend import frontier_of
from newsspider.store import ledger, runs, workers
from newsspider.store.articles import boilerplate_lines, revisions
from newsspider.store.articles.precedents import judged
from newsspider.store.engine import clock as steady
from newsspider.store.engine.database import open_store
from newsspider.store.engine.writer import StoreFailed, Writer
from newsspider.store.exploring import ranks
from newsspider.store.ledger import list_positions, polls
from newsspider.topics.loader import load_topic

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.scope import Scope
    from newsspider.sites.model import Site
    from newsspider.store.pages import Saved

logger = logging.getLogger(__name__)


class Runtime:
    """One a crawl, made by whichever component asks first.

    Settings: ``DATABASE_URL``, ``TOPIC``, ``RELEVANCE_MODEL``, ``ROBOTS_AGENT``, ``DELAY_*``, ``RETRY_*``,
    ``LEASE_SECONDS``, ``LEASES_AHEAD``, ``WRITER_*``. Stats: those of :class:`~newsspider.crawl.counters.Counters`,
    ``store/late``, ``pool/*`` how many leases are held.
    """

    _of: ClassVar[WeakKeyDictionary[Crawler, Runtime]] = WeakKeyDictionary()

    def __init__(
        self, settings: BaseSettings, stats: StatsCollector, topic: str, limits: Limits, scope: Scope
    ) -> None:
        self.settings = settings
        self.stats = stats
        self.limits = limits
        self.scope = scope
        self.topic = load_topic(topic)
        use_words(self.topic.spellings())
        self.model: str | None = settings.get("RELEVANCE_MODEL") or None
        limits_of_delay = DelayLimits(
            settings.getfloat("DELAY_FACTOR"),
            settings.getfloat("DELAY_MIN_SECONDS"),
            settings.getfloat("DELAY_MAX_SECONDS"),
            settings.getfloat("CRAWL_DELAY_MAX_SECONDS"),
        )
        self.retries = outcome.RetryPolicy(
            settings.getint("RETRY_TIMES"),
            settings.getfloat("RETRY_BASE_SECONDS"),
            settings.getfloat("RETRY_CAP_SECONDS"),
        )
        self.worker = worker_name()
        # its messages are nowhere else
        self.engine = open_store(settings["DATABASE_URL"], durable=bool(settings["REDIS_URL"]))
        self.writer = Writer(
            self.engine,
            settings.getint("WRITER_BATCH"),
            settings.getfloat("WRITER_PATIENCE_SECONDS"),
            settings.getfloat("WRITER_GATHER_SECONDS"),
        )
        self.frontier = frontier_of(settings, self.writer, self.worker)
        self.sites: dict[str, Site] = {}
        self.clock = Clock(settings)
        # the lists, by site and channel, whose articles go first within their weight
        self.hubs: frozenset[tuple[str, str]] = frozenset()
        self.layouts: dict[tuple[str, str], Layout] = {}  # of the channels' pages, by site and channel
        self.boilerplate: dict[str, Boilerplate] = {}  # of the sites' articles
        self.learns_boilerplate = settings.getbool("BOILERPLATE_LEARNED")
        self.patience = Patience(settings.getint("VANISHED_MISSES"), settings.getfloat("VANISHED_HOURS") * 3600)
        agent: str = settings["ROBOTS_AGENT"]
        self.budgets = Budgets(settings, by_domain=scope.explores)
        self.link_filter = LinkFilter(self.topic)
        self.host_policy = HostPolicy(self.writer, self.site_of, agent, limits_of_delay, self.retries)
        self.held: dict[int, Lease] = {}
        self.most_held = settings.getint("CONCURRENT_REQUESTS") * settings.getint("LEASES_AHEAD")
        self.thinking = asyncio.Lock()  # of when the lists are polled, in a thread: one plan is made at a time
        self.changed = asyncio.Event()  # a lease was settled, the sites changed, or a limit was reached
        self.started_at = steady.time()
        self.counters = Counters(stats)
        self.faults = Faults(self)
        self.full_seconds = 0.0  # for which no lease could be claimed, because as many were held as may be
        self.storing = 0  # pages that were read and wait for the writer
        self.stop_reason: Finish | None = None

    @classmethod
    def of(cls, crawler: Crawler) -> Runtime:
        """The runtime of a crawler, made at the first call."""
        if crawler not in cls._of:
            assert crawler.stats is not None
            spider: Any = crawler.spider
            cls._of[crawler] = cls(crawler.settings, crawler.stats, spider.topic, spider.limits, spider.scope)
        return cls._of[crawler]

    def seconds_left(self) -> float:
        """Seconds until the limit of minutes."""
        if self.limits.minutes is None:
            return float("inf")
        return max(0.0, self.started_at + 60 * self.limits.minutes - steady.time())

    def stop(self, reason: Finish) -> None:
        """Claim no more and end with this reason once the held leases are settled; the first reason stays."""
        self.stop_reason = self.stop_reason or reason
        self.changed.set()

    def watched(self) -> frozenset[str]:
        """The sites whose pages this crawl may claim."""
        return self.scope.claimed(self.sites)

    def site_of(self, lease: Lease) -> Site | None:
        """The site whose delay holds for a lease."""
        return self.scope.site_of(lease, self.sites)

    async def claim(self, revisit_before: float | None) -> list[Lease]:
        """As many leases as there is room for and the limits allow, now held by this worker."""
        room = self.room()
        if room <= 0:
            return []
        await self.budgets.refresh(self.frontier, self._budgeted())
        leases = await self.frontier.claim(room, steady.time(), sites=self.watched(), revisit_before=revisit_before)
        soon = steady.time() + self.settings.getfloat("LEASE_SECONDS") / 2
        held = [lease for lease in leases if lease.ends_at > soon]
        self.held.update((lease.key, lease) for lease in held)
        self.stats.max_value("pool/leases_max", len(self.held))
        for lease in leases:
            if lease.ends_at <= soon:  # the store was away in between: others may have the page before it is fetched
                await self.frontier.release(lease)
        set_aside = {lease.key: result for lease in held if (result := self._set_aside(lease)) is not None}
        set_aside |= await self.budgets.known(
            self.frontier, [lease for lease in held if lease.key not in set_aside], self._budgeted()
        )
        await asyncio.gather(*map(self._commit_set_aside, set_aside.values()))
        return [lease for lease in held if lease.key not in set_aside]

    def _set_aside(self, lease: Lease) -> PageResult | None:
        """The result of a page that need not be asked for; ``None`` if it must be."""
        try:
            spent = self.budgets.set_aside(lease, self._budgeted())
            return self.link_filter.set_aside(lease) if spent is None and lease.site in self.sites else spent
        except Exception as error:  # a fence: one page ends no claim
            return self.faults.result(lease, error, outcome.put_back(lease, Reason.RELEASED, lease.due_at))

    def _budgeted(self) -> Set[str]:
        """The sites whose URLs have budgets: the watched ones, or the explore crawl."""
        return self.watched() if self.scope.explores else self.sites.keys()

    async def _commit_set_aside(self, result: PageResult) -> None:
        """Commit it; a page over which we fail costs no other page of the claim its turn."""
        try:
            await self.commit(result)
        except StoreFailed:
            raise
        except Exception as error:  # a fence: it is counted, logged and tried again
            await self.faults.settle(result.lease, error, result.settlement)

    def room(self) -> int:
        """How many more leases may be held: the pool before the downloader is bounded, and so is everything behind
        it."""
        return min(self.most_held - len(self.held), self.limits.pages_left(self.counters.pages + len(self.held)))

    async def beat(self) -> None:
        """Let the other workers know that this one lives, and keep the leases of which half the time is over."""
        await self.frontier.beat(steady.time(), sites=self.watched())
        soon = steady.time() + self.settings.getfloat("LEASE_SECONDS") / 2
        if late := [lease for lease in self.held.values() if lease.ends_at <= soon]:
            for lease in await self.frontier.extend(late):
                if lease.key in self.held and self.held[lease.key].token == lease.token:
                    self.held[lease.key] = lease

    async def commit(self, result: PageResult) -> Saved:
        """Store a page and settle its lease in one transaction; returns when both are on disk."""
        result.awaited = result.lease.site in self.sites and result.lease.awaited
        result.budget = self.budgets.of(result.lease, self._budgeted())
        self.storing += 1
        self.stats.max_value("pool/storing_max", self.storing)
        try:
            saved = await self.frontier.run(self.scope.saving(result, steady.time()))
        finally:
            self.storing -= 1
        if saved.settled:
            if not result.settlement.faults:
                self.faults.log.passed(result.lease.host)
            self.scope.saved(result)
            if saved.budgets:
                self.budgets.changed()
            self.counters.add(result, saved)
            self.check_limits()
        else:
            self.stats.inc_value("store/late")
        self.drop(result.lease)
        return saved

    async def release_all(self) -> None:
        """Give back every lease of this worker, also one whose claim had not been answered yet."""
        try:
            await self.frontier.release_worker()
        except StoreFailed as error:
            logger.error("the leases that are held end by themselves: %s", error)
        self.held.clear()

    def failure(
        self, lease: Lease, request: Request, reason: Reason, *, status: int | None = None, detail: str = ""
    ) -> PageResult:
        """The result of a fetch that failed."""
        now = steady.time()
        if reason is Reason.UNREADABLE:
            self.stats.inc_value("pages/unreadable")
        if lease.had_article and lease.revisit:
            again = max(self.patience.recheck_seconds, self.retries.base_seconds)
            settlement = outcome.revisit_failed(lease, reason, now, again, status=status, detail=detail)
        else:
            settlement = outcome.failed(
                lease, reason, now, self.retries, status=status, detail=detail, jitter=random.random()
            )
        pause = self.host_policy.pause(lease) if reason in outcome.HOST_DOWN else None
        return PageResult(lease, self.host_policy.visited(lease, visit_of(request), settlement, pause=pause))

    def count_cut(self, lease: Lease, cut: str) -> None:
        """Count and log that a feed or a sitemap was not read to its end, if it was not."""
        if cut:
            logger.info("%s is not read to its end: %s", lease.url, cut)
            self.stats.inc_value("lists/cut")

    def check_limits(self) -> None:
        """Stop when a limit is reached."""
        limit = self.limits.reached(self.counters.pages, self.counters.articles, steady.time() - self.started_at)
        if limit is not None:
            self.stop(limit)

    def drop(self, lease: Lease) -> None:
        """Hold this lease no longer, though it could not be settled: the ledger lets it end."""
        if self.holds(lease):
            del self.held[lease.key]
        self.changed.set()

    def holds(self, lease: Lease) -> bool:
        """Whether this lease is held and not settled yet."""
        held = self.held.get(lease.key)
        return held is not None and held.token == lease.token

    def drop_ended(self) -> None:
        """Hold no lease that has ended: whatever became of its page, the ledger has given it back."""
        now = steady.time()
        for lease in [lease for lease in self.held.values() if lease.ends_at < now]:
            logger.warning("the lease of %s ended before its page was settled", lease.url)
            self.stats.inc_value("pool/leases_ended")
            self.drop(lease)

    def store_failed(self, error: Exception) -> None:
        """Stop, and hold nothing any longer, for nothing can be settled; that is said once."""
        if self.stop_reason is not Finish.STORE_FAILED:
            logger.error("the store failed: %s", error)
        self.stop_reason = Finish.STORE_FAILED
        self.held.clear()
        self.changed.set()

    async def open(self, spider: str, arguments: Mapping[str, Any]) -> None:
        """Begin the run: read the sites, take back what dead workers of this machine held and what is this crawl's
        again."""
        now = steady.time()
        prepare_reading(self.topic, self.model)
        self.sites = await self.writer.run(partial(self.scope.begin, now=now))
        self.layouts = await self.writer.run(list_positions.known)
        self.counters.visits = await self.writer.run(revisions.visits)
        await self._recall_boilerplate()
        if self.topic.link_threshold:
            self.link_filter.recall(await self.writer.run(partial(judged, topic=self.topic.name)))
        for worker in filter(died_here, await self.writer.run(runs.open_workers)):
            await self.writer.run(partial(runs.note_death, worker=worker))
        await self.writer.run(partial(runs.start_run, spider=spider, worker=self.worker, arguments=arguments, now=now))
        for worker in filter(died_here, await self.writer.run(ledger.workers)):
            await self.frontier.run(partial(ledger.release_worker, worker=worker, died=True))
        for worker in filter(died_here, await self.writer.run(workers.names)):
            await self.writer.run(partial(workers.leave, worker=worker))
        await self.frontier.run(
            partial(self.scope.take_over, topic=self.topic.name, links=self.link_filter.topic_name, now=now)
        )
        await self.bound_waits()

    async def think(self, *, anew: bool = False) -> None:
        """Think over when the lists are polled and which of them are the better hubs; ``anew``: sites, weights or
        limits may be others than before.

        Stats: ``lists/requests_per_hour``, ``lists/price_gain``.
        """
        lists = await self.writer.run(partial(polls.lists, sites=self.watched()))
        hours = await self.writer.run(polls.hours)
        self.hubs = better_hubs(await self.writer.run(ranks.hub_scores))
        now = steady.time()
        async with self.thinking:
            await asyncio.to_thread(self.clock.think, lists, hours, now)
        if self.clock.keeps_time:
            await self.frontier.run(
                partial(polls.hasten, sites=self.watched(), polling=self.clock.polling, now=now, lost_only=not anew)
            )
        self.stats.set_value("lists/requests_per_hour", round(self.clock.limits.requests_an_hour, 1))
        self.stats.set_value("lists/price_gain", round(self.clock.plan.gain, 3))

    async def bound_waits(self) -> None:
        """Let no host wait for longer than it may because the system clock was set back."""
        if bound := await self.frontier.run(partial(ledger.bound_waits, now=steady.time())):
            logger.warning("%d hosts waited for longer than they may: the system clock was set back", bound)

    async def recall_prices(self) -> None:
        """Begin with the prices of requests at which the crawl for this topic before this one ended."""
        self.clock.recall(await self.writer.run(partial(polls.prices, topic=self.topic.name)))

    async def keep_prices(self) -> None:
        """Keep the prices of requests, once they were thought over."""
        if self.clock.planned_at:
            await self.writer.run(partial(polls.keep_prices, topic=self.topic.name, factors=self.clock.factors))

    async def reload_sites(self) -> set[str]:
        """Take changes of the registry up; returns the names of the sites that changed for this crawl.

        What fails on the way is done again at the next look, from the beginning.
        """
        told = await self.writer.run(self.scope.changed)
        if told is None:
            return set()
        version, found = told
        changed = {name for name, site in found.items() if self.sites.get(name) != site}
        gone = set(self.sites) - set(found)
        known, self.sites = self.sites, found
        try:
            await self._take_up(found if gone else changed)  # two sites may share a list, and one of them is gone
            known = found
        finally:
            self.sites = known
        self.scope.took_up(version)
        return changed | gone

    async def _take_up(self, changed: Iterable[str]) -> None:
        """Know what the store knows of the sites, offer the lists of those that changed, and think over when they
        are polled."""
        self.layouts = await self.writer.run(list_positions.known)
        await self._recall_boilerplate()
        await self.frontier.run(
            partial(self.scope.take_over, topic=self.topic.name, links=self.link_filter.topic_name, now=steady.time())
        )
        await self.frontier.offer(
            channel_offers([self.sites[name] for name in changed], steady.time(), self.clock.cycle)
        )
        await self.think(anew=True)
        self.changed.set()

    async def _recall_boilerplate(self) -> None:
        """Know the lines that the store knows, and no others."""
        found = await self.writer.run(boilerplate_lines.known)
        for site in found.keys() | self.boilerplate.keys():
            self.boilerplate.setdefault(site, Boilerplate()).known = set(found.get(site, ()))

    async def list_read_elsewhere(self) -> bool:
        """Whether another worker read a list of the watched sites since this one started."""
        return await self.writer.run(partial(ledger.list_read_since, sites=self.watched(), since=self.started_at))

    async def lists(self) -> ledger.Lists:
        """How many lists the watched sites have, and how many of them fail."""
        return await self.writer.run(partial(ledger.lists, sites=self.watched()))

    async def left(self, revisit_before: float | None) -> ledger.Left:
        """When this crawl may claim something at the earliest, and whether other workers hold pages that it could
        have claimed."""
        return await self.frontier.left(revisit_before, sites=self.watched())

    async def close(self, reason: str) -> None:
        """Write the end of the run and stop the writer."""
        figures = {
            "pages": self.counters.pages,
            "articles": self.counters.articles,
            "lists_read": self.counters.lists_read,
        }
        step = partial(runs.finish_run, worker=self.worker, reason=reason, now=steady.time(), figures=figures)
        try:
            await self.writer.run(step)
        except StoreFailed as error:
            logger.error("the end of the run could not be written down: %s", error)
        await self.frontier.close()
        self.faults.log.close()
        self.stats.set_value("pool/leases_full_seconds", round(self.full_seconds, 3))
        for name, value in dataclasses.asdict(self.writer.figures).items():
            self.stats.set_value(f"writer/{name}", value)
        try:
            await asyncio.to_thread(self.writer.close)
        except RuntimeError:  # no thread can be started
            self.writer.close()
        self.engine.dispose()

