"""SIGTERM stops a crawl within half a minute, whatever hangs, and the next crawl goes on where it was."""

import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from newsspider.store.engine.database import open_store
from tests.faults.proxy import Proxy, proxy
from tests.support.news import News, news
from tests.support.servers import MIGRATED, Postgres
from tests.support.workers import OPEN, PATIENCE_SECONDS, SETTLED, Store, Worker, assert_stored_once, until, workers

STOP_SECONDS = 30.0
STOPPED = 143
PROCESSING = "SELECT count(*) FROM urls WHERE state = 'processing'"
SETTINGS = ("-a", "topic=any", "-s", "DELAY_FACTOR=0", "-s", "LEASE_SECONDS=40")  # else as shipped: patience, timeouts


@dataclass
class Crawl:
    """One worker with a portal and a store of its own."""

    portal: News
    store: Store
    worker: Worker

    def half_done(self) -> bool:
        """Whether some pages are stored and others are not."""
        return int(self.store.rows(SETTLED)[0][0]) > len(self.portal.articles) // 3 and self.store.rows(OPEN) != [(0,)]

    def stop(self) -> float:
        """Stop it; how many seconds it took."""
        began = time.monotonic()
        self.worker.process.send_signal(signal.SIGTERM)
        assert self.worker.end(STOP_SECONDS) == STOPPED, self.worker.log_end()
        assert "Traceback" not in self.worker.log_end(), self.worker.log_end()
        return time.monotonic() - began

    def ends_well(self) -> None:
        """It comes to its end."""
        assert self.worker.end(240) == 0, self.worker.log_end()
        assert_stored_once(self.store, self.portal)


@pytest.fixture
def crawls(tmp_path: Path, migrated: Postgres) -> Iterator[tuple[Crawl, Crawl, Crawl, Proxy]]:
    """Three: one with a page that never ends, one whose file of SQLite will be locked, one whose PostgreSQL will be silent."""
    database = migrated.create("stopped", MIGRATED)
    with ExitStack() as opened:
        postgres_proxy = opened.enter_context(proxy(migrated.port))
        begun = []
        for number, name in enumerate(("endless", "locked", "silent")):
            portal = opened.enter_context(news(tmp_path / name, 40, first_host=140 + 10 * number, hosts=4, delay=0.2))
            store = Store(database if name == "silent" else tmp_path / name / "news.db")
            if name != "silent":
                open_store(f"sqlite:///{store.database}").dispose()
            reached = Store(database.replace(f":{migrated.port}/", f":{postgres_proxy.port}/")) if name == "silent" else store
            arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS)
            worker = opened.enter_context(workers(reached, tmp_path / name, 1, *arguments))[0]
            begun.append(Crawl(portal, store, worker))
        begun[0].portal.endless.add(min(begun[0].portal.articles))
        yield begun[0], begun[1], begun[2], postgres_proxy
    migrated.drop("stopped")


def test_a_signal_stops_within_half_a_minute_whatever_hangs(crawls: tuple[Crawl, Crawl, Crawl, Proxy]) -> None:
    endless, locked, silent, postgres_proxy = crawls
    until(lambda: all(crawl.half_done() for crawl in crawls[:3]), PATIENCE_SECONDS, endless.worker.log_end)
    until(lambda: endless.portal.endless <= endless.portal.visits().keys(), PATIENCE_SECONDS, endless.worker.log_end)
    locker = sqlite3.connect(locked.store.database, isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    postgres_proxy.hold()
    time.sleep(1)  # pages were read meanwhile, and wait for the store
    for crawl in (locked, silent):
        crawl.worker.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    assert endless.stop() < STOP_SECONDS
    for crawl in (locked, silent):
        assert crawl.worker.end(STOP_SECONDS - (time.monotonic() - began)) == STOPPED, crawl.worker.log_end()
        assert "Traceback" not in crawl.worker.log_end(), crawl.worker.log_end()
        assert "took too long" in crawl.worker.log_end() or "cannot be written" in crawl.worker.log_end()
    locker.execute("ROLLBACK")
    locker.close()
    postgres_proxy.go_on(cut=True)
    assert endless.store.rows(PROCESSING) == [(0,)], "every lease was given back"
    endless.portal.endless.clear()
    for crawl in crawls[:3]:
        crawl.worker.start()
    for crawl in crawls[:3]:
        crawl.ends_well()
