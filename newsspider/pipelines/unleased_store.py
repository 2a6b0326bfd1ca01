"""Stores the articles of a spider without leases."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from newsspider.core.url import canonical
from newsspider.crawl.storage import Storage, worker_name
from newsspider.pipelines.store import NotNew, article_of, is_article
from newsspider.store.articles.page_articles import keep_unleased
from newsspider.store.engine.clock import SteadyClock

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector


class UnleasedStorePipeline:
    """Commits an article, and its URL as fetched, in one transaction: no crawl fetches the URL again.

    Articles that are new, changed or corrected (by a field that the spider names) go on, others are dropped
    (:exc:`NotNew`); items of another kind pass. The store is opened for the first article. Without a ``channel``, an
    article gets the name of the spider.
    """

    def __init__(self, settings: BaseSettings, stats: StatsCollector, channel: str) -> None:
        self.settings = settings
        self.stats = stats
        self.channel = channel
        self.clock = SteadyClock()
        self.storage: Storage | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if crawler.spider is None or hasattr(crawler.spider, "scope"):
            raise NotConfigured
        assert crawler.stats is not None
        return cls(crawler.settings, crawler.stats, crawler.spider.name)

    async def process_item(self, item: Any) -> Any:
        if not is_article(item):
            return item
        article = article_of(item)
        url = canonical(article.url)
        if url is None:
            raise ValueError(f"an article needs an http or https URL, not {article.url!r:.200}")
        article.url, article.channel = url, article.channel or self.channel
        if self.storage is None:
            self.storage = Storage.open(self.settings, worker_name(), self.clock)
        saved = await self.storage.frontier.run(partial(keep_unleased, article=article, now=self.clock.now()))
        if not (saved.new or saved.change.is_new):
            raise NotNew(f"stored before: {saved.duplicate_of or url}", log_level="DEBUG")
        # stat unleased/articles: articles of a spider without leases that were stored
        self.stats.inc_value("unleased/articles")
        return item

    async def close_spider(self) -> None:
        """Wait for the last commit."""
        if self.storage is not None:
            await self.storage.close(self.stats)
