"""Applies changes of the site registry while a crawl runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Self

from newsspider.crawl.channel_offers import channel_offers

if TYPE_CHECKING:
    from newsspider.crawl.crawl import Crawl
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.lease_pool import LeasePool
    from newsspider.crawl.link_filter import LinkFilter
    from newsspider.crawl.poll_planner import PollPlanner
    from newsspider.crawl.storage import Storage
    from newsspider.store.engine.clock import Clock


@dataclass(eq=False)
class SiteReload:
    """Only changed sites are touched."""

    storage: Storage
    sites: CrawlSites
    planner: PollPlanner
    link_filter: LinkFilter
    pool: LeasePool
    clock: Clock

    @classmethod
    def of(cls, crawl: Crawl) -> Self:
        """From the collaborators of a crawl."""
        return cls(
            crawl.storage, crawl.sites, crawl.poll_planner, crawl.selection.link_filter, crawl.pool,
            crawl.clock,
        )  # fmt: skip

    async def reload(self) -> set[str]:
        """The names of the sites that changed for this crawl; after a failure, the next call starts over."""
        change = await self.storage.writer.run(self.sites.scope.changed)
        if change is None:
            return set()
        version, sites = change
        previous = self.sites.by_name
        changed = {name for name, site in sites.items() if previous.get(name) != site}
        removed = set(previous) - set(sites)
        self.sites.replace(sites)
        try:
            await self._take_up(sites if removed else changed)  # after a removal all: two sites may share a list
        except BaseException:
            self.sites.replace(previous)
            raise
        self.sites.scope.took_up(version)
        return changed | removed

    async def _take_up(self, changed: Iterable[str]) -> None:
        """Load what the store knows, offer the channels of the changed sites, and plan the polls again."""
        await self.sites.knowledge.load(self.storage.writer)
        await take_over(self.storage, self.sites, self.link_filter, self.clock.now())
        sites = [self.sites.by_name[name] for name in changed]
        await self.storage.frontier.offer(channel_offers(sites, self.clock.now(), self.planner.policy.cycle))
        await self.planner.replan(rebuild=True)
        self.pool.changed.set()


async def take_over(storage: Storage, sites: CrawlSites, link_filter: LinkFilter, now: float) -> None:
    """Adapt what earlier crawls left to this crawl's sites and topic."""
    topic, links = link_filter.topic.name, link_filter.topic_name
    await storage.frontier.run(partial(sites.scope.take_over, topic=topic, links=links, now=now))
