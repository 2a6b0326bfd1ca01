"""Wires the page readers of one crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.core.scheduling.vanished import ConfirmationThreshold
from newsspider.crawl.crawl import Crawl
from newsspider.pages.article_page import ArticleReader
from newsspider.pages.failure import FailedFetches, FailureReader
from newsspider.pages.link_offers import LinkOffers, OfferRules
from newsspider.pages.list_page import ListReader
from newsspider.pages.redirect import Moves
from newsspider.pages.robots_txt import RobotsReader
from newsspider.pages.router import PageReader, Readers

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.link_filter import LinkFilter
    from newsspider.crawl.poll_planner import PollPlanner
    from newsspider.crawl.trap_budgets import TrapBudgets
    from newsspider.store.engine.clock import Clock


def page_reader(crawler: Crawler) -> PageReader:
    crawl = Crawl.of(crawler)
    return PageReader(readers_of(crawler, LinkOffers(*parts_of_offers(crawler))), crawl.host_policy, crawl.clock)


def readers_of(crawler: Crawler, offers: LinkOffers) -> Readers:
    crawl, settings, stats = Crawl.of(crawler), crawler.settings, offers.stats
    host_policy, sites, knowledge, clock = crawl.host_policy, crawl.sites, crawl.sites.knowledge, crawl.clock
    charset: str = settings["DEFAULT_CHARSET"]
    threshold = ConfirmationThreshold(settings.getint("VANISHED_MISSES"), settings.getfloat("VANISHED_HOURS") * 3600)
    failed = FailedFetches(host_policy, threshold, stats, clock)
    moves = Moves(offers, failed, host_policy, sites, threshold, clock)
    robots = RobotsReader(failed, host_policy, clock)
    return Readers(
        moves,
        robots,
        ListReader(offers, host_policy, knowledge, charset, stats, clock),
        ArticleReader(offers, moves, host_policy, knowledge, threshold, charset, stats, clock),
        FailureReader(robots, failed, host_policy, crawl.saver.errors, clock),
        failed,
        threshold,
        crawl.poll_planner.policy.limits.longest,
    )


def parts_of_offers(
    crawler: Crawler,
) -> tuple[CrawlSites, LinkFilter, TrapBudgets, PollPlanner, OfferRules, StatsCollector, Clock]:
    crawl, stats, rules = Crawl.of(crawler), crawler.stats, OfferRules.read(crawler.settings)
    assert stats is not None
    claims = crawl.claims
    return crawl.sites, claims.link_filter, claims.trap_budgets, crawl.poll_planner, rules, stats, crawl.clock
