"""The education spider: polls weighted list pages and fetches the articles on them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request

from newsspider.core.links.page_links import links_of
from newsspider.core.model import LinkKind
from newsspider.crawl.arguments import Arguments, check_start
from newsspider.crawl.barren_sources import TOLD_AFTER_SECONDS, BarrenSources
from newsspider.crawl.crawl_sites import WatchedScope, channel_offers
from newsspider.crawl.wrong_use import wrong_use
from newsspider.pages.read_page import article_item, page_of, with_encoding
from newsspider.pages.router import page_reader
from newsspider.pages.user_callbacks import (
    LIST_CALLBACK,
    PAGE,
    callback_for,
    callback_results,
    page_objects,
    put_article,
    put_links,
)
from newsspider.sites.holidays import calendar_of
from newsspider.spiders.claim_loop import ClaimingSpider
from newsspider.store import ledger
from newsspider.store.engine.clock import Clock

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from newsspider.core.crawling.visit import PageResult
    from newsspider.crawl.crawl import Crawl
    from newsspider.pages.router import PageReader


class EducationSpider(ClaimingSpider):
    """``scrapy crawl education [-a NAME=VALUE]...``

    Without arguments it is one round: every channel of every enabled site is polled once, what is new is fetched, and
    the crawl ends when nothing is due. What an earlier crawl left undone is finished with it.
    """

    name = "education"
    watches = True
    barren: BarrenSources

    def __init__(self, **arguments: str) -> None:
        super().__init__()
        self.arguments = Arguments.read(arguments)
        self.limits = self.arguments.limits
        self.forever = self.arguments.forever
        self.topic = self.arguments.topic or ""
        self.scope = WatchedScope(self.arguments.sites)

    @staticmethod
    def check(settings: BaseSettings, arguments: dict[str, str]) -> None:
        """Reject invalid arguments and settings before anything is started; raises ``UsageError``."""
        read = Arguments.read(arguments)
        if settings["SEEN_FILTER"] == "bloom":
            raise wrong_use("SEEN_FILTER=bloom: it loses pages; only `scrapy crawl explore` may use it")
        check_start(settings, read.topic, read.sites)
        try:
            calendar_of(settings["HOLIDAYS"], settings.getlist("SCHOOL_HOLIDAYS"), Clock().now())
        except ValueError as error:
            raise wrong_use(f"HOLIDAYS={settings['HOLIDAYS']}: {error}") from error

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> EducationSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.topic = spider.topic or crawler.settings["TOPIC"]
        return spider

    def build_reader(self) -> PageReader:
        return page_reader(self.crawler)

    async def read(self, response: Response) -> PageResult:
        """Return what a page is; the callbacks that a subclass overrides say what it holds."""
        page = await super().read(response)
        name = callback_for(page)
        if not name or getattr(type(self), name) is getattr(EducationSpider, name):
            return page
        response.meta[PAGE] = page
        response = with_encoding(response, self.crawler.settings["DEFAULT_CHARSET"])
        callback, offers = getattr(self, name), self.reader.readers.articles.offers
        results = await callback_results(callback(response, **await page_objects(self.crawler, callback, response)))
        if name == LIST_CALLBACK:
            put_links(page, results, offers)
        else:
            put_article(page, results, response, offers, self.crawler.settings)
        return page

    def parse_article(self, response: Response) -> Any:
        """Yield the article of a page as an item or a dict of its fields, and requests for further articles; as it
        stands, what the reader read. A subclass overrides it in Scrapy's style."""
        if PAGE not in response.meta:  # of `scrapy parse`, which prints it
            return [article_item(response, self.crawler.settings, content=b"")]
        article = response.meta[PAGE].article
        return [] if article is None else [replace(article)]  # a copy: what is changed in it is told by comparison

    def parse_list(self, response: Response) -> Any:
        """Yield a request for each article of a list page, and one with this callback for its next page; as it stands,
        for the links that the reader found."""
        kinds = {LinkKind.ARTICLE: self.parse_article, LinkKind.NEXT: self.parse_list}
        page = response.meta.get(PAGE)
        links = page.links if page is not None else links_of(page_of(response, self.crawler.settings))
        return [
            Request(link.url, kinds[link.kind], meta={"link_text": link.text}) for link in links if link.kind in kinds
        ]

    async def begin(self, crawl: Crawl, now: float) -> None:
        """Offer every channel of the enabled sites. A single round polls them all; a continuous crawl those that are
        due by the poll policy, or that were not polled for longer than the longest interval."""
        self.barren = BarrenSources(crawl)
        await self.barren.begin()
        planner, policy = crawl.poll_planner, crawl.poll_planner.policy
        scheduled = self.forever and policy.keeps_time
        again_before = now - policy.limits.longest if scheduled else now
        offers = channel_offers(crawl.sites.by_name.values(), now, policy.cycle, again_before)
        await crawl.storage.frontier.offer(offers)
        if scheduled:
            await planner.load_multipliers()
        await planner.replan(rebuild=True)

    async def before_next_round(self, crawl: Crawl) -> None:
        if self.forever:
            await self.barren.tell(after_seconds=TOLD_AFTER_SECONDS)

    async def round_ended(self, crawl: Crawl) -> None:
        """Say which sources never brought anything."""
        await self.barren.tell()

    async def nothing_read(self, crawl: Crawl) -> bool:
        """No list page was read since this crawl began, by any worker."""
        if crawl.ending.counters.lists_read > 0:
            return False
        since = partial(ledger.list_read_since, sites=crawl.sites.claimable(), since=crawl.ending.started_at)
        return not await crawl.storage.writer.run(since)

    async def lists_unread(self, crawl: Crawl) -> bool:
        """Some lists failed at their last poll, by any worker."""
        lists = await crawl.storage.writer.run(partial(ledger.lists, sites=crawl.sites.claimable()))
        stats = crawl.ending.counters.stats
        stats.set_value("lists/watched", lists.watched)  # stat: lists of the watched sites
        stats.set_value("lists/unread", lists.failing)  # stat: lists whose last poll failed
        return lists.failing > 0
