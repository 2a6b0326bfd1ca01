"""A disk with 64 KiB left stops the crawl loudly; once there is room again, it goes on, with nothing lost or doubled."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from newsspider.store.engine.database import open_store
from tests.support.disk import KIB, Disk, disk
from tests.support.news import News, news
from tests.support.servers import Postgres, RedisServer
from tests.support.workers import (
    PATIENCE_SECONDS,
    SETTINGS,
    SETTLED,
    Store,
    assert_asked_once,
    assert_stored_once,
    until,
    workers,
)

ARTICLES = 48
LEFT = 64 * KIB
ROOM = 256 * KIB * KIB  # for a PostgreSQL server and its log
FAILED = ending_of_reason(Finish.STORE_FAILED).exit_code
STOPS_SECONDS = 240.0
WORKS_AGAIN_SECONDS = 240.0
PATIENCE = ("-s", "WRITER_PATIENCE_SECONDS=5")  # a server that cannot write its log does not come back by itself


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """A smaller portal, whose hosts are asked quickly."""
    with news(tmp_path_factory.mktemp("news"), ARTICLES, first_host=180, hosts=8, delay=0.2) as running:
        yield running


@contextmanager
def on_sqlite(folder: Path) -> Iterator[tuple[Store, Disk, Postgres | None]]:
    """A store in a file on a small disk."""
    with disk(folder, ROOM) as small:
        open_store(f"sqlite:///{folder}/news.db").dispose()
        yield Store(folder / "news.db"), small, None


@contextmanager
def on_postgresql(folder: Path, redis: str = "") -> Iterator[tuple[Store, Disk, Postgres | None]]:
    """A store on a server that has all of its files on a small disk."""
    with disk(folder, ROOM) as small:
        server = Postgres(folder)
        server.start()
        store = Store(server.create("news"), redis)
        open_store(str(store.database)).dispose()
        try:
            yield store, small, server
        finally:
            server.stop()


@pytest.mark.parametrize("backend", ["sqlite", "redis"])
def test_a_full_disk_stops_the_crawl_and_it_goes_on_when_there_is_room(portal: News, backend: str, redis: RedisServer) -> None:
    portal.forget_visits()
    arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS, *PATIENCE)
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="newsspider-disk-", ignore_cleanup_errors=True)))
        folder.chmod(0o755)  # for the user of the server
        on = on_sqlite(folder / "disk") if backend == "sqlite" else on_postgresql(folder / "disk", redis.url if backend == "redis" else "")
        store, small, server = opened.enter_context(on)
        worker = opened.enter_context(workers(store, folder, 1, *arguments))[0]
        until(lambda: store.rows(SETTLED)[0][0] >= len(portal.known_urls) // 2, PATIENCE_SECONDS, worker.log_end)
        small.leave(LEFT)
        assert worker.end(STOPS_SECONDS) == FAILED, worker.log_end()
        last = worker.log_end().rstrip().splitlines()[-1]
        assert last.startswith("scrapy crawl: the store cannot be written: "), last
        assert last.endswith(ending_of_reason(Finish.STORE_FAILED).sentence), last
        assert "Traceback" not in worker.log_end(), worker.log_end()
        assert worker.log_end().count("the store failed: ") == 1
        small.clear()
        if server is not None and not server.answers():
            server.start()
        in_flight = worker.held()
        worker.start()
        until(lambda: bool(worker.held()), WORKS_AGAIN_SECONDS, worker.log_end)
        assert worker.end(240) == 0, worker.log_end()
        assert_stored_once(store, portal)
        assert_asked_once(portal, dict.fromkeys(in_flight, 1))


def test_a_disk_with_64_kib_left_is_reported_in_one_sentence_and_leaves_no_half_made_store(portal: News, tmp_path: Path) -> None:
    with disk(tmp_path / "disk", LEFT) as small:
        store = Store(tmp_path / "disk" / "news.db")
        arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS)
        with workers(store, tmp_path, 1, *arguments) as fleet:
            assert fleet[0].end(STOPS_SECONDS) == FAILED, fleet[0].log_end()
            assert fleet[0].log_end().startswith("scrapy crawl: the store "), fleet[0].log_end()
            assert fleet[0].log_end().count("\n") == 1
            small.grow(ROOM)
            fleet[0].start()
            assert fleet[0].end(240) == 0, fleet[0].log_end()
        assert_stored_once(store, portal)
