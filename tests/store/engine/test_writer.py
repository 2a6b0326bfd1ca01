"""The one thread that writes."""

import asyncio
import contextlib
import gc
import logging
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from functools import partial

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from newsspider.core.crawling.visit import PageResult
from newsspider.store import ledger, pages
from newsspider.store.engine.batch import GroupedJob, OvertakingJob
from newsspider.store.engine.database import open_store
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.engine.writer import Writer
from newsspider.store.engine.writer_caches import Memory
from newsspider.store.ledger import queues
from tests.support.events import until
from tests.support.samples import NOW, STORED, article, lease_on, offer
from tests.support.stores import on_postgresql, on_sqlite

STOPPED = """
import sys
from newsspider.store.engine import watched_threads as watchdog
from newsspider.store.engine.database import open_store
from newsspider.store.engine.writer import Writer

def wait(conn):
    print("begun", flush=True)
    sys.stdin.readline()
    return "done"

watchdog.SILENT_SECONDS = 1.0
writer = Writer(open_store(sys.argv[1]), 1, patience=float(sys.argv[2]))
print(writer.submit(wait).result())
writer.close()
"""


def add(conn, host):
    conn.execute(text("INSERT INTO hosts (host) VALUES (:host)"), {"host": host})
    return host


def hosts(store):
    with store.connect() as conn:
        return {row.host for row in conn.execute(text("SELECT host FROM hosts"))}


def held_up(writer):
    """An event that keeps the writer at work until it is set, so that what follows makes one batch."""
    go = threading.Event()
    started = threading.Event()

    def wait(_conn):
        started.set()
        go.wait(60)

    writer.submit(wait)
    started.wait(60)
    return go


def test_jobs_share_a_transaction_and_their_answers_come_after_it(store, writer):
    go = held_up(writer)
    futures = [writer.submit(partial(add, host=f"h{n}")) for n in range(100)]
    assert not any(future.done() for future in futures)
    go.set()
    assert [future.result(60) for future in futures] == [f"h{n}" for n in range(100)]
    assert (writer.figures.transactions, writer.figures.jobs) == (3, 101)  # 1 + 64 + 36
    assert writer.figures.longest_wait_seconds > 0
    assert len(hosts(store)) == 100


def add_all(conn, names):
    return [add(conn, f"{len(names)} at once: {name}") for name in names]


def test_neighbours_of_one_step_are_done_in_one_go(store, writer):
    go = held_up(writer)
    jobs = [GroupedJob(add_all, "a"), GroupedJob(add_all, "b"), partial(add, host="c"), GroupedJob(add_all, "d")]
    futures = [writer.submit(job) for job in jobs]
    go.set()
    answers = [future.result(60) for future in futures]
    assert answers == ["2 at once: a", "2 at once: b", "c", "1 at once: d"]
    assert hosts(store) == set(answers)


def test_a_failing_neighbour_of_one_step_takes_nothing_along(store, writer):
    go = held_up(writer)
    futures = [writer.submit(GroupedJob(add_all, name)) for name in ("x", "x", "y")]
    go.set()
    assert [future.exception(10) is None for future in futures] == [True, False, True]
    assert hosts(store) == {"1 at once: x", "1 at once: y"}


async def _noted(writer, *jobs):
    return await asyncio.gather(*(writer.run_watched(job, queues.watched) for job in jobs))


def test_the_queues_that_a_transaction_changed_come_with_its_answers(writer):
    go = held_up(writer)
    threading.Timer(0.1, go.set).start()
    offers = [[offer("http://a.cn/1", priority=5)], [offer("http://a.cn/2"), offer("http://b.cn/1")]]
    answers = asyncio.run(_noted(writer, *(partial(ledger.offer, offers=batch, now=1.0) for batch in offers)))
    assert [count for count, _ in answers] == [1, 2]
    for _, rows in answers:
        assert sorted((row.host, row.due_at, row.top_priority, row.revision) for row in rows) == [("a.cn", 1.0, 5, 1), ("b.cn", 1.0, 0, 0)]


def test_a_failing_job_takes_nothing_along(store, writer):
    go = held_up(writer)
    futures = [writer.submit(partial(add, host=host)) for host in ("a", "b", "a", "c")]
    go.set()
    assert [future.exception(10) is None for future in futures] == [True, True, False, True]
    assert hosts(store) == {"a", "b", "c"}
    assert writer.failed is None


def test_whatever_a_job_raises_nobody_waits_for_ever(store, writer):
    def cancelled(_conn):
        raise asyncio.CancelledError

    with pytest.raises(StoreFailedError):
        writer.submit(cancelled).result(60)
    with pytest.raises(StoreFailedError):
        writer.submit(partial(add, host="later")).result(60)


def test_what_a_failing_job_wrote_before_it_failed_is_gone(store, writer):
    def half(conn):
        add(conn, "half")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        writer.submit(half).result(60)
    assert hosts(store) == set()


def test_asyncio_waits_without_blocking_and_is_woken_once_a_batch(writer):
    woken = []

    async def crawl():
        loop = asyncio.get_running_loop()
        wake = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *args: (woken.append(1), wake(*args))[1]
        go = held_up(writer)
        tasks = [asyncio.ensure_future(writer.run(partial(add, host=f"h{n}"))) for n in range(20)]
        await asyncio.sleep(0)
        go.set()
        return await asyncio.gather(*tasks)

    assert len(asyncio.run(crawl())) == 20
    assert len(woken) == 1


def test_after_a_batch_that_failed_no_connection_goes_back_to_the_pool_as_the_writer_s(store, writer):
    go = held_up(writer)
    futures = [writer.submit(partial(add, host=host)) for host in ("a", "b", "b", "c", "d")]
    go.set()
    assert [future.exception(10) is None for future in futures] == [True, True, False, True, True]
    gc.collect()
    with contextlib.ExitStack() as opened:
        conns = [opened.enter_context(writer.engine.connect()) for _ in range(3)]
        assert [Memory.of(conn) for conn in conns] == [None] * 3
        if writer.engine.dialect.name == "postgresql":
            assert {conn.execute(text("SHOW lock_timeout")).scalar() for conn in conns} == {"0"}


def test_a_cancelled_caller_does_not_stop_the_job(store, writer):
    async def crawl():
        go = held_up(writer)
        task = asyncio.ensure_future(writer.run(partial(add, host="a")))
        await asyncio.sleep(0)
        task.cancel()
        go.set()
        return await writer.run(partial(add, host="b"))

    assert asyncio.run(crawl()) == "b"
    assert hosts(store) == {"a", "b"}


def test_close_does_what_was_submitted_and_refuses_what_comes_later(store):
    writer = Writer(store, 64, 60.0)
    futures = [writer.submit(partial(add, host=f"h{n}")) for n in range(200)]
    writer.close()
    assert all(future.done() for future in futures)
    assert len(hosts(store)) == 200
    with pytest.raises(StoreFailedError, match="closed"):
        writer.submit(partial(add, host="late"))
    writer.close()


def test_a_writer_in_a_hurry_waits_no_longer_for_a_store_that_says_nothing(store, writer):
    go = held_up(writer)
    waits, late = (writer.submit(partial(add, host=host)) for host in ("a", "b"))
    writer.hurry(0.2)
    assert isinstance(waits.exception(10), StoreFailedError)
    assert isinstance(late.exception(10), StoreFailedError)
    with pytest.raises(StoreFailedError, match="told to stop"):
        writer.submit(partial(add, host="c"))
    writer.close()
    go.set()
    assert hosts(store) == set()


def test_a_writer_in_a_hurry_does_what_can_be_done(store, writer):
    writer.hurry(30)
    assert writer.submit(partial(add, host="a")).result(60) == "a"
    writer.close()
    assert (hosts(store), writer.failed) == ({"a"}, None)


def test_a_writer_in_a_hurry_that_has_nothing_to_do_waits_for_what_comes(store, writer):
    writer.submit(partial(add, host="a")).result(60)
    others = set(threading.enumerate())
    writer.hurry(0.5)
    (timer,) = set(threading.enumerate()) - others
    timer.join()
    assert writer.submit(partial(add, host="b")).result(60) == "b"
    writer.close()
    assert (hosts(store), writer.failed) == ({"a", "b"}, None)


def test_a_writer_in_a_hurry_does_not_wait_for_a_connection_that_is_not_given_back(writer, monkeypatch):
    writer.submit(partial(add, host="a")).result(60)
    go, restores = threading.Event(), threading.Event()
    monkeypatch.setattr(writer, "_disconnect", lambda conn: restores.set() or go.wait(60))
    closing = threading.Thread(target=writer.close)
    closing.start()
    assert restores.wait(60)
    others = set(threading.enumerate())
    writer.hurry(0.2)
    (timer,) = set(threading.enumerate()) - others
    timer.join()
    assert not set(threading.enumerate()) - others, "it is given more time"
    closing.join(60)
    assert not closing.is_alive()
    go.set()


@on_sqlite
def test_a_locked_store_is_tried_again(tmp_path, store, writer):
    with writer.engine.connect() as conn:
        path = conn.exec_driver_sql("PRAGMA database_list").first()[2]

    def impatient(conn):
        conn.exec_driver_sql("PRAGMA busy_timeout = 1")

    writer.submit(impatient).result(60)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    future = writer.submit(partial(add, host="a"))
    time.sleep(0.3)
    assert not future.done()
    other.execute("COMMIT")
    assert future.result(60) == "a"
    assert writer.figures.retries >= 1
    assert writer.failed is None


@on_sqlite
def test_trouble_is_logged_while_it_lasts_and_so_is_its_end(store, writer, caplog, monkeypatch):
    caplog.set_level(logging.INFO)
    monkeypatch.setattr("newsspider.store.engine.batch.TROUBLE_SECONDS", 0.0)
    writer.submit(lambda conn: conn.exec_driver_sql("PRAGMA busy_timeout = 1") and None).result(60)
    path = writer.engine.url.database
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    future = writer.submit(partial(add, host="a"))
    until(lambda: any("cannot be written: database is locked; tried again" in message for message in caplog.messages))
    other.execute("COMMIT")
    assert future.result(60) == "a"
    assert [message for message in caplog.messages if "the store can be written again" in message]
    assert sum("cannot be written" in message for message in caplog.messages) == 1


@on_sqlite
def test_a_store_that_is_full_fails_all_that_wait_and_all_that_comes(store, writer):
    def limit(conn):
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar()
        conn.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    writer.submit(limit).result(60)
    go = held_up(writer)
    futures = [writer.submit(partial(add, host=f"{n}" * 100_000)) for n in range(5)]
    go.set()
    errors = [future.exception(10) for future in futures]
    assert all(isinstance(error, StoreFailedError | DBAPIError | sqlite3.Error) for error in errors)
    assert writer.failed is not None
    assert "full" in writer.failed
    assert isinstance(writer.submit(partial(add, host="a")).exception(10), StoreFailedError)
    assert hosts(store) == set()


def test_a_store_that_is_damaged_while_it_is_open_hangs_nobody(tmp_path):
    engine = open_store(f"sqlite:///{tmp_path}/news.db")
    writer = Writer(engine, 64, patience=0.2)
    writer.submit(partial(add, host="a")).result(60)
    writer.close()
    engine.dispose()
    (tmp_path / "news.db").write_bytes(b"damaged" * 1000)
    writer = Writer(engine, 64, patience=0.2)
    futures = [writer.submit(partial(add, host=f"h{n}")) for n in range(3)]
    assert all(future.exception(10) is not None for future in futures)
    assert writer.failed is not None
    writer.close()


def test_a_store_that_does_not_answer_is_named_and_the_longest_wait_grows(writer, caplog, monkeypatch):
    caplog.set_level(logging.INFO)
    monkeypatch.setattr("newsspider.store.engine.watched_threads.SILENT_SECONDS", 0.2)
    go = held_up(writer)
    until(lambda: writer.trouble.cause is not None)
    waited = writer.figures.longest_wait_seconds
    until(lambda: writer.figures.longest_wait_seconds > waited)
    go.set()
    until(lambda: writer.trouble.cause is None)
    assert sum("the store does not answer" in message for message in caplog.messages) == 1
    assert [message for message in caplog.messages if "the store can be written again" in message]
    assert writer.failed is None


def test_a_store_that_does_not_answer_for_the_writer_s_patience_is_given_up(writer, monkeypatch):
    monkeypatch.setattr("newsspider.store.engine.watched_threads.SILENT_SECONDS", 0.2)
    writer.patience = 0.5
    go = held_up(writer)
    waiting = writer.submit(partial(add, host="a"))
    with pytest.raises(StoreFailedError, match="it has not answered for"):
        waiting.result(60)
    with pytest.raises(StoreFailedError):
        writer.submit(partial(add, host="b"))
    began = time.monotonic()
    writer.close()  # does not wait for the thread
    assert time.monotonic() - began < 5
    go.set()


def test_an_error_in_the_writer_s_own_loop_fails_the_jobs_and_hangs_nobody(writer, caplog, monkeypatch):
    def step(_seconds):
        raise OSError(22, "Invalid argument")

    writer.gather = 60.0
    monkeypatch.setattr("newsspider.store.engine.writer.time.sleep", step)
    future = writer.submit(GroupedJob(lambda _conn, values: values, 1))
    with pytest.raises(StoreFailedError, match="Invalid argument"):
        future.result(60)
    assert "the thread newsspider-writer died: OSError(22, 'Invalid argument')" in caplog.text
    writer.close()


@on_postgresql
def test_a_connection_that_is_lost_inside_a_job_costs_a_retry_and_nothing_else(store, writer):
    tries = []

    def cut_off_once(conn):
        if not tries:
            tries.append(1)
            pid = conn.exec_driver_sql("SELECT pg_backend_pid()").scalar()
            with store.begin() as other:
                other.exec_driver_sql(f"SELECT pg_terminate_backend({pid})")
        return add(conn, "a")

    loop = asyncio.new_event_loop()
    assert loop.run_until_complete(writer.run_watched(cut_off_once, queues.watched))[0] == "a"
    loop.close()
    assert writer.figures.retries == 1
    assert hosts(store) == {"a"}


def test_a_process_that_was_stopped_itself_does_not_give_its_store_up(tmp_path):
    patience, stopped = 3, 5
    command = [sys.executable, "-c", STOPPED, f"sqlite:///{tmp_path}/news.db", str(patience)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGSTOP)
        time.sleep(stopped)
        process.send_signal(signal.SIGCONT)
        time.sleep(1)  # the watchdog looks
        assert process.communicate("\n", timeout=60)[0] == "done\n"


@on_sqlite
def test_a_try_that_lasts_longer_than_the_patience_and_then_fails_is_tried_again(store, writer):
    writer.patience = 0.1
    tries = []

    def busy_once(conn):
        tries.append(1)
        if len(tries) == 1:
            time.sleep(3 * writer.patience)
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return add(conn, "a")

    assert writer.submit(busy_once).result(60) == "a"
    assert writer.failed is None


def pages_of(transactions):
    """A step of grouped jobs that notes how many of them share each transaction."""

    def step(conn, values):
        transactions.append(len(values))
        return [add(conn, value) for value in values]

    return step


def test_jobs_that_may_wait_share_a_commit_and_claims_overtake_them(store):
    transactions = []
    step = pages_of(transactions)
    writer = Writer(store, 64, 60.0)
    slow = [writer.submit(GroupedJob(step, f"{n}.cn", 60.0)) for n in range(3)]
    assert writer.submit(OvertakingJob(hosts_of)).result() == set(), "it is done before the three"
    assert [writer.submit(GroupedJob(step, "now.cn")).result(), *(job.result() for job in slow)] == ["now.cn", "0.cn", "1.cn", "2.cn"]
    assert transactions == [4]
    began = time.monotonic()
    assert writer.submit(GroupedJob(step, "later.cn", 0.2)).result() == "later.cn"
    assert time.monotonic() - began >= 0.2
    last = writer.submit(GroupedJob(step, "last.cn", 60.0))
    writer.close()
    assert last.result() == "last.cn"
    assert time.monotonic() - began < 50


def test_a_page_that_may_wait_is_stored_before_the_leases_of_its_worker_are_released(store):
    writer = Writer(store, 64, 60.0)
    with store.begin() as conn:
        lease = lease_on(conn, "http://a.cn/1", NOW)
    page = writer.submit(GroupedJob(pages.save_all, (PageResult(lease, STORED, article(lease.url)), NOW), 60.0))
    claim = writer.submit(OvertakingJob(partial(ledger.workers)))
    released = writer.submit(partial(ledger.release_worker, worker="w"))
    writer.close()
    assert claim.result(60) is not None
    assert (page.result(60).settled, released.result(60)) == (True, 0)


def test_as_many_jobs_as_fit_in_a_transaction_wait_no_longer(store):
    transactions = []
    step = pages_of(transactions)
    writer = Writer(store, 4, 60.0)
    jobs = [writer.submit(GroupedJob(step, f"{n}.cn", 60.0)) for n in range(4)]
    assert [job.result() for job in jobs] == ["0.cn", "1.cn", "2.cn", "3.cn"]
    assert transactions == [4]
    writer.close()


def test_jobs_that_wait_fail_with_the_writer(store):
    writer = Writer(store, 64, 60.0)
    job = writer.submit(GroupedJob(pages_of([]), "a.cn", 60.0))
    writer.submit(OvertakingJob(hosts_of)).result()
    writer.abandon("it is over")
    with pytest.raises(StoreFailedError, match="it is over"):
        job.result(10)
    assert hosts(store) == set()


def hosts_of(conn):
    return {row.host for row in conn.execute(text("SELECT host FROM hosts"))}
