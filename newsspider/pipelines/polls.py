"""Says by what the next poll of a list is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from newsspider.core.crawling.visit import PageResult
from newsspider.crawl.crawl import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class PollsPipeline:
    """Gives a list of a watched site the weight of its channel and the plan of the crawl's clock, by which the store
    decides once it knows how much of it is new (:mod:`newsspider.store.ledger.polls`)."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Runtime.of(crawler))

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageResult) and (item.lease.kind.polled or item.lease.update_cycle is not None):
            site = self.runtime.sites.get(item.lease.site)
            channel = site.channel(item.lease.channel) if site is not None else None
            if channel is not None:
                item.polling = self.runtime.clock.polling(channel.weight)
        return item
