"""The explorer: follows links of all kinds in the order of a strategy."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from newsspider.spiders.claiming import ClaimingSpider
from newsspider.spiders.explore_arguments import ExploreArguments, check_explore
from newsspider.spiders.exploring import ExploreReader, Wandering
from newsspider.store.exploring.seen import SeenFilter
from newsspider.territory import Expedition

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from newsspider.runtime import Runtime
    from newsspider.spiders.reading import PageReader

logger = logging.getLogger(__name__)


class ExploreSpider(ClaimingSpider):
    """``scrapy crawl explore -a strategy=NAME -a seeds=FILE|URL,...``: a crawl of its own in the store, which the same command
    goes on with. Pages of all kinds are followed; those on topic are stored. Settings: ``SEEN_FILTER``, ``SEEN_ERROR_RATE``."""

    name = "explore"
    territory: Expedition

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
        spider.territory = Expedition(spider.arguments.site(crawler.settings), spider.arguments.strategy, seen)
        return spider

    def reader_of(self, runtime: Runtime) -> PageReader:
        wandering = Wandering(runtime, self.territory.site, self.arguments.inside)
        return ExploreReader(runtime, self.arguments.strategy, wandering, seen=self.territory.seen or ())

    async def begin(self, runtime: Runtime, now: float) -> None:
        """Offer the seeds, or start from what the store has."""
        start = partial(self.territory.start, name=self.arguments.kind, seeds=self.arguments.seeds, now=now)
        count = await runtime.frontier.run(start)
        logger.info("%s: %d URLs to start from, beside those that it has", self.territory.site, count)

    async def nothing_read(self, runtime: Runtime) -> bool:
        """Pages were asked for, and not one could be read."""
        return runtime.tally.settled > 0 and runtime.tally.pages_read == 0
