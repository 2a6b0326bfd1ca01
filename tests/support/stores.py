"""A store of its own for each test, on each database that there is."""

import itertools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from newsspider.store.engine.database import open_store
from newsspider.store.engine.writer import Writer
from tests.support.servers import MIGRATED, new_file

BACKENDS = ("sqlite", "postgresql")

_numbers = itertools.count(1)

on_sqlite = pytest.mark.parametrize("backend", ["sqlite"])  # for what only SQLite does
on_postgresql = pytest.mark.parametrize("backend", ["postgresql"])


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """The kind of database; ``on_sqlite`` and ``on_postgresql`` name one."""
    return str(request.param)


@pytest.fixture
def url(backend, tmp_path, request) -> Iterator[str]:
    """The URL of a database that is empty, or on its way to be a store."""
    if backend == "sqlite":
        yield f"sqlite:///{tmp_path}/folder/news.db"
        return
    server = request.getfixturevalue("migrated")
    name = f"store{next(_numbers)}"
    yield server.create(name, MIGRATED)
    server.drop(name)


@pytest.fixture
def store(backend, url):
    if backend == "sqlite":
        new_file(Path(url.removeprefix("sqlite:///")))
    engine = open_store(url)
    yield engine
    engine.dispose()


@pytest.fixture
def conn(backend, request):
    """A connection in a transaction that is not kept."""
    store = request.getfixturevalue("store" if backend == "sqlite" else "never_written")
    with store.connect() as conn, conn.begin() as transaction:
        yield conn
        transaction.rollback()


@pytest.fixture
def writer(store):
    writer = Writer(store, 64, 60.0)
    yield writer
    writer.close()


def opened_at_once(url: str, times: int) -> list[BaseException]:
    """Open a store from several threads at once and return their errors."""
    together = threading.Barrier(times)

    def open_it() -> None:
        together.wait()
        open_store(url).dispose()

    with ThreadPoolExecutor(times) as pool:
        jobs = [pool.submit(open_it) for _ in range(times)]
    return [error for job in jobs if (error := job.exception()) is not None]
