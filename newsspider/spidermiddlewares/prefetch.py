"""Has the addresses of new hosts looked up while pages are read, so that nobody waits for them later."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from newsspider.core.crawling.visit import PageResult
from newsspider.download.guarded_resolver import installed

if TYPE_CHECKING:
    from scrapy.http import Response


class PrefetchMiddleware:
    """Asks for the hosts of what a page offers, other than its own; what is known already costs nothing."""

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for item in result:
            if isinstance(item, PageResult) and (resolver := installed()) is not None:
                followed = [candidate.offer for candidate in item.explored.links] if item.explored else []
                wanted = [offer for offer in (*item.offers, *followed) if offer.refused is None]
                for host in {offer.host for offer in wanted} - {item.lease.host}:
                    resolver.prefetch(host)
            yield item
