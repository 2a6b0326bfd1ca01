"""The topic spider: polls weighted list pages in rounds and fetches the articles they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsspider.crawl.arguments import Arguments, check_start
from newsspider.crawl.channel_offers import channel_offers
from newsspider.crawl.watched_scope import WatchedScope
from newsspider.crawl.wrong_use import wrong_use
from newsspider.pages.router import PageReader
from newsspider.sites.holidays import calendar_of
from newsspider.spiders.claim_loop import ClaimingSpider
from newsspider.store.engine import clock as steady

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from newsspider.crawl.crawl import Runtime


class EducationSpider(ClaimingSpider):
    """``scrapy crawl education``: one round by default, around the clock with ``-a forever=1``."""

    name = "education"
    watches = True

    def __init__(self, **arguments: str) -> None:
        super().__init__()
        self.arguments = Arguments.read(arguments)
        self.limits = self.arguments.limits
        self.forever = self.arguments.forever
        self.topic = self.arguments.topic or ""
        self.scope = WatchedScope(self.arguments.sites)

    @staticmethod
    def check(settings: BaseSettings, arguments: dict[str, str]) -> None:
        """Refuse arguments and settings that cannot work, before anything is started; raises ``UsageError``."""
        read = Arguments.read(arguments)
        if settings["SEEN_FILTER"] == "bloom":
            raise wrong_use("SEEN_FILTER=bloom: it loses pages; only `scrapy crawl explore` may have it")
        check_start(settings, read.topic, read.sites)
        try:
            calendar_of(settings["HOLIDAYS"], settings.getlist("SCHOOL_HOLIDAYS"), steady.time())
        except ValueError as error:
            raise wrong_use(f"HOLIDAYS={settings['HOLIDAYS']}: {error}") from error

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> EducationSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.topic = spider.topic or crawler.settings["TOPIC"]
        return spider

    def reader_of(self, runtime: Runtime) -> PageReader:
        return PageReader(runtime)

    async def begin(self, runtime: Runtime, now: float) -> None:
        """Offer every channel of the enabled sites. One round polls them all; around the clock, those are due that
        the clock says, and those that were not asked for longer than it ever waits."""
        clock = runtime.clock
        by_the_clock = self.forever and clock.keeps_time
        again_before = now - clock.limits.longest if by_the_clock else now
        await runtime.frontier.offer(channel_offers(runtime.sites.values(), now, clock.cycle, again_before))
        if by_the_clock:
            await runtime.recall_prices()
        await runtime.think(anew=True)

    async def nothing_read(self, runtime: Runtime) -> bool:
        """Not one list page was read since this crawl began, by no worker of the fleet."""
        return runtime.counters.lists_read == 0 and not await runtime.list_read_elsewhere()

    async def lists_unread(self, runtime: Runtime) -> bool:
        """Some lists of the sites failed when they were last asked, by whichever worker. Stats: ``lists/watched``,
        ``lists/unread``."""
        lists = await runtime.lists()
        runtime.stats.set_value("lists/watched", lists.watched)
        runtime.stats.set_value("lists/unread", lists.failing)
        return lists.failing > 0
