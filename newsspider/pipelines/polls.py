"""Adds the inputs of the next poll to a list page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from newsspider.core.crawling.visit import PageResult
from newsspider.crawl.crawl import Crawl

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.poll_policy import PollPolicy


class PollsPipeline:
    """Gives a list of a watched site the weight of its channel and the poll policy; the store decides once it knows
    how many items are new (:mod:`newsspider.store.ledger.polls`)."""

    def __init__(self, sites: CrawlSites, policy: PollPolicy) -> None:
        self.sites = sites
        self.policy = policy

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = Crawl.of(crawler)
        return cls(crawl.sites, crawl.poll_planner.policy)

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageResult) and (item.lease.kind.polled or item.lease.update_cycle is not None):
            _, channel = self.sites.place(item.lease)
            if channel is not None:
                item.polling = self.policy.polling(channel.weight)
        return item
