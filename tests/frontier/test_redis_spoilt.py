"""A copy of the queues that is lost, spoilt or of another ledger is made anew."""

import asyncio
import json

import pytest

from newsspider.features.fleet.redis_frontier import COPY_SECONDS, ROWS_VERSION
from tests.frontier.conftest import HOSTS
from tests.support.samples import NOW, STORED, offer
from tests.support.stores import on_sqlite

pytestmark = pytest.mark.usefixtures("robots_are_known")


@pytest.mark.parametrize("broken", ["flushed", "wrong types", "junk", "another version"])
@on_sqlite
def test_a_copy_that_is_lost_or_spoilt_is_made_anew(frontier, store, redis, broken):
    def spoil():
        if broken == "flushed":
            redis.delete(*redis.keys(f"{{{frontier.prefix}}}:*"))
        elif broken == "wrong types":
            for key in (frontier.made, frontier.ready, frontier.aged, frontier.rows):
                redis.delete(key)
                redis.set(key, "x")
            redis.set(frontier.made, ROWS_VERSION)
        elif broken == "junk":
            redis.zadd(frontier.aged, {"h0.cn\t\t0": 0})
            redis.zadd(frontier.ready, {"h1.cn\t\t3": 0})
            redis.zadd(frontier.ready, {b"\xff\xfe": 0, "a\tb": 1, "no\x00host\t\t0": 2, "unknown.cn\t\t0": 3, "odd.cn\t\t0": 4})
            redis.hset(frontier.rows, "odd.cn\t\t0", "{not JSON")
            redis.hset(frontier.rows, "unknown.cn\t\t0", json.dumps([ROWS_VERSION, 1, 0, 99, 0]))
        else:
            redis.set(frontier.made, ROWS_VERSION + 1)
            for queue in redis.hkeys(frontier.rows):
                redis.hset(frontier.rows, queue, json.dumps({"version": ROWS_VERSION + 1}))

    async def crawl():
        await frontier.offer([offer(f"http://{host}/{n}") for host in HOSTS for n in range(2)])
        first = await frontier.claim(3, NOW)
        spoil()
        second = []
        for n in range(6):
            second += await frontier.claim(9, NOW + n / 10)
        assert {lease.host for lease in first + second} == set(HOSTS)
        assert len(first + second) == len(HOSTS)
        for lease in first + second:
            assert await frontier.settle(lease, STORED)
        assert {lease.host for lease in await frontier.claim(9, NOW + 1)} == set(HOSTS)
        assert redis.get(frontier.made) == str(ROWS_VERSION).encode()
        assert {name.split(b"\t")[0].decode() for name in redis.hkeys(frontier.rows)} == set(HOSTS)
        await frontier.close()

    asyncio.run(crawl())
    letters = [json.loads(letter.decode("utf-8", "replace")) for letter in redis.lrange(frontier.dead, 0, -1)]
    assert bool(letters) == (broken == "junk")
    assert all(letter["version"] == ROWS_VERSION and letter["reason"] for letter in letters)


@on_sqlite
def test_dead_letters_are_bounded(frontier, store, redis):
    async def crawl():
        await frontier.offer([offer("http://h0.cn/1")])
        await frontier.claim(1, NOW)
        redis.zadd(frontier.ready, {f"junk{n}": 0 for n in range(3000)})
        for n in range(12):
            await frontier.claim(1, NOW + n / 10)
        await frontier.close()

    asyncio.run(crawl())
    assert redis.llen(frontier.dead) == 1000
    assert redis.zcard(frontier.ready) == 1


@on_sqlite
def test_the_queues_of_another_ledger_are_no_queues_of_this_one(frontier, store, redis, caplog):
    """A database that was recreated, or restored from a backup, has lower revisions than those noted of the old one."""
    redis.set(frontier.made, ROWS_VERSION)
    for host in HOSTS:
        redis.hset(frontier.rows, f"{host}\t\t0", json.dumps([ROWS_VERSION, 999, None, 0, 0]))

    async def crawl():
        await frontier.offer([offer(f"http://{host}/1") for host in HOSTS])
        leases = []
        for n in range(3):
            leases += await frontier.claim(9, NOW + n / 10)
        await frontier.close()
        return leases

    assert len(asyncio.run(crawl())) == len(HOSTS)
    assert "another ledger" in caplog.text


@pytest.mark.parametrize("spoilt", [False, True])
@on_sqlite
def test_a_set_of_watched_sites_that_is_lost_or_spoilt_is_made_anew(frontier, store, redis, spoilt):
    async def crawl():
        await frontier.offer([offer(f"http://{host}/1", site="on") for host in HOSTS])
        leases = await frontier.claim(1, NOW, sites={"on"})
        (key,) = redis.keys(f"{{{frontier.prefix}}}:sites:*")
        redis.delete(key)
        if spoilt:
            redis.set(key, "x")
        for n in range(3):
            leases += await frontier.claim(9, NOW + n / 10, sites={"on"})
        assert len(leases) == len(HOSTS)
        frontier._sites_until = 0
        await frontier.claim(9, NOW + 1, sites={"on"})
        assert redis.smembers(key) == {b"on"}
        assert 0 < redis.ttl(key) <= 10 * COPY_SECONDS
        await frontier.close()

    asyncio.run(crawl())
