"""The portal of 240 articles that workers are killed over, and the stores that they share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.news import News, news
from tests.support.servers import MIGRATED, Postgres, RedisServer, new_file, postgres, redis_server
from tests.support.workers import Store, chance

__all__ = ["chance"]

BACKENDS = ("sqlite", "redis")  # a file; a server, and Redis beside it


@pytest.fixture(scope="package")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """240 articles on 16 hosts."""
    with news(tmp_path_factory.mktemp("news"), 240) as running:
        yield running


@pytest.fixture(scope="package")
def server() -> Iterator[Postgres]:
    """A PostgreSQL server that may be killed or frozen."""
    with postgres() as running:
        yield running


@pytest.fixture(scope="package")
def redis() -> Iterator[RedisServer]:
    """A Redis server that may be killed."""
    with redis_server() as server:
        yield server


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path, migrated: Postgres) -> Iterator[Store]:
    """An empty store of each kind."""
    if request.param == "sqlite":
        new_file(tmp_path / "news.db")
        yield Store(tmp_path / "news.db")
        return
    name = f"faults_{request.param}"
    server = request.getfixturevalue("redis").url if request.param == "redis" else ""
    yield Store(migrated.create(name, MIGRATED), server)
    migrated.drop(name)
