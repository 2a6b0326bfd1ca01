"""The scheduler of a fleet is one of scrapy-redis by type, and asks Redis for nothing."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
import scrapy_redis.queue
import scrapy_redis.scheduler
from redis import Redis
from scrapy import Request
from scrapy.core.scheduler import BaseScheduler

from newsspider.crawl.crawl import Crawl
from newsspider.features.fleet.redis_scheduler import RedisScheduler
from newsspider.spiders.leased_components import LeaseScheduler
from tests.support.crawler import crawler_of, lease_of_kind, request_of
from tests.support.portal import ROOT, environment, rows
from tests.support.servers import RedisServer
from tests.support.serving import QUICK, Answer, article, listing, served, site

CRAWL = """
import atexit, sys
from scrapy.cmdline import execute
atexit.register(lambda: print("loaded:", sorted({"redis", "scrapy_redis", "newsspider.features.fleet.redis_outages"} & set(sys.modules))))
execute(["scrapy", *sys.argv[1:]])
"""


def test_requests_come_in_the_order_of_their_claims_and_redis_is_left_as_it_was(tmp_path: Path, shared_redis: RedisServer) -> None:
    server = Redis.from_url(shared_redis.url.removesuffix("/0") + "/15")
    server.flushdb()
    server.lpush("education:requests", "of another crawl")

    async def scheduled() -> None:
        crawler = crawler_of(tmp_path, REDIS_URL=shared_redis.url.removesuffix("/0") + "/15")
        scheduler = LeaseScheduler.from_crawler(crawler)
        assert isinstance(scheduler, RedisScheduler)
        assert isinstance(scheduler, scrapy_redis.scheduler.Scheduler)
        assert issubclass(RedisScheduler, BaseScheduler)
        scheduler.open(crawler.spider)  # type: ignore[arg-type]
        assert isinstance(scheduler.queue, scrapy_redis.queue.Base)
        first, second = (request_of(lease_of_kind(url=f"http://a.example/{n}")) for n in range(2))
        assert scheduler.enqueue_request(first)
        assert scheduler.enqueue_request(second)
        with pytest.raises(ValueError, match="without a lease"):
            scheduler.enqueue_request(Request("http://a.example/"))
        assert (scheduler.next_request(), scheduler.has_pending_requests(), len(scheduler)) == (first, True, 1)
        assert (scheduler.next_request(), scheduler.next_request(), scheduler.has_pending_requests()) == (second, None, False)
        scheduler.queue.push(first)
        assert (len(scheduler.queue), scheduler.queue.pop(), scheduler.queue.pop()) == (1, first, None)
        await asyncio.wait_for(scheduler.pool.release_all(), 5)
        scheduler.flush()
        await Crawl.of(crawler).close("finished")

    asyncio.run(scheduled())
    assert server.keys() == [b"education:requests"]
    server.close()


def test_a_crawl_without_redis_is_scheduled_without_it(tmp_path: Path) -> None:
    async def made() -> None:
        crawler = crawler_of(tmp_path)
        assert type(LeaseScheduler.from_crawler(crawler)) is LeaseScheduler
        await Crawl.of(crawler).close("finished")

    asyncio.run(made())


def small(path: str, _: int) -> Answer:
    if path == "/robots.txt":
        return 404, "", {}
    return article(1) if path.startswith("/2024/") else listing(1)


@pytest.mark.slow
def test_a_crawl_without_redis_does_not_load_it(tmp_path: Path) -> None:
    """It would take 6 MB."""
    with served("127.0.2.90", small) as (base, _):
        crawl = ("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5})}", *QUICK)
        done = subprocess.run(
            [sys.executable, "-c", CRAWL, *crawl], cwd=ROOT, env=environment(tmp_path / "news.db"), capture_output=True, text=True,
            timeout=240, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "loaded: []" in done.stdout
    assert rows(tmp_path / "news.db", "SELECT count(*) FROM articles") == [(1,)]
