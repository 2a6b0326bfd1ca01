"""The explore spider: follows all links in the order of a strategy."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from newsspider.core.relevance.scoring import score
from newsspider.crawl.arguments import check_start
from newsspider.crawl.crawl import Crawl
from newsspider.features.explore import crawl_starts
from newsspider.features.explore.bloom_filter import SeenFilter
from newsspider.features.explore.effects import Explored
from newsspider.features.explore.explore_arguments import ExploreArguments, check_seeds, crawl_name
from newsspider.features.explore.explored_page import explore_link_offers, explore_reader
from newsspider.features.explore.scope import ExploreScope
from newsspider.spiders.claim_loop import ClaimingSpider
from newsspider.spiders.leased_components import SPIDER

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from newsspider.core.crawling.visit import Offer, PageResult
    from newsspider.pages.router import PageReader

logger = logging.getLogger(__name__)


DISCOVERED_PAGES = "newsspider.features.explore.discovered.DiscoveredPagesMiddleware"


class ExploringSpider(ClaimingSpider):
    """Follows the links of pages wherever they lead."""

    scope: ExploreScope

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        middlewares = settings.getdict("DOWNLOADER_MIDDLEWARES_BASE") | {DISCOVERED_PAGES: 160}
        settings.set("DOWNLOADER_MIDDLEWARES_BASE", middlewares, SPIDER)

    def offered_by(self, page: PageResult) -> Iterable[Offer]:
        explored = page.effect(Explored)
        return page.offers if explored is None else (*page.offers, *(link.offer for link in explored.links))


class ExploreSpider(ExploringSpider):
    """``scrapy crawl explore -a strategy=NAME -a seeds=FILE|URL,... [-a NAME=VALUE]...``

    Follows the links of pages of all kinds in the order of a strategy; articles on topic are stored. A crawl is a site
    of its own in the store, ``explore:NAME``, which the same command continues. Every strategy takes options of its
    own, ``-a depth=N`` among them: docs/how-to/choose-a-strategy.md. Settings: ``SEEN_FILTER``, ``SEEN_ERROR_RATE``.
    """

    name = "explore"

    def __init__(self, **arguments: str) -> None:
        super().__init__()
        self.arguments = ExploreArguments.read(arguments)
        self.limits = self.arguments.limits
        self.forever = self.arguments.forever
        self.topic = self.arguments.topic or ""

    @staticmethod
    def check(settings: BaseSettings, arguments: dict[str, str]) -> None:
        """Reject invalid arguments and settings before anything is started; raises ``UsageError``."""
        read = ExploreArguments.read(arguments)
        check_start(settings, read.topic)
        check_seeds(settings, read.seeds)
        crawl_name(read, settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> ExploreSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.topic = spider.topic or crawler.settings["TOPIC"]
        bloom = crawler.settings["SEEN_FILTER"] == "bloom"
        seen_filter = SeenFilter(crawler.settings.getfloat("SEEN_ERROR_RATE")) if bloom else None
        site = crawl_name(spider.arguments, crawler.settings)
        spider.scope = ExploreScope(site, spider.arguments.strategy, seen_filter)
        return spider

    def build_reader(self) -> PageReader:
        topic, model = (
            Crawl.of(self.crawler).claims.link_filter.topic,
            self.crawler.settings["RELEVANCE_MODEL"] or None,
        )
        link_filter = explore_link_offers(self.crawler, self.scope.site, self.arguments.inside)
        judge = partial(score, topic, model=model)
        return explore_reader(self.crawler, self.arguments.strategy, link_filter, judge, self.scope.seen or ())

    async def begin(self, crawl: Crawl, now: float) -> None:
        """Offer the seeds, or start from the store."""
        start = partial(
            crawl_starts.begin,
            site=self.scope.site,
            name=self.arguments.kind,
            strategy=self.arguments.strategy,
            seeds=self.arguments.seeds,
            now=now,
        )
        count = await crawl.storage.frontier.run(start)
        logger.info("%s: %d new URLs to start from", self.scope.site, count)

    async def nothing_read(self, crawl: Crawl) -> bool:
        """Pages were fetched, but none could be read."""
        return crawl.ending.counters.settled > 0 and crawl.ending.counters.pages_read == 0
