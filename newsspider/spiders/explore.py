"""The explorer: follows links of all kinds in the order of a strategy."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from newsspider.crawl.explore_arguments import ExploreArguments, check_explore
from newsspider.crawl.scope import ExploreScope
from newsspider.pages.explored_page import ExploreLinkFilter, ExploreReader
from newsspider.spiders.claim_loop import ClaimingSpider
from newsspider.store.exploring.seen import SeenFilter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from newsspider.crawl.crawl import Runtime
    from newsspider.pages.router import PageReader

logger = logging.getLogger(__name__)


class ExploreSpider(ClaimingSpider):
    """``scrapy crawl explore -a strategy=NAME -a seeds=FILE|URL,...``: a crawl of its own in the store, which the
    same command goes on with. Pages of all kinds are followed; those on topic are stored. Settings: ``SEEN_FILTER``,
    ``SEEN_ERROR_RATE``."""

    name = "explore"
    scope: ExploreScope

    def __init__(self, **arguments: str) -> None:
        super().__init__()
        self.arguments = ExploreArguments.read(arguments)
        self.limits = self.arguments.limits
        self.forever = self.arguments.forever
        self.topic = self.arguments.topic or ""

    @staticmethod
    def check(settings: BaseSettings, arguments: dict[str, str]) -> None:
        """Refuse arguments and settings that cannot work, before anything is started; raises ``UsageError``."""
        check_explore(settings, arguments)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> ExploreSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.topic = spider.topic or crawler.settings["TOPIC"]
        bloom = crawler.settings["SEEN_FILTER"] == "bloom"
        seen = SeenFilter(crawler.settings.getfloat("SEEN_ERROR_RATE")) if bloom else None
        spider.scope = ExploreScope(spider.arguments.site(crawler.settings), spider.arguments.strategy, seen)
        return spider

    def reader_of(self, runtime: Runtime) -> PageReader:
        wandering = ExploreLinkFilter(runtime, self.scope.site, self.arguments.inside)
        return ExploreReader(runtime, self.arguments.strategy, wandering, seen=self.scope.seen or ())

    async def begin(self, runtime: Runtime, now: float) -> None:
        """Offer the seeds, or start from what the store has."""
        start = partial(self.scope.start, name=self.arguments.kind, seeds=self.arguments.seeds, now=now)
        count = await runtime.frontier.run(start)
        logger.info("%s: %d URLs to start from, beside those that it has", self.scope.site, count)

    async def nothing_read(self, runtime: Runtime) -> bool:
        """Pages were asked for, and not one could be read."""
        return runtime.counters.settled > 0 and runtime.counters.pages_read == 0
