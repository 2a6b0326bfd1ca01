"""The fleet: workers that share a copy of the queues and start URLs in Redis (``REDIS_URL``).

It builds on no other feature. The ledger alone serves any number of workers; Redis spares it questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings, Settings

    from newsspider.cli.doctor_checks import CheckFinding
    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.spiders.leased_components import LeaseScheduler
    from newsspider.store.engine.writer import Writer


@hookimpl
def frontier(settings: BaseSettings, writer: Writer, worker: str, clock: Callable[[], float]) -> SqlFrontier | None:
    from newsspider.crawl.storage import uses_redis

    if not uses_redis(settings):
        return None
    from newsspider.features.fleet.redis_connections import redis_of
    from newsspider.features.fleet.redis_frontier import RedisFrontier

    return RedisFrontier(
        writer,
        worker,
        settings.getfloat("LEASE_SECONDS"),
        redis_of(settings),
        settings["REDIS_PREFIX"],
        clock,
        assigned=settings["FRONTIER_ASSIGNMENT"] == "static",
    )


@hookimpl
def scheduler(crawler: Crawler) -> LeaseScheduler | None:
    from newsspider.crawl.storage import uses_redis

    if not uses_redis(crawler.settings):
        return None
    from newsspider.features.fleet.redis_scheduler import RedisScheduler

    return RedisScheduler.from_crawler(crawler)


@hookimpl
def checks(settings: Settings, now: float) -> Iterable[CheckFinding]:
    from newsspider.crawl.storage import uses_redis

    if not uses_redis(settings):
        return ()
    from newsspider.features.fleet.redis_check import redis_findings

    return redis_findings(settings, now)
