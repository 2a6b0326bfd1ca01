"""Applies changes of the site registry while a crawl runs."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.crawl_sites import channel_offers
from newsspider.extensions.periodic import Repeated
from newsspider.store.sites import BrokenSiteError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)


class SitesWatch(Repeated):
    """Checks every ``SITES_WATCH_SECONDS`` whether a site was added, changed, enabled, disabled or removed.

    Only changed sites are touched: new channels are offered, removed channels are no longer claimed, a new weight
    applies from the next poll on. Of a site that became unusable the last good version stays in use.
    """

    work = "look for changed sites"
    failure = "sites/watch_failed"  # stat: checks that failed

    def __init__(self, crawl: Crawl, stats: StatsCollector | None, seconds: float) -> None:
        super().__init__(seconds, stats)
        self.crawl = crawl  # whose sites these are
        self.broken: dict[str, str] = {}  # why sites cannot be used, as the log has it

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("SITES_WATCH_SECONDS")
        if seconds <= 0:
            raise NotConfigured
        return cls(Crawl.of(crawler), crawler.stats, seconds).connect(crawler)

    async def step(self) -> None:
        """Apply the changes since the last check."""
        changed = await self.reload()
        if changed:
            logger.info("sites changed: %s", ", ".join(sorted(changed)))

    async def reload(self) -> set[str]:
        """The names of the sites that changed for this crawl; after a failure, the next call starts over."""
        crawl_sites = self.crawl.sites
        change = await self.crawl.storage.writer.run(crawl_sites.scope.changed)
        if change is None:
            return set()
        version, stored = change
        previous = crawl_sites.by_name
        self._note([site for site in stored.values() if isinstance(site, BrokenSiteError)])
        by_name = {
            name: previous.get(name) if isinstance(site, BrokenSiteError) else site for name, site in stored.items()
        }
        sites = {name: site for name, site in by_name.items() if site is not None}
        changed = {name for name, site in sites.items() if previous.get(name) != site}
        removed = set(previous) - set(sites)
        crawl_sites.replace(sites)
        try:
            await self._take_up(sites if removed else changed)  # after a removal all: two sites may share a list
        except BaseException:
            crawl_sites.replace(previous)
            raise
        crawl_sites.scope.took_up(version)
        return changed | removed

    def _note(self, broken: list[BrokenSiteError]) -> None:
        """Log each site that cannot be used once."""
        for site in broken:
            if self.broken.get(site.name) != site.cause:
                logger.error("%s (its last good version stays in use, if this crawl has one)", site)
        self.broken = {site.name: site.cause for site in broken}
        self.stats.set_value("sites/broken", len(broken))  # stat: sites that cannot be used since they were changed

    async def _take_up(self, changed: Iterable[str]) -> None:
        """Load what the store knows, offer the channels of the changed sites, and plan the polls again."""
        crawl, planner = self.crawl, self.crawl.poll_planner
        await crawl.sites.knowledge.load(crawl.storage.writer)
        await crawl.sites.take_over(crawl.storage.frontier, crawl.claims.link_filter, crawl.clock.now())
        sites = [crawl.sites.by_name[name] for name in changed]
        await crawl.storage.frontier.offer(channel_offers(sites, crawl.clock.now(), planner.policy.cycle))
        await planner.replan(rebuild=True)
        crawl.pool.changed.set()
