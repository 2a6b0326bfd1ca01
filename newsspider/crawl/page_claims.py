"""Claims the next pages to fetch; those that need no fetch are settled: their URL pattern is spent, or their link is off
topic."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.extraction.article import read
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.keywords import keywords
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import page_links
from newsspider.core.model import Reason
from newsspider.core.relevance.scoring import score
from newsspider.core.relevance.topic import Document
from newsspider.core.text.fingerprint import md5_of, normalised
from newsspider.store.engine.errors import StoreFailedError

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import Lease, PageResult
    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.crawl.link_filter import LinkFilter
    from newsspider.crawl.page_saver import PageSaver
    from newsspider.crawl.trap_budgets import TrapBudgets


@dataclass(eq=False)
class PageClaims:
    """Fills the lease pool; pages that need no fetch are saved at once."""

    pool: LeasePool
    link_filter: LinkFilter
    trap_budgets: TrapBudgets
    sites: CrawlSites
    saver: PageSaver
    prepare: Callable[[], None] | None  # loads what reading takes: a worker with nothing to do needs none of it

    async def claim(self, revisit_before: float | None) -> list[Lease]:
        """The leases to fetch: as many as there is room for within the limits."""
        if self.pool.room() <= 0:
            return []
        leases = await self.pool.claim(revisit_before)
        await self.trap_budgets.refresh()  # a page that spends a budget is saved in the transaction of the claim
        if leases and self.prepare is not None:
            await asyncio.to_thread(self.prepare)  # a second or more, in which the worker must say that it lives
            gc.freeze()  # what was loaded lives as long as the process
            self.prepare = None
        skipped = {lease.key: result for lease in leases if (result := self._skipped(lease)) is not None}
        skipped |= await self.trap_budgets.equivalents([lease for lease in leases if lease.key not in skipped])
        await asyncio.gather(*map(self._save, skipped.values()))
        return [lease for lease in leases if lease.key not in skipped]

    def _skipped(self, lease: Lease) -> PageResult | None:
        try:
            spent = self.trap_budgets.skip(lease)
            return self.link_filter.skip(lease) if spent is None and lease.site in self.sites else spent
        except Exception as error:  # one page must not end the claim
            released = outcome.put_back(lease, Reason.RELEASED, lease.due_at)
            return self.saver.errors.result(lease, error, released)

    async def _save(self, result: PageResult) -> None:
        """Save a result; an error with one page does not affect the others of the claim."""
        try:
            await self.saver.save(result)
        except StoreFailedError:
            raise
        except Exception as error:  # counted, logged and retried
            await self.saver.save_error(result.lease, error, result.settlement)


_TITLE = "鄉村教師招聘"
_TEXT = "教育部門公佈了今年的鄉村教師招聘計劃，學校將按照崗位要求組織考試。" * 3
_PAGE = (
    f"<html><head><title>{_TITLE}</title></head>"
    f"<body><a href='/1.html'>{_TITLE}</a><h1>{_TITLE}</h1><p>{_TEXT}</p></body></html>"
)


def prepare_reading(topic: TopicProfile, model: str | None, now: datetime) -> None:
    """Read a built-in page as a crawl reads others; this loads everything, and raises if it cannot."""
    page = parse(_PAGE.encode(), "http://www.example.cn/2024/1.html", "utf-8", "utf-8")
    article = read(page, now)
    page_type_of(page, article, page_links(page))
    score(topic, Document(title=_TITLE, text=_TEXT), model)
    keywords(_TITLE, _TEXT, ())
    md5_of(_TITLE, normalised(_TEXT))
