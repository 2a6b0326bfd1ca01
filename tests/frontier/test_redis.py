"""Where Redis holds a copy of the queues, claims give what the ledger would give."""

import asyncio
from dataclasses import replace

import pytest
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler
from sqlalchemy import text

from newsspider.core.crawling.finish_reasons import CrawlLimits
from newsspider.crawl.counters import Counters
from newsspider.crawl.crawl_sites import CrawlSites, SiteKnowledge, WatchedScope
from newsspider.crawl.lease_pool import LeasePool
from newsspider.features.fleet.redis_connections import redis_of
from newsspider.features.fleet.redis_frontier import (
    COPY_SECONDS,
    LAG_SECONDS,
    LEDGER_SECONDS,
    MOST_LOOKED_AT,
    PICK_SECONDS,
)
from newsspider.store.ledger import queues
from tests.frontier.conftest import HOSTS, LEASE_SECONDS, offered
from tests.support.clocks import HeldClock
from tests.support.samples import NOW, STORED, offer, urls_of
from tests.support.stores import on_sqlite

pytestmark = pytest.mark.usefixtures("robots_are_known")


@on_sqlite
def test_a_claim_touches_only_the_hosts_that_redis_names(frontier, store, redis):
    async def crawl():
        await frontier.offer([offer(f"http://{host}/1") for host in HOSTS])
        assert len(await frontier.claim(2, NOW)) == 2
        for queue in redis.zrange(frontier.ready, 0, -1):
            if queue.startswith((b"h0", b"h1", b"h2", b"h3", b"h4")):
                redis.zadd(frontier.ready, {queue: NOW + 3})
        assert {lease.host for lease in await frontier.claim(9, NOW)} <= {"h5.cn"}
        assert len(await frontier.claim(9, NOW + 3)) >= 3
        await frontier.close()

    asyncio.run(crawl())


@on_sqlite
def test_a_host_that_is_asked_on_and_on_does_not_keep_the_others_waiting(frontier, redis):
    stats = MemoryStatsCollector(get_crawler())
    sites = CrawlSites(WatchedScope(None), SiteKnowledge(learns_boilerplate=False))
    pool = LeasePool(
        frontier, sites, CrawlLimits(), Counters(stats), stats, HeldClock(NOW), size=9, lease_seconds=LEASE_SECONDS
    )

    async def crawl():
        await frontier.offer([offer(f"http://h0.cn/{n}") for n in range(9)])
        (lease,) = await pool.claim(None)
        await frontier.offer([offer("http://h1.cn/1")])
        for _ in range(3):  # a page is stored while each claim is made
            settlement = replace(STORED, host_next_at=NOW)
            pool.follow(lease, settlement)
            settled = asyncio.create_task(frontier.settle(lease, settlement))
            await asyncio.sleep(0)  # its job is with the writer
            claimed = urls_of(await pool.claim(None))
            await settled
            pool.drop(lease)
            if "http://h1.cn/1" in claimed:
                break
            (lease,) = pool.held.values()
        await frontier.close()
        return claimed

    assert "http://h1.cn/1" in asyncio.run(crawl())


@on_sqlite
def test_a_note_of_an_older_row_changes_nothing(frontier, store, redis, caplog):
    async def crawl():
        await frontier.offer([offer("http://h0.cn/1")])
        old = await frontier.writer.run(queues.rows)
        (lease,) = await frontier.claim(1, NOW)
        copy_before = redis.hgetall(frontier.rows), redis.zrange(frontier.ready, 0, -1, withscores=True)
        assert await frontier._tell(old) == {"h0.cn\t\t0": old[0].revision + 1}
        assert (redis.hgetall(frontier.rows), redis.zrange(frontier.ready, 0, -1, withscores=True)) == copy_before
        assert copy_before[1] == [(b"h0.cn\t\t0", lease.ends_at)]
        await frontier.close()

    asyncio.run(crawl())


@on_sqlite
def test_pages_that_others_put_into_the_ledger_are_found_soon_by_idle_and_busy_workers(frontier, store):
    async def crawl():
        await frontier.offer([offer("http://h0.cn/1")])
        assert len(await frontier.claim(9, NOW)) == 1
        offered(store, "h1.cn")
        assert await frontier.claim(9, NOW + 0.1) == []
        assert (await frontier.left()).due_at == NOW + LAG_SECONDS
        assert len(await frontier.claim(9, NOW + LAG_SECONDS)) == 1
        offered(store, "h2.cn")
        assert await frontier.claim(9, NOW + 1) == []
        assert len(await frontier.claim(9, NOW + LAG_SECONDS + LEDGER_SECONDS)) == 1
        offered(store, "h3.cn")
        frontier._ledger_at = NOW + COPY_SECONDS
        assert len(await frontier.claim(9, NOW + COPY_SECONDS)) == 1
        await frontier.close()

    asyncio.run(crawl())


@on_sqlite
def test_the_leases_of_a_dead_worker_come_back_though_nothing_else_happens(redis_fleet, writer, store):
    """As the spider does it: claim; when nothing comes, wait for the next moment, at most LEDGER_WATCH_SECONDS."""
    clock = [NOW]
    dead, alive = (redis_fleet(writer, name, clock=lambda: clock[0]) for name in ("dead", "alive"))

    async def crawl():
        await dead.offer([offer("http://h0.cn/1")])
        (lost,) = await dead.claim(5, NOW)
        while not (leases := await alive.claim(5, clock[0])):
            due = (await alive.left()).due_at
            assert due is not None
            clock[0] += min(max(due - clock[0], 0.005), 5.0)
            assert clock[0] < lost.ends_at + 5
        assert urls_of(leases) == [lost.url]
        assert clock[0] <= lost.ends_at + 2 * LAG_SECONDS
        await dead.close()
        await alive.close()

    asyncio.run(crawl())


@on_sqlite
def test_many_queues_of_sites_that_are_not_watched_hide_nothing(frontier, store, redis):
    async def crawl():
        await frontier.offer([offer("http://h0.cn/1", site="on")])
        await frontier.claim(0, NOW, sites={"on"})
        redis.zadd(frontier.ready, {f"off{n}.cn\toff\t0": n for n in range(MOST_LOOKED_AT + 10)})
        assert urls_of(await frontier.claim(3, NOW, sites={"on"})) == ["http://h0.cn/1"]
        await frontier.close()

    asyncio.run(crawl())


@on_sqlite
def test_a_host_picked_by_one_worker_is_not_picked_again_for_its_revisits(redis_fleet, writer, store):
    first, second = (redis_fleet(writer, name, clock=lambda: NOW) for name in ("one", "two"))

    async def crawl():
        await first.offer([offer("http://h0.cn/old")])
        assert await first.settle(*await first.claim(1, NOW), replace(STORED, due_at=NOW + 1))
        await first.offer([offer("http://h0.cn/new")])
        await first.claim(0, NOW)
        assert await first._pick(1, NOW + 2, NOW + 2, None) == [b"h0.cn\t\t0"]
        assert await second._pick(1, NOW + 2, NOW + 2, None) == []
        assert await second._pick(1, NOW + 2 + PICK_SECONDS, NOW + 2 + PICK_SECONDS, None) == [b"h0.cn\t\t0"]
        await first.close()
        await second.close()

    asyncio.run(crawl())


@on_sqlite
def test_the_lowest_priority_does_not_starve(redis_fleet, writer, store):
    """Hosts of high priority that are always ready leave something to one that waited longest."""
    frontier = redis_fleet(writer, "one", clock=lambda: NOW)

    async def crawl():
        await frontier.offer([offer("http://h0.cn/low")])
        await frontier.offer([offer(f"http://{host}/{n}", priority=9, due_at=NOW + 1) for host in HOSTS[1:] for n in range(20)])
        await frontier.claim(0, NOW)
        claims = 0
        while True:
            claims += 1
            (lease,) = await frontier.claim(1, NOW + 2)
            if lease.host == "h0.cn":
                break
            await frontier.settle(lease, STORED)
        await frontier.close()
        return claims

    assert asyncio.run(crawl()) <= 9


@on_sqlite
def test_a_revisit_that_is_not_of_this_round_is_not_picked(frontier, store, redis):
    row = "INSERT INTO queues (host, site, queue, due_at, top_priority, host_ready_at) VALUES ('h0.cn', '', 1, :due, 5, 0)"
    with store.begin() as conn:
        conn.execute(text(row), {"due": NOW - 1})

    async def crawl():
        assert await frontier.claim(3, NOW, revisit_before=NOW - 2) == []
        moments = dict(redis.zrange(frontier.ready, 0, -1, withscores=True))
        assert moments == {b"h0.cn\t\t1": NOW - 1}
        await frontier.close()

    asyncio.run(crawl())


def test_redis_url_and_params_are_read_as_scrapy_redis_reads_them(shared_redis):
    frontier = redis_of(Settings({"REDIS_URL": shared_redis.url, "REDIS_PARAMS": {"socket_timeout": 7, "decode_responses": True}}))
    options = frontier.connection_pool.connection_kwargs
    assert (options["port"], options["socket_timeout"], options["decode_responses"]) == (shared_redis.port, 7, False)
