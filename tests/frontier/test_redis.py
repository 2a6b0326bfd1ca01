"""The copy of the queues in Redis: whatever becomes of it, the ledger's truth is served."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis
from scrapy.settings import Settings
from sqlalchemy import text

from newsspider.core.model import State
from newsspider.frontier import asking
from newsspider.frontier.choice import redis_of
from newsspider.frontier.redis import COPY_SECONDS, LAG_SECONDS, LEDGER_SECONDS, MOST_LOOKED_AT, VERSION, RedisFrontier
from newsspider.store import ledger, queues
from newsspider.store.writer import Writer
from tests.servers import redis_server
from tests.store.conftest import on_sqlite
from tests.store.samples import NOW, STORED, allow, offer, urls_of

HOSTS = tuple(f"h{n}.cn" for n in range(6))


@pytest.fixture
def frontier(writer, redis_fleet):
    return redis_fleet(writer, "one", clock=lambda: NOW)


@pytest.fixture
def redis(shared_redis):
    with Redis.from_url(shared_redis.url) as client:
        yield client


@pytest.fixture(autouse=True)
def robots_are_known(store):
    with store.begin() as conn:
        allow(conn, *HOSTS)


def offered(store, *hosts, pages=1, **values):
    """Offer pages past the frontier, as a process without Redis does."""
    with store.begin() as conn:
        ledger.offer(conn, [offer(f"http://{host}/{n}", **values) for host in hosts for n in range(pages)], NOW)


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


@pytest.mark.parametrize("broken", ["flushed", "wrong types", "junk", "another version"])
@on_sqlite
def test_a_copy_that_is_lost_or_spoilt_is_made_anew(frontier, store, redis, broken):
    def spoil():
        if broken == "flushed":
            redis.delete(*redis.keys(f"{{{frontier.prefix}}}:*"))
        elif broken == "wrong types":
            for key in (frontier.made, frontier.ready, frontier.rows):
                redis.delete(key)
                redis.set(key, "x")
            redis.set(frontier.made, VERSION)
        elif broken == "junk":
            redis.zadd(frontier.ready, {b"\xff\xfe": 0, "a\tb": 1, "no\x00host\t\t0": 2, "unknown.cn\t\t0": 3, "odd.cn\t\t0": 4})
            redis.hset(frontier.rows, "odd.cn\t\t0", "{not JSON")
            redis.hset(frontier.rows, "unknown.cn\t\t0", json.dumps([VERSION, 1, 0, 99, 0]))
        else:
            redis.set(frontier.made, VERSION + 1)
            for queue in redis.hkeys(frontier.rows):
                redis.hset(frontier.rows, queue, json.dumps({"version": VERSION + 1}))

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
        assert redis.get(frontier.made) == str(VERSION).encode()
        assert {name.split(b"\t")[0].decode() for name in redis.hkeys(frontier.rows)} == set(HOSTS)
        await frontier.close()

    asyncio.run(crawl())
    letters = [json.loads(letter.decode("utf-8", "replace")) for letter in redis.lrange(frontier.dead, 0, -1)]
    assert bool(letters) == (broken == "junk")
    assert all(letter["version"] == VERSION and letter["reason"] for letter in letters)


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
    """A database that was made anew, or is that of a backup, has lower revisions than what was noted of the old one."""
    redis.set(frontier.made, VERSION)
    for host in HOSTS:
        redis.hset(frontier.rows, f"{host}\t\t0", json.dumps([VERSION, 999, None, 0, 0]))

    async def crawl():
        await frontier.offer([offer(f"http://{host}/1") for host in HOSTS])
        leases = []
        for n in range(3):
            leases += await frontier.claim(9, NOW + n / 10)
        await frontier.close()
        return leases

    assert len(asyncio.run(crawl())) == len(HOSTS)
    assert "another ledger" in caplog.text


@on_sqlite
def test_a_note_of_an_older_row_changes_nothing(frontier, store, redis, caplog):
    async def crawl():
        await frontier.offer([offer("http://h0.cn/1")])
        old = await frontier.writer.run(queues.rows)
        (lease,) = await frontier.claim(1, NOW)
        before = redis.hgetall(frontier.rows), redis.zrange(frontier.ready, 0, -1, withscores=True)
        assert await frontier._tell(old) == {"h0.cn\t\t0": old[0].revision + 1}
        assert (redis.hgetall(frontier.rows), redis.zrange(frontier.ready, 0, -1, withscores=True)) == before
        assert before[1] == [(b"h0.cn\t\t0", lease.ends_at)]
        await frontier.close()

    asyncio.run(crawl())


@on_sqlite
def test_what_others_put_into_the_ledger_is_found_soon_by_an_idle_worker_and_by_a_busy_one(frontier, store):
    async def crawl():
        await frontier.offer([offer("http://h0.cn/1")])
        assert len(await frontier.claim(9, NOW)) == 1
        offered(store, "h1.cn")
        assert await frontier.claim(9, NOW + 0.1) == []
        assert await frontier.next_due() == NOW + LAG_SECONDS
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
        while not (found := await alive.claim(5, clock[0])):
            due = await alive.next_due()
            assert due is not None
            clock[0] += min(max(due - clock[0], 0.005), 5.0)
            assert clock[0] < lost.ends_at + 5
        assert urls_of(found) == [lost.url]
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
    row = "INSERT INTO queues (host, site, queue, due_at, top, gate) VALUES ('h0.cn', '', 1, :due, 5, 0)"
    with store.begin() as conn:
        conn.execute(text(row), {"due": NOW - 1})

    async def crawl():
        assert await frontier.claim(3, NOW, revisit_before=NOW - 2) == []
        moments = dict(redis.zrange(frontier.ready, 0, -1, withscores=True))
        assert moments == {b"h0.cn\t\t1": NOW - 1}
        await frontier.close()

    asyncio.run(crawl())


# ---- a server that fails ---------------------------------------------------------------------------------------------


@pytest.fixture
def own_redis():
    with redis_server() as server:
        yield server


def on(server, writer, name="one", clock=time.time, **values):
    return RedisFrontier(writer, name, 60.0, redis_of(Settings({"REDIS_URL": server.url, **values})), "own", clock)


@on_sqlite
def test_a_killed_server_is_done_without_and_one_that_starts_again_empty_is_filled(own_redis, writer, store, monkeypatch, caplog):
    monkeypatch.setattr(asking, "AWAY_SECONDS", 0.2)
    caplog.set_level(logging.INFO)
    frontier = on(own_redis, writer, clock=lambda: NOW)

    async def crawl():
        await frontier.offer([offer(f"http://{host}/{n}") for host in HOSTS for n in range(9)])
        for _ in range(3):
            (lease,) = await frontier.claim(1, NOW)
            await frontier.settle(lease, STORED)
        own_redis.stop()
        began = time.monotonic()
        for _ in range(20):
            (lease,) = await frontier.claim(1, NOW)
            assert await frontier.settle(lease, STORED)
        assert time.monotonic() - began < 2
        own_redis.start()
        await asyncio.sleep(0.25)
        for _ in range(5):
            (lease,) = await frontier.claim(1, NOW)
            assert await frontier.settle(lease, STORED)
        with Redis.from_url(own_redis.url) as client:
            assert client.get(frontier.made) == str(VERSION).encode()
            assert client.hlen(frontier.rows) == len(HOSTS)
        assert (await frontier.counts())[State.DONE] == 28
        await frontier.close()

    asyncio.run(crawl())
    assert caplog.text.count("so the ledger is") == 1
    assert caplog.text.count("Redis answers again") == 1


@on_sqlite
def test_a_server_that_was_never_there_is_done_without(writer, store):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{closed.getsockname()[1]}/0"
    frontier = RedisFrontier(writer, "one", 60.0, redis_of(Settings({"REDIS_URL": url})), clock=lambda: NOW)

    async def crawl():
        assert await frontier.offer([offer("http://h0.cn/1")]) == 1
        assert len(await frontier.claim(3, NOW)) == 1
        await frontier.close()

    asyncio.run(crawl())


@contextmanager
def between(server):
    """A connection that can be stalled: its port, and the event that lets bytes through."""
    flowing = threading.Event()
    flowing.set()
    listener = socket.create_server(("127.0.0.1", 0))
    pairs = []

    def pump(source, target):
        with suppress(OSError):
            while data := source.recv(65536):
                flowing.wait()
                target.sendall(data)

    def accept():
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                upstream = socket.create_connection(("127.0.0.1", server.port))
                pairs.extend((client, upstream))
                for ends in ((client, upstream), (upstream, client)):
                    threading.Thread(target=pump, args=ends, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1], flowing
    finally:
        flowing.set()
        listener.close()
        for one in pairs:
            one.close()


@on_sqlite
def test_a_silent_server_holds_claims_up_for_a_second_and_its_late_answers_confuse_nobody(own_redis, writer, store, monkeypatch):
    monkeypatch.setattr(asking, "AWAY_SECONDS", 0.1)
    monkeypatch.setattr(asking, "ANSWER_SECONDS", 0.2)
    with between(own_redis) as (port, flowing):
        url = f"redis://127.0.0.1:{port}/0"
        frontier = RedisFrontier(writer, "one", 60.0, redis_of(Settings({"REDIS_URL": url})), clock=lambda: NOW)

        async def crawl():
            await frontier.offer([offer(f"http://{host}/{n}") for host in HOSTS for n in range(50)])
            for _ in range(10):
                flowing.clear()
                began = time.monotonic()
                lease, *_ = await frontier.claim(1, NOW)
                assert await frontier.settle(lease, STORED)
                assert time.monotonic() - began < 2
                flowing.set()
                await asyncio.sleep(0.12)
                lease, *_ = await frontier.claim(1, NOW)
                assert await frontier.settle(lease, STORED)
            assert (await frontier.counts())[State.DONE] == 20
            await frontier.close()

        asyncio.run(crawl())


@on_sqlite
def test_questions_that_are_cancelled_at_any_moment_leave_no_answer_for_others(own_redis, writer, store):
    client = redis_of(Settings({"REDIS_URL": own_redis.url}))

    async def ask(n):
        return await client.execute_command("ECHO", f"{n}")

    async def crawl():
        wrong = []
        for n in range(1500):
            task = asyncio.ensure_future(ask(n))
            for _ in range(n % 12):
                await asyncio.sleep(0)
            task.cancel()
            with suppress(asyncio.CancelledError):
                if await task != str(n).encode():
                    wrong.append(n)
            if n % 10 == 0 and await ask(f"after {n}") != f"after {n}".encode():
                wrong.append(n)
        await client.aclose()
        return wrong

    assert asyncio.run(crawl()) == []


# ---- a fleet ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wiped", [False, True])
def test_workers_that_claim_and_settle_at_once_fetch_everything_exactly_once_and_keep_the_delay(store, redis_fleet, redis, wiped):
    """Two workers with writers of their own on real clocks, the copy wiped again and again."""
    delay, pages, sent = 0.05, 8, []
    offered(store, *HOSTS, pages=pages, due_at=1.0)
    over = threading.Event()

    async def crawl(frontier):
        now = time.time
        while (due := await frontier.next_due(0.0)) is not None:
            leases = await frontier.claim(2, now())
            sent.extend((lease.host, now(), lease.url, "sent") for lease in leases)
            await asyncio.sleep(0.01)
            for lease in leases:
                sent.append((lease.host, now(), lease.url, "answered"))
                assert await frontier.settle(lease, replace(STORED, fetched_at=now(), host_next_at=now() + delay))
            if not leases:
                await asyncio.sleep(min(max(due - now(), 0.005), 0.05))
        await frontier.close()

    def work(name):
        writer = Writer(store, 64, 60.0)
        try:
            asyncio.run(crawl(redis_fleet(writer, name)))
        finally:
            writer.close()

    def wipe(prefix):
        while wiped and not over.wait(0.1):
            keys = redis.keys(f"{{{prefix}}}:*")
            if keys:
                redis.delete(*keys)

    prefix = redis_fleet(None, "prefix").prefix
    with ThreadPoolExecutor(3) as pool:
        wiping = pool.submit(wipe, prefix)
        list(pool.map(work, "ab"))
        over.set()
        wiping.result()
    asked = [url for _, _, url, what in sent if what == "sent"]
    assert len(asked) == len(set(asked)) == len(HOSTS) * pages
    for host in HOSTS:
        events = sorted((moment, what) for name, moment, _, what in sent if name == host)
        assert [what for _, what in events] == ["sent", "answered"] * pages
        for (answered, _), (again, _) in zip(events[1::2], events[2::2], strict=False):
            assert again - answered >= delay * 0.95


def test_the_redis_of_a_setting_is_that_of_scrapy_redis(own_redis, tmp_path: Path):
    frontier = redis_of(Settings({"REDIS_URL": own_redis.url, "REDIS_PARAMS": {"socket_timeout": 7, "decode_responses": True}}))
    options = frontier.connection_pool.connection_kwargs
    assert (options["port"], options["socket_timeout"], options["decode_responses"]) == (own_redis.port, 7, False)
