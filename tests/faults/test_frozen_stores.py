"""A database that is frozen: its connections stay open and nobody answers. It is named within seconds, and then given up."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from newsspider.core.crawling.finish import Finish, ending
from newsspider.store.engine.database import open_store
from tests.faults.news import News, news
from tests.faults.workers import (
    PATIENCE_SECONDS,
    SETTINGS,
    SETTLED,
    Store,
    assert_ends_well,
    assert_stored_once,
    until,
    workers,
)
from tests.servers import HOST, Postgres, new_file, postgres

ARTICLES = 96
NAMED_SECONDS = 10.0
LONG_SECONDS = 20.0  # for which a store is frozen that is waited for
GIVEN_UP_SECONDS = 60.0
SHORT_PATIENCE = ("-s", "WRITER_PATIENCE_SECONDS=8")
HOLD = """
import sqlite3, sys
conn = sqlite3.connect(sys.argv[1], isolation_level=None)
conn.execute("BEGIN IMMEDIATE")
print(flush=True)
input()
"""


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """A smaller portal."""
    with news(tmp_path_factory.mktemp("news"), ARTICLES, first_host=160) as running:
        yield running


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    """A PostgreSQL server that may be frozen."""
    with postgres() as running:
        yield running


@contextmanager
def frozen(server: Postgres) -> Iterator[None]:
    """The server answers nobody while the block runs."""
    server.freeze()
    try:
        yield
    finally:
        server.thaw()


def address() -> str:
    """A free address for a worker's health."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return f"{HOST}:{probe.getsockname()[1]}"


def health(address: str) -> dict[str, Any]:
    """What a worker says of its health; empty while it does not listen."""
    try:
        with urllib.request.urlopen(f"http://{address}/health", timeout=5) as answer:
            body = answer.read()
    except urllib.error.HTTPError as error:
        body = error.read()
    except OSError:
        return {}
    answered: dict[str, Any] = json.loads(body)
    return answered


@pytest.mark.parametrize("seconds", [10.0, LONG_SECONDS])
def test_a_database_that_is_frozen_is_named_waited_for_and_costs_nothing(
    portal: News, server: Postgres, tmp_path: Path, seconds: float
) -> None:
    portal.forget_visits()
    database = server.create(f"frozen{seconds:.0f}")
    open_store(database).dispose()
    store, at = Store(database), address()
    with workers(store, tmp_path, 1, "education", "-a", f"sites={portal.sites}", *SETTINGS, "-s", f"METRICS_ADDRESS={at}") as [worker]:
        until(lambda: _settled(store) > ARTICLES // 4 and health(at).get("ready") is True, PATIENCE_SECONDS, worker.log_end)
        with frozen(server):
            began = time.monotonic()
            until(lambda: health(at).get("ready") is False, NAMED_SECONDS, worker.log_end)
            assert "does not answer" in health(at)["problems"][0]
            assert health(at)["live"] is True
            time.sleep(max(0.0, seconds - (time.monotonic() - began)))
        until(lambda: health(at).get("ready") is True, NAMED_SECONDS, worker.log_end)
        assert_ends_well([worker])
    assert worker.log_end().count("the store does not answer") == 1
    assert_stored_once(store, portal)


def test_a_database_that_stays_frozen_ends_the_crawl_as_a_lost_one_does(portal: News, server: Postgres, tmp_path: Path) -> None:
    portal.forget_visits()
    database = server.create("lost")
    open_store(database).dispose()
    store = Store(database)
    arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS, *SHORT_PATIENCE)
    with workers(store, tmp_path, 1, *arguments) as [worker]:
        until(lambda: _settled(store) > ARTICLES // 4, PATIENCE_SECONDS, worker.log_end)
        with frozen(server):
            assert worker.end(GIVEN_UP_SECONDS) == ending(Finish.STORE_FAILED).exit_code
    assert "it has not answered for" in worker.log_end()
    with workers(store, tmp_path, 1, *arguments, log="again") as again:
        assert_ends_well(again)
    assert_stored_once(store, portal)


def test_a_frozen_process_that_holds_the_lock_of_a_file_is_named_and_waited_for(portal: News, tmp_path: Path) -> None:
    portal.forget_visits()
    file = tmp_path / "news.db"
    new_file(file)
    store, at = Store(file), address()
    with workers(store, tmp_path, 1, "education", "-a", f"sites={portal.sites}", *SETTINGS, "-s", f"METRICS_ADDRESS={at}") as [worker]:
        until(lambda: _settled(store) > ARTICLES // 4 and health(at).get("ready") is True, PATIENCE_SECONDS, worker.log_end)
        with subprocess.Popen([sys.executable, "-c", HOLD, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()
            os.kill(holder.pid, signal.SIGSTOP)
            try:
                until(lambda: health(at).get("ready") is False, 2 * NAMED_SECONDS, worker.log_end)
            finally:
                holder.kill()
        until(lambda: health(at).get("ready") is True, 2 * NAMED_SECONDS, worker.log_end)
        assert_ends_well([worker])
    assert_stored_once(store, portal)
    with sqlite3.connect(file) as conn:
        assert conn.execute("PRAGMA quick_check").fetchone() == ("ok",)


def _settled(store: Store) -> int:
    count: int = store.rows(SETTLED)[0][0]
    return count
