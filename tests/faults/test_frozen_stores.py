"""A server that is frozen: its connections stay open and nobody answers. It is named within seconds, waited for, and then given up.

``NEWSSPIDER_FREEZES`` are the seconds for which servers are frozen: "10 60 150" takes a quarter of an hour.
"""

import json
import os
import re
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
from threading import Thread
from typing import Any

import pytest

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from tests.support.news import News, news
from tests.support.process import Process
from tests.support.servers import HOST, Postgres, RedisServer, new_file
from tests.support.workers import (
    PATIENCE_SECONDS,
    SETTINGS,
    Store,
    Worker,
    assert_ends_well,
    assert_stored_once,
    own_store,
    until,
    workers,
)

ARTICLES = 96
NAMED_SECONDS = 10.0
FREEZES = [float(seconds) for seconds in os.environ.get("NEWSSPIDER_FREEZES", "10").split()]  # seconds
GIVEN_UP_SECONDS = 240.0
SHORT_PATIENCE = ("-s", "WRITER_PATIENCE_SECONDS=8")
LONG_PATIENCE = ("-s", "WRITER_PATIENCE_SECONDS=300")
VISITORS = 40  # more than the console has threads and connections
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


@contextmanager
def frozen(server: Postgres | RedisServer) -> Iterator[None]:
    """The server answers nobody while the block runs."""
    server.freeze()
    try:
        yield
    finally:
        server.thaw()


@contextmanager
def held(file: Path) -> Iterator[None]:
    """A frozen process holds the lock of the file while the block runs."""
    with subprocess.Popen([sys.executable, "-c", HOLD, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        os.kill(holder.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            holder.kill()


def address() -> str:
    """A free address for a worker's health."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return f"{HOST}:{probe.getsockname()[1]}"


def asked(url: str) -> tuple[int, bytes]:
    """The status and the body; 0 while nobody answers within the time that is granted."""
    try:
        with urllib.request.urlopen(url, timeout=NAMED_SECONDS) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 0, b""


def health(address: str) -> dict[str, Any]:
    """What a worker says of its health; empty while it does not listen."""
    answered: dict[str, Any] = json.loads(asked(f"http://{address}/health")[1] or b"{}")
    return answered


def started(store: Store, portal: News, folder: Path, at: str, *more: str) -> Any:
    """One worker that serves its health at this address."""
    portal.forget_visits()
    arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS, "-s", f"METRICS_ADDRESS={at}", *more)
    return workers(store, folder, 1, *arguments)


def assert_not_ready(worker: Worker, at: str, seconds: float, cause: str) -> None:
    """The worker says in time that it is not ready and why, and so it does for so many seconds."""
    began = time.monotonic()
    until(lambda: health(at).get("ready") is False, 2 * NAMED_SECONDS, worker.log_end)
    while (left := seconds - (time.monotonic() - began)) > 0:
        answer = health(at)
        assert (answer["ready"], answer["live"]) == (False, True), worker.log_end()
        assert cause in answer["problems"][0]
        time.sleep(min(left, 1.0))


@pytest.mark.parametrize("seconds", FREEZES)
def test_a_database_that_is_frozen_is_named_waited_for_and_costs_nothing(
    portal: News, server: Postgres, tmp_path: Path, seconds: float
) -> None:
    store, at = own_store(server, f"frozen{seconds:.0f}"), address()
    with started(store, portal, tmp_path, at, *LONG_PATIENCE) as [worker]:
        until(lambda: store.settled() > ARTICLES // 4 and health(at).get("ready") is True, PATIENCE_SECONDS, worker.log_end)
        with frozen(server):
            assert_not_ready(worker, at, seconds, "does not answer")
        until(lambda: health(at).get("ready") is True, PATIENCE_SECONDS, worker.log_end)
        assert_ends_well([worker])
    assert worker.log.read_text("utf-8").count("the store does not answer") == 1
    assert_stored_once(store, portal)


def test_a_database_that_stays_frozen_ends_the_crawl_as_a_lost_one_does(portal: News, server: Postgres, tmp_path: Path) -> None:
    store, at = own_store(server, "lost"), address()
    with started(store, portal, tmp_path, at, *SHORT_PATIENCE) as [worker]:
        until(lambda: store.settled() > ARTICLES // 4, PATIENCE_SECONDS, worker.log_end)
        with frozen(server):
            assert worker.end(GIVEN_UP_SECONDS) == ending_of_reason(Finish.STORE_FAILED).exit_code
    assert "it has not answered for" in worker.log_end()
    with workers(store, tmp_path, 1, *worker.arguments, log="again") as again:
        assert_ends_well(again)
    assert_stored_once(store, portal)


@pytest.mark.parametrize("seconds", FREEZES)
def test_a_frozen_process_that_holds_the_lock_of_a_file_is_named_and_waited_for(portal: News, tmp_path: Path, seconds: float) -> None:
    file = tmp_path / "news.db"
    new_file(file)
    store, at = Store(file), address()
    with started(store, portal, tmp_path, at, *LONG_PATIENCE) as [worker]:
        until(lambda: store.settled() > ARTICLES // 4 and health(at).get("ready") is True, PATIENCE_SECONDS, worker.log_end)
        with held(file):
            assert_not_ready(worker, at, seconds, "the store ")
        until(lambda: health(at).get("ready") is True, PATIENCE_SECONDS, worker.log_end)
        assert_ends_well([worker])
    assert_stored_once(store, portal)
    with sqlite3.connect(file) as conn:
        assert conn.execute("PRAGMA quick_check").fetchone() == ("ok",)


@pytest.mark.parametrize("seconds", FREEZES)
def test_a_redis_that_is_frozen_is_done_without(
    portal: News, server: Postgres, redis: RedisServer, tmp_path: Path, seconds: float
) -> None:
    store, at = own_store(server, f"frozen_redis{seconds:.0f}", redis.url), address()
    with started(store, portal, tmp_path, at, "-s", f"DELAY_MIN_SECONDS={1 + seconds / 8}") as [worker]:
        until(lambda: store.settled() > ARTICLES // 8 and health(at).get("ready") is True, PATIENCE_SECONDS, worker.log_end)
        with frozen(redis):
            began = time.monotonic()
            while time.monotonic() - began < seconds and worker.process.poll() is None:
                assert health(at).get("ready") is not False or "the crawl ends" in health(at)["problems"][0], worker.log_end()
                time.sleep(1.0)
        assert_ends_well([worker])
    assert "Redis cannot be asked, so the ledger is" in worker.log.read_text("utf-8")
    assert_stored_once(store, portal)


@pytest.mark.parametrize("seconds", FREEZES)
def test_a_console_whose_database_is_frozen_says_so_and_answers_afterwards(
    server: Postgres, tmp_path: Path, seconds: float
) -> None:
    store, log = own_store(server, f"console{seconds:.0f}"), tmp_path / "log"
    console = Process(("web", "--port", "0"), store.environment(), log)
    try:
        until(lambda: log.exists() and "console at" in log.read_text("utf-8"), PATIENCE_SECONDS)
        at = re.search(r"http://127\.0\.0\.1:\d+", log.read_text("utf-8"))
        assert at
        assert asked(f"{at[0]}/health") == (200, b"ok\n")
        visitors = [Thread(target=asked, args=(f"{at[0]}/search?q=1",), daemon=True) for _ in range(VISITORS)]
        with frozen(server):
            began = time.monotonic()
            for visitor in visitors:
                visitor.start()
            while time.monotonic() - began < seconds:
                status, body = asked(f"{at[0]}/health")
                assert status == 503, log.read_text("utf-8")
                assert b"has not answered for 5 s" in body or b"cannot be used now" in body  # it was not even connected
        until(lambda: asked(f"{at[0]}/health")[0] == 200, PATIENCE_SECONDS)
        with frozen(server):
            assert asked(f"{at[0]}/health")[0] == 503
            console.send_signal(signal.SIGTERM)
            assert console.wait(GIVEN_UP_SECONDS) in {0, -signal.SIGTERM}, "it does not hear while the database is frozen"
    finally:
        console.kill()
