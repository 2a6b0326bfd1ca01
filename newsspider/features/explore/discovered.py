"""Keeps the pages that an explore crawl discovered until they are indexed, so that they need not be fetched again."""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Self

from scrapy.http import HtmlResponse
from sqlalchemy import Connection, delete, insert, select

from newsspider.core.model import State
from newsspider.core.url import crawl_key
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE
from newsspider.features.explore.effects import DiscoveredPage, Placing
from newsspider.features.explore.tables import discovered_pages

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from newsspider.core.crawling.visit import Lease, Pages

INDEX = "/index"  # the suffix of the crawl that indexes what the crawl of this name discovered
ENDED = (State.DONE, State.ERROR)


def keep(conn: Connection, pages: Pages[DiscoveredPage]) -> None:
    """Keep discovered pages."""
    for page, discovered in pages:
        drop(conn, [page.lease.key])
        row = {"key": page.lease.key, "content": zlib.compress(discovered.content, 1), "charset": discovered.charset}
        conn.execute(insert(discovered_pages).values(row))


def page_of(conn: Connection, lease: Lease) -> DiscoveredPage | None:
    """The kept page for a lease of an indexing crawl; ``None`` if there is none."""
    row = conn.execute(select(discovered_pages).where(discovered_pages.c.key == _key(lease))).first()
    return None if row is None else DiscoveredPage(zlib.decompress(row.content), row.charset)


def release(conn: Connection, pages: Pages[Placing]) -> None:
    """Drop the pages that were indexed."""
    indexed = (page for page, crawl in pages if crawl.site.endswith(INDEX))
    drop(conn, [_key(page.lease) for page in indexed if page.result.settlement.state in ENDED])


def drop(conn: Connection, keys: list[int]) -> None:
    """Drop the kept pages of these URLs."""
    conn.execute(delete(discovered_pages).where(discovered_pages.c.key.in_(keys)))


def _key(lease: Lease) -> int:
    return crawl_key(lease.site.removesuffix(INDEX), lease.url)


class DiscoveredPagesMiddleware:
    """Nothing is sent for a page that ``rbse`` kept with ``stage=discover``; one that it did not keep is fetched."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> HtmlResponse | None:
        lease = request.meta.get(LEASE)
        if lease is None or not lease.site.endswith(INDEX):
            return None
        page = await Crawl.of(self.crawler).storage.writer.run(partial(page_of, lease=lease))
        if page is None:
            return None
        headers = {"Content-Type": f"text/html; charset={page.charset}"}
        return HtmlResponse(request.url, headers=headers, body=page.content, request=request)
