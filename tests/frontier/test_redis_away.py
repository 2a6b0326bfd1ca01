"""A Redis server that is killed, silent or was never there: the frontier goes on with the ledger alone."""

import asyncio
import logging
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest
from redis import Redis
from scrapy.settings import Settings

from newsspider.core.model import State
from newsspider.features.fleet import redis_outages
from newsspider.features.fleet.redis_connections import redis_of
from newsspider.features.fleet.redis_frontier import ROWS_VERSION, RedisFrontier
from tests.frontier.conftest import HOSTS
from tests.support.samples import NOW, STORED, offer
from tests.support.servers import redis_server
from tests.support.stores import on_sqlite

pytestmark = pytest.mark.usefixtures("robots_are_known")


@pytest.fixture
def own_redis():
    with redis_server() as server:
        yield server


def on(url, writer):
    """A frontier on this server; its clock stands still."""
    return RedisFrontier(writer, "one", 60.0, redis_of(Settings({"REDIS_URL": url})), "own", lambda: NOW)


@on_sqlite
def test_a_killed_server_is_done_without_and_one_that_starts_again_empty_is_filled(own_redis, writer, store, monkeypatch, caplog):
    monkeypatch.setattr(redis_outages, "AWAY_SECONDS", 0.2)
    caplog.set_level(logging.INFO)
    frontier = on(own_redis.url, writer)

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
        assert time.monotonic() - began < 10  # not a second for each of the twenty
        own_redis.start()
        await asyncio.sleep(0.25)
        for _ in range(5):
            (lease,) = await frontier.claim(1, NOW)
            assert await frontier.settle(lease, STORED)
        with Redis.from_url(own_redis.url) as client:
            assert client.get(frontier.made) == str(ROWS_VERSION).encode()
            assert client.hlen(frontier.rows) == len(HOSTS)
        assert (await frontier.counts())[State.DONE] == 28
        await frontier.close()

    asyncio.run(crawl())
    assert caplog.text.count("so the ledger is") == 1
    assert caplog.text.count("Redis answers again") == 1


@on_sqlite
def test_a_frontier_works_without_a_server_that_was_never_there(writer, store):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{closed.getsockname()[1]}/0"
    frontier = on(url, writer)

    async def crawl():
        assert await frontier.offer([offer("http://h0.cn/1")]) == 1
        assert len(await frontier.claim(3, NOW)) == 1
        await frontier.close()

    asyncio.run(crawl())


@contextmanager
def between(server):
    """A forwarder to the server that can be stalled: its port, and the event that lets bytes through."""
    flowing = threading.Event()
    flowing.set()
    listener = socket.create_server(("127.0.0.1", 0))
    connections = []

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
                connections.extend((client, upstream))
                for ends in ((client, upstream), (upstream, client)):
                    threading.Thread(target=pump, args=ends, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1], flowing
    finally:
        flowing.set()
        listener.close()
        for connection in connections:
            connection.close()


@on_sqlite
def test_a_silent_server_holds_claims_up_for_a_second_and_its_late_answers_confuse_nobody(own_redis, writer, store, monkeypatch):
    monkeypatch.setattr(redis_outages, "AWAY_SECONDS", 0.1)
    monkeypatch.setattr(redis_outages, "ANSWER_SECONDS", 0.2)
    with between(own_redis) as (port, flowing):
        url = f"redis://127.0.0.1:{port}/0"
        frontier = on(url, writer)

        async def crawl():
            await frontier.offer([offer(f"http://{host}/{n}") for host in HOSTS for n in range(50)])
            for _ in range(10):
                flowing.clear()
                began = time.monotonic()
                lease, *_ = await frontier.claim(1, NOW)
                assert await frontier.settle(lease, STORED)
                assert time.monotonic() - began < 20  # it would be silent for ever
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
