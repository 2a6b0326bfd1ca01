"""The frontiers that the contract tests run on; a new backend is one more name in ``FRONTIERS`` and a case in ``worker``."""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis import Redis
from scrapy.settings import Settings
from sqlalchemy import Engine

from newsspider.features.fleet.redis_connections import redis_of
from newsspider.features.fleet.redis_frontier import RedisFrontier
from newsspider.frontier.sql_frontier import SqlFrontier
from newsspider.store import ledger
from newsspider.store.engine.writer import Writer
from tests.support.samples import NOW, allow, offer
from tests.support.servers import RedisServer

FRONTIERS = ("sqlite", "postgresql")

on_each_frontier = pytest.mark.parametrize("backend", [*FRONTIERS, "redis"])  # Redis beside PostgreSQL
LEASE_SECONDS = 60.0
HOSTS = tuple(f"h{n}.cn" for n in range(6))  # of the tests with Redis

_numbers = itertools.count(1)


class Worker:
    """A frontier whose coroutines are run to their end."""

    def __init__(self, frontier: SqlFrontier, runner: asyncio.Runner) -> None:
        self.frontier = frontier
        self.runner = runner

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.frontier, name)

        async def called(*args: Any, **kwargs: Any) -> Any:
            return await method(*args, **kwargs)

        return lambda *args, **kwargs: self.runner.run(called(*args, **kwargs))


@pytest.fixture(params=FRONTIERS)
def backend(request: pytest.FixtureRequest) -> str:
    """The backend of the frontier and of the store below it."""
    return str(request.param)


@pytest.fixture
def worker(backend: str, writer: Writer, request: pytest.FixtureRequest) -> Iterator[Callable[[str], Worker]]:
    """Makes workers of one fleet by their names; their clock stands still."""
    workers: list[Worker] = []
    with asyncio.Runner() as runner:

        def new(name: str) -> Worker:
            if backend == "redis":
                workers.append(Worker(request.getfixturevalue("redis_fleet")(writer, name, clock=lambda: NOW), runner))
            else:
                workers.append(Worker(SqlFrontier(writer, name, LEASE_SECONDS, clock=lambda: NOW), runner))
            return workers[-1]

        yield new
        for worker in workers:
            worker.close()


@pytest.fixture
def redis_fleet(shared_redis: RedisServer) -> Iterator[Callable[..., RedisFrontier]]:
    """Makes the frontiers of one fleet on a Redis server that is left running; its keys are its own."""
    prefix = f"fleet{next(_numbers)}"

    def new(writer: Writer, name: str, clock: Callable[[], float] = time.time, **options: Any) -> RedisFrontier:
        redis = redis_of(Settings({"REDIS_URL": shared_redis.url}))
        return RedisFrontier(writer, name, LEASE_SECONDS, redis, prefix, clock, **options)

    yield new
    with Redis.from_url(shared_redis.url) as client:
        for key in client.scan_iter(match=f"{{{prefix}}}:*"):
            client.delete(key)


@pytest.fixture
def frontier(writer: Writer, redis_fleet: Callable[..., RedisFrontier]) -> RedisFrontier:
    """A worker of that fleet; its clock stands still."""
    return redis_fleet(writer, "one", clock=lambda: NOW)


@pytest.fixture
def redis(shared_redis: RedisServer) -> Iterator[Redis]:
    """That server."""
    with Redis.from_url(shared_redis.url) as client:
        yield client


@pytest.fixture
def robots_are_known(store: Engine) -> None:
    """The pages of :data:`HOSTS` may be asked for."""
    with store.begin() as conn:
        allow(conn, *HOSTS)


def offered(store: Engine, *hosts: str, pages: int = 1, **values: Any) -> None:
    """Offer pages past the frontier, as a process without Redis does."""
    with store.begin() as conn:
        ledger.offer(conn, [offer(f"http://{host}/{n}", **values) for host in hosts for n in range(pages)], NOW)
