"""A store on PostgreSQL: text and numbers, connections, servers that come and go."""

import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.store import ledger, pages
from newsspider.store.articles.article_records import export_records
from newsspider.store.engine import migration, postgresql
from newsspider.store.engine.database import open_store, reading, writing
from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError
from newsspider.store.engine.statement import Statement
from newsspider.store.engine.writer import Writer
from newsspider.store.workers import Members
from tests.support.events import until
from tests.support.samples import NOW, STORED, URL, article, lease_on, offer, save_article
from tests.support.servers import MIGRATED, postgres
from tests.support.stores import on_postgresql, opened_at_once

ADD = Statement("UPDATE hosts SET pages = pages + 1 WHERE host = :host")
HOST = Statement("SELECT host FROM hosts [FOR UPDATE SKIP LOCKED]")


def test_text_that_no_database_can_hold_loses_those_characters_only(conn):
    lease = lease_on(conn, URL)
    record = article(URL, "正\0文", title="标\0题", keywords=("高\0考",), authors=("张\0三",), meta_description="\0")
    offers = (offer("http://a.cn/2", anchor="锚\0"),)
    saved = pages.save(conn, PageResult(lease, replace(STORED, etag='"\0"', detail="\0x"), record, (), offers), NOW)
    assert saved.new_article
    (exported,) = export_records(conn)
    assert [exported[name].replace("\0", "") for name in ("title", "text")] == ["标题", "正文"]
    assert [word.replace("\0", "") for word in exported["keywords"]] == ["高考"]


@on_postgresql
def test_a_lone_surrogate_becomes_a_question_mark(conn):
    save_article(conn, URL, title="标\ud800题")
    assert [record["title"] for record in export_records(conn)] == ["标?题"]


def test_numbers_of_64_bits_are_kept_with_their_sign(conn):
    ends = (-(2**63), 2**63 - 1, -1, 0)
    ledger.offer(conn, [replace(offer(f"http://a.cn/{n}"), key=key, parent=key) for n, key in enumerate(ends)], NOW)
    assert set(conn.execute(text("SELECT key, parent FROM urls"))) == {(key, key) for key in ends}


@on_postgresql
def test_a_plain_url_is_served_by_the_driver_that_is_installed(url):
    assert url.startswith("postgresql://")
    engine = open_store(url)
    assert engine.url.drivername == "postgresql+psycopg"
    engine.dispose()


@on_postgresql
def test_a_connection_that_reads_cannot_write_and_leaves_no_trace(store):
    with pytest.raises(StoreFailedError, match="read-only"), reading(store) as conn:
        conn.execute(text("INSERT INTO hosts (host) VALUES ('a')"))
    with writing(store) as conn:
        conn.execute(text("INSERT INTO hosts (host) VALUES ('a')"))


def test_a_server_that_is_not_there_is_a_sentence(shared_postgres):
    missing_server = shared_postgres.url("nowhere").replace(f":{shared_postgres.port}", ":1")
    with pytest.raises(StoreFailedError, match=r"cannot be used: .*refused"):
        open_store(missing_server)
    with pytest.raises(StoreFailedError, match="does not exist"):
        open_store(shared_postgres.url("nowhere"))


def test_a_database_of_another_application_is_refused(shared_postgres):
    url = shared_postgres.create("foreign")
    shared_postgres.execute("CREATE TABLE notes (text text)", "foreign")
    with pytest.raises(StoreUnusableError, match="another application"):
        open_store(url)
    assert shared_postgres.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", "foreign") == [("notes",)]
    shared_postgres.drop("foreign")


def test_of_two_that_migrate_at_once_the_second_finds_the_work_done(shared_postgres):
    url = shared_postgres.create("fresh")
    problems = opened_at_once(url, 3)
    shared_postgres.drop("fresh")
    assert problems == []


def add_host(conn):
    conn.execute(text("INSERT INTO hosts (host) VALUES ('a')"))


def add_page(conn):
    conn.execute(text("UPDATE hosts SET pages = pages + 1 WHERE host = 'a'"))


def pages_counted(store):
    """How many pages of that host were added."""
    with store.connect() as conn:
        return conn.execute(text("SELECT pages FROM hosts")).scalar()


@pytest.fixture
def own_server():
    with postgres() as server:
        yield server


def test_a_server_that_is_killed_again_and_again_loses_nothing_and_doubles_nothing(own_server):
    """Each job adds one to a number, so a job that was lost or done twice would show."""
    store = open_store(own_server.create("chaos"))
    with store.begin() as conn:
        add_host(conn)
    writer = Writer(store, 8, 60.0)
    stop = threading.Event()
    answered = []

    def work():
        while not stop.is_set():
            futures = [writer.submit(add_page) for _ in range(20)]
            answered.extend(future.exception(60) for future in futures)

    worker = threading.Thread(target=work)
    worker.start()
    for _ in range(6):
        time.sleep(0.2)
        own_server.restart("immediate")
    earlier = len(answered)
    until(lambda: len(answered) > earlier + 100, seconds=60)
    stop.set()
    worker.join(60)
    assert pages_counted(store) == len(answered)
    assert set(answered) == {None}
    assert writer.failed is None
    assert writer.figures.retries > 0
    writer.close()
    store.dispose()


@pytest.fixture
def workers(migrated, monkeypatch):
    """A store, and two that write it; the server waits half a second for one that is silent."""
    monkeypatch.setattr(postgresql, "IDLE_SECONDS", 0.5)
    monkeypatch.setattr(postgresql, "LOCK_SECONDS", 0.5)
    engine = open_store(migrated.create("still", MIGRATED))
    still, other = Writer(engine, 8, 60.0), Writer(engine, 8, 60.0)
    still.submit(add_host).result(60)
    yield engine, still, other
    still.close()
    other.close()
    engine.dispose()
    migrated.drop("still")


@contextmanager
def standing_still(worker, begin):
    """A job of the worker that stops after its first statements; in the end it goes on, finds them undone and runs again."""
    started, go = threading.Event(), threading.Event()
    tries = []

    def stand_still(conn):
        begin(conn)
        tries.append(1)
        started.set()
        go.wait(60)

    standing = worker.submit(stand_still)
    started.wait(60)
    try:
        yield
    finally:
        go.set()
    standing.result(60)
    assert len(tries) == 2, "what it had begun is done again"


def test_a_worker_that_stands_still_in_a_transaction_does_not_hold_up_the_others(workers):
    """A process that is stopped, or a machine that sleeps: its kernel goes on answering for it."""
    engine, still, other = workers
    with standing_still(still, add_page):
        other.submit(add_page).result(60)
    assert pages_counted(engine) == 2


def test_a_worker_that_stands_still_after_a_pipeline_is_ended_by_the_others(workers):
    """The driver's pipelines end with a message after which the server does not count the silence."""
    engine, still, other = workers
    members = Members("other")

    def freed():
        if other.submit(lambda conn: HOST.run(conn, {}).all() != []).result(60):
            return True
        other.submit(lambda conn: members.assign(conn, None, NOW)).result(60)
        return False

    with standing_still(still, lambda conn: ADD.change_many(conn, [{"host": "a"}, {"host": "a"}])):
        until(freed, seconds=10, progress=lambda: "its rows are still locked")
    assert pages_counted(engine) == 2


def test_a_worker_that_waits_for_one_that_stands_still_after_a_pipeline_ends_it(workers):
    """It waits in a statement, so that its own beat, which looks for those that stand still, does not come."""
    engine, still, other = workers
    with standing_still(still, lambda conn: ADD.change_many(conn, [{"host": "a"}, {"host": "a"}])):
        other.submit(add_page).result(60)
    assert pages_counted(engine) == 3


def test_a_lock_that_is_held_for_longer_than_a_store_may_be_away_is_waited_for(workers, monkeypatch):
    monkeypatch.setattr(postgresql, "IDLE_SECONDS", 60.0)
    engine, _, other = workers
    other.patience = 0.1
    with engine.connect() as conn, conn.begin():
        conn.execute(text("SELECT * FROM hosts FOR UPDATE"))
        waiting = other.submit(add_page)
        until(lambda: other.figures.retries >= 3, seconds=60)
    waiting.result(60)
    assert pages_counted(engine) == 1


def test_a_migration_that_says_nothing_for_long_is_let_go_on(workers, monkeypatch):
    engine, _, other = workers
    begun, go = threading.Event(), threading.Event()

    def thoughtful(conn):
        conn.execute(text("UPDATE hosts SET pages = pages + 5"))
        begun.set()
        go.wait(60)

    monkeypatch.setattr(migration, "revision", lambda conn: "0001")
    monkeypatch.setattr(migration, "_upgrade", thoughtful)
    migrating = threading.Thread(target=migration.migrate, args=(engine,))
    migrating.start()
    begun.wait(60)
    waiting = other.submit(add_page)
    until(lambda: other.figures.retries >= 3, seconds=60)
    go.set()
    waiting.result(60)
    migrating.join(60)
    assert pages_counted(engine) == 6


@on_postgresql
def test_a_connection_that_a_writer_gives_back_waits_for_locks_like_any_other(store):
    writer = Writer(store, 8, 60.0)
    assert writer.submit(lambda conn: conn.execute(text("SHOW lock_timeout")).scalar()).result(60) == "10s"
    writer.close()
    with store.connect() as conn:
        assert conn.execute(text("SHOW lock_timeout")).scalar() == "0"
        assert conn.execute(text("SHOW idle_in_transaction_session_timeout")).scalar() == "0"


@on_postgresql
def test_a_connection_that_wrote_once_may_say_nothing_for_as_long_as_any_other(store):
    query = text("SHOW idle_in_transaction_session_timeout")
    with writing(store) as conn:
        assert conn.execute(query).scalar() == "30s"
    with reading(store) as conn:
        assert conn.execute(query).scalar() == "0"


@on_postgresql
def test_a_transaction_of_whose_number_a_killed_server_knows_nothing_was_not_committed(store):
    """The numbers of transactions that never reached the disk are given out once more."""
    with store.begin() as conn:
        begun = int(conn.exec_driver_sql("SELECT pg_current_xact_id()::text").scalar())
    with store.begin() as conn:
        assert postgresql.was_committed(conn, str(begun)) is True
        assert postgresql.was_committed(conn, str(begun + 10_000)) is False


def test_a_commit_whose_answer_is_lost_is_not_made_again(own_server):
    engine = open_store(own_server.create("doubt"))
    writer = Writer(engine, 8, 60.0)
    writer.submit(add_host).result(60)
    lost = []

    def add(conn):
        add_page(conn)
        raw = conn.connection.dbapi_connection
        if not lost:
            lost.append(raw)
            commit = raw.commit

            def commit_and_lose() -> None:
                commit()
                raise psycopg.OperationalError("server closed the connection unexpectedly")

            raw.commit = commit_and_lose
        return "added"

    assert writer.submit(add).result(60) == "added"
    assert lost
    assert pages_counted(engine) == 1
    writer.close()
    engine.dispose()
