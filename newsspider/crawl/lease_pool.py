"""The leases held by a worker: how many it may claim, expiry, extension and release. Pages that need no fetch (their
URL pattern is spent, or their link is off topic) are settled when they are claimed. How many are held, and how long a
lease lasts, are ``LEASES_AHEAD`` and ``LEASE_SECONDS`` of ``settings.py``; the leases of a worker that died are given
back by ``store/ledger/settlements.py``."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.duplicates.content_hashes import md5_of
from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.keywords import extract_keywords
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import page_links
from newsspider.core.model import Reason
from newsspider.core.relevance.document import Document
from newsspider.core.relevance.scoring import score
from newsspider.core.text.regions import regions_named, with_provinces
from newsspider.core.text.text_comparison import normalise_text
from newsspider.store.engine.errors import StoreFailedError

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.crawling.finish_reasons import CrawlLimits
    from newsspider.core.crawling.visit import Lease, PageResult, Settlement
    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.crawl.counters import Counters
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.link_filter import LinkFilter
    from newsspider.crawl.page_saver import PageSaver
    from newsspider.crawl.trap_budgets import TrapBudgets
    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.store.engine.clock import Clock
    from newsspider.store.ledger import Remaining


logger = logging.getLogger(__name__)


class LeasePool:
    """Bounds the queue in front of the downloader, and thereby everything behind it: at most ``size`` leases are
    held.

    ``changed`` is set when a lease was settled or something new may be claimed.
    """

    def __init__(
        self,
        frontier: SqlFrontier,
        sites: CrawlSites,
        limits: CrawlLimits,
        counters: Counters,
        stats: StatsCollector,
        clock: Clock,
        *,
        size: int,
        lease_seconds: float,
    ) -> None:
        self.changed = asyncio.Event()
        # memory held: leases, by the key of their URL: `CONCURRENT_REQUESTS` x `LEASES_AHEAD`
        self.held: dict[int, Lease] = {}
        self._frontier = frontier
        self._sites = sites
        self._limits = limits
        self._counters = counters
        self._stats = stats
        self._clock = clock
        self._size = size
        self._lease_seconds = lease_seconds
        self._closed = False
        self._waking: asyncio.TimerHandle | None = None
        self.drained = False  # the last claim looked at all hosts and got fewer leases than there was room for
        self._settling: list[str] = []  # hosts whose settlements were announced since the last claim

    def room(self) -> int:
        """How many more leases may be held."""
        if self._closed:
            return 0
        held_count = len(self.held)
        return min(self._size - held_count, self._limits.pages_left(self._counters.pages + held_count))

    async def claim(self, revisit_before: float | None) -> list[Lease]:
        """Claim as many leases as there is room for."""
        room = self.room()
        if room <= 0:
            return []
        now = self._clock.now()
        settling = list(dict.fromkeys(self._settling))
        self._settling.clear()
        leases = await self._frontier.claim(
            room, now, sites=self._sites.claimable(), revisit_before=revisit_before, settling=settling
        )
        self.drained = len(leases) < room and (self._frontier.looks_at_all or not settling)
        soon = self._clock.now() + self._lease_seconds / 2
        fresh = [lease for lease in leases if lease.ends_at > soon and not self._closed]
        self.hold(fresh)
        for lease in leases:
            if lease not in fresh:  # the store was down: others may claim the page first
                self._frontier.rest = None
                await self._frontier.release(lease)
        return fresh

    def hold(self, leases: Iterable[Lease]) -> None:
        self.held.update((lease.key, lease) for lease in leases)
        self._stats.max_value("pool/leases_max", len(self.held))  # stat: most leases held

    async def left(self, revisit_before: float | None) -> Remaining:
        """When this crawl can claim something at the earliest, and whether other workers hold pages that it could
        claim; as the last claim saw it, if it says."""
        rest, self._frontier.rest = self._frontier.rest, None
        if rest is not None:
            return rest
        return await self._frontier.left(revisit_before, sites=self._sites.claimable())

    async def beat(self) -> None:
        """Send the heartbeat, and extend the leases of which half the time has passed."""
        await self._frontier.beat(self._clock.now(), sites=self._sites.claimable())
        soon = self._clock.now() + self._lease_seconds / 2
        if late := [lease for lease in self.held.values() if lease.ends_at <= soon]:
            for lease in await self._frontier.extend(late):
                if self.holds(lease):
                    self.held[lease.key] = lease

    def holds(self, lease: Lease) -> bool:
        """Whether this lease is still held."""
        current = self.held.get(lease.key)
        return current is not None and current.token == lease.token

    def drop(self, lease: Lease, *, followed: bool = False, opens_at: float | None = None) -> None:
        """Stop holding this lease: it was settled, or the ledger lets it expire. ``followed``: its settlement was
        announced by :meth:`follow`, so what it makes claimable is claimed already. What it makes claimable must wait
        until ``opens_at``, so the claim loop does."""
        was_full = self.room() <= 0
        self._frontier.rest = None  # what follows from the page may be due before
        if self.holds(lease):
            del self.held[lease.key]
        if was_full or not self.held:
            self.changed.set()
        elif not followed:
            self._wake_at(self._clock.now() if opens_at is None else opens_at)

    def _wake_at(self, moment: float) -> None:
        """Wake the claim loop then. The earliest moment is enough: a claim that gets nothing asks when to try again."""
        seconds = moment - self._clock.now()
        if seconds <= 0:
            self.changed.set()
        elif self._waking is None or self._waking.when() > asyncio.get_running_loop().time() + seconds:
            if self._waking is not None:
                self._waking.cancel()
            self._waking = asyncio.get_running_loop().call_later(seconds, self._wake)

    def _wake(self) -> None:
        self._waking = None
        self.changed.set()

    def follow(self, lease: Lease, settlement: Settlement) -> bool:
        """Announce a settlement that the writer is about to get. If the host may be asked again at once, the claim loop
        wakes, and its claim goes to the writer right behind the settlement, into the same transaction. Returns whether
        that claim gets all that the settlement makes claimable.

        A claim that looks at these hosts only would pass over others that wait: it is made if none did.
        """
        at_once = settlement.host_next_at is not None and settlement.host_next_at <= self._clock.now()
        if self._limits.articles is not None:  # the page may be the last one
            return False
        if not at_once or not (self._frontier.looks_at_all or self.drained):
            return False
        self._settling.append(lease.host)
        self.changed.set()
        return self._frontier.looks_at_all

    def drop_ended(self) -> None:
        """Drop expired leases: the ledger has taken them back, whatever happened to their pages."""
        now = self._clock.now()
        for lease in [lease for lease in self.held.values() if lease.ends_at < now]:
            logger.warning("the lease of %s ended before its page was settled", lease.url)
            self._stats.inc_value("pool/leases_ended")  # stat: leases that expired before their page was settled
            self.drop(lease)

    async def release_all(self) -> None:
        """Release every lease of this worker, including claims without a response yet, and claim no more: Scrapy closes
        the spider while its ``start()`` goes on."""
        self._closed = True
        try:
            await self._frontier.release_worker()
        except StoreFailedError as error:
            logger.error("the held leases expire by themselves: %s", error)
        self.held.clear()


@dataclass(eq=False)
class PageClaims:
    """Fills the lease pool; pages that need no fetch are saved at once."""

    pool: LeasePool
    link_filter: LinkFilter
    trap_budgets: TrapBudgets
    sites: CrawlSites
    saver: PageSaver
    prepare: Callable[[], None]  # loads what reading takes: a worker with nothing to do needs none of it
    prepared: bool = False

    async def claim(self, revisit_before: float | None) -> list[Lease]:
        """The leases to fetch: as many as there is room for within the limits."""
        if self.pool.room() <= 0:
            return []
        leases = await self.pool.claim(revisit_before)
        await self.trap_budgets.refresh()  # a page that spends a budget is saved in the transaction of the claim
        if leases and not self.prepared:
            await asyncio.to_thread(self.prepare)  # a second or more, in which the worker must say that it lives
            gc.freeze()  # what was loaded lives as long as the process
            self.prepared = True
        skipped = {lease.key: result for lease in leases if (result := self._skipped(lease)) is not None}
        skipped |= await self.trap_budgets.equivalents([lease for lease in leases if lease.key not in skipped])
        await asyncio.gather(*map(self._save, skipped.values()))
        return [lease for lease in leases if lease.key not in skipped]

    def _skipped(self, lease: Lease) -> PageResult | None:
        try:
            spent = self.trap_budgets.skip(lease)
            return self.link_filter.skip(lease) if spent is None and lease.site in self.sites else spent
        except Exception as error:  # one page must not end the claim
            released = outcome.put_back(lease, Reason.RELEASED, lease.due_at)
            return self.saver.errors.result(lease, error, released)

    async def _save(self, result: PageResult) -> None:
        """Save a result; an error with one page does not affect the others of the claim."""
        try:
            await self.saver.save(result)
        except StoreFailedError:
            raise
        except Exception as error:  # counted, logged and retried
            await self.saver.save_error(result.lease, error, result.settlement)


_TITLE = "鄉村教師招聘"
_TEXT = "教育部門公佈了今年的鄉村教師招聘計劃，學校將按照崗位要求組織考試。" * 3
_PLACE = "昆山市"
_PAGE = (
    f"<html><head><title>{_TITLE}</title></head>"
    f"<body><a href='/1.html'>{_TITLE}</a><h1>{_TITLE}</h1><p>{_TEXT}</p></body></html>"
)


def prepare_reading(topic: TopicProfile, model: str | None, now: datetime) -> None:
    """Read a built-in page as a crawl reads others; this loads everything, and raises if it cannot."""
    page = parse(_PAGE.encode(), "http://www.example.cn/2024/1.html", "utf-8", "utf-8")
    article = extract_article(page, now)
    page_type_of(page, article, page_links(page))
    score(topic, Document(title=_TITLE, text=_TEXT), model)
    extract_keywords(_TITLE, _TEXT, ())
    with_provinces(regions_named(_PLACE, _TEXT))
    md5_of(_TITLE, normalise_text(_TEXT))
