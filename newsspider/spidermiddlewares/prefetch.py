"""DNS prefetch: resolves new hosts while pages are read, so that no request waits for DNS later."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from newsspider.core.crawling.visit import PageResult
from newsspider.download.guarded_resolver import installed

if TYPE_CHECKING:
    from scrapy.http import Response


class PrefetchMiddleware:
    """Resolves the other hosts that a page offers; cached names cost nothing."""

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for item in result:
            if isinstance(item, PageResult) and (resolver := installed()) is not None:
                followed = [candidate.offer for candidate in item.explored.links] if item.explored else []
                wanted = [offer for offer in (*item.offers, *followed) if offer.refused is None]
                for host in {offer.host for offer in wanted} - {item.lease.host}:
                    resolver.prefetch(host)
            yield item
