"""Opening a store."""

import os
import sqlite3
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import OperationalError

import newsspider
from newsspider.store.engine import read_only
from newsspider.store.engine.database import _set_up, open_store, reading, writing
from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError
from tests.support.stores import on_sqlite, opened_at_once
from tests.support.tables import each

PACKAGE = Path(newsspider.__file__).parent


def test_a_store_is_opened_again_without_loading_alembic(url):
    open_store(url).dispose()
    code = f"import sys; from newsspider.store.engine.database import open_store; open_store({url!r}); print('alembic' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_readers_leave_the_pages_of_a_file_to_the_cache_of_the_system(tmp_path):
    url = f"sqlite:///{tmp_path}/news.db"
    for engine in (open_store(url), read_only.engine_of(make_url(url))):
        with reading(engine) as conn:
            assert conn.exec_driver_sql("PRAGMA cache_size").scalar() == -256
        engine.dispose()


def test_two_that_open_a_new_store_at_once_both_get_it(url):
    assert opened_at_once(url, 4) == []


class Busy(sqlite3.Connection):
    """A connection that is told so many times that the file is locked when it turns it to WAL."""

    times = 3

    def execute(self, statement, *args):
        if "WAL" in statement and self.times:
            self.times -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return super().execute(statement, *args)


def test_whoever_meets_another_one_that_turns_a_new_file_to_wal_tries_again(tmp_path):
    with closing(sqlite3.connect(tmp_path / "new.db", factory=Busy)) as conn:
        _set_up(conn, None)
        assert (conn.times, conn.execute("PRAGMA journal_mode").fetchone()) == (0, ("wal",))


@on_sqlite
def test_a_writer_waits_for_the_lock_of_another_as_long_as_the_connection_says(store):
    with store.connect() as other, store.connect() as conn:
        with other.begin():
            began = time.monotonic()
            conn.connection.driver_connection.execute("PRAGMA busy_timeout = 300")
            with pytest.raises(OperationalError, match="locked"):
                conn.begin()
            assert time.monotonic() - began >= 0.3
            conn.connection.driver_connection.execute("PRAGMA busy_timeout = 60000")
            with ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(conn.begin)
                other.commit()
                assert waiting.result(60).is_active
        assert conn.exec_driver_sql("PRAGMA busy_timeout").scalar() == 60_000
        conn.rollback()


@on_sqlite
def test_a_transaction_that_was_left_open_is_not_taken_for_a_new_one(store):
    with store.connect() as conn:
        conn.connection.driver_connection.execute("BEGIN")
        with pytest.raises(OperationalError, match="within a transaction"):
            conn.begin()


@on_sqlite
def test_commits_to_a_file_are_safe(store):
    with store.connect() as conn:
        assert conn.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert conn.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert conn.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_store_that_need_not_be_durable_spares_the_wait_for_the_disk(tmp_path):
    engine = open_store(f"sqlite:///{tmp_path}/quick.db", durable=False)
    with engine.connect() as conn:
        assert conn.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert conn.exec_driver_sql("PRAGMA synchronous").scalar() == 1
    engine.dispose()


def test_a_reader_sees_one_state(store):
    with reading(store) as reader:
        assert reader.execute(text("SELECT count(*) FROM hosts")).scalar() == 0
        with writing(store) as writer:
            writer.execute(text("INSERT INTO hosts (host) VALUES ('a')"))
        assert reader.execute(text("SELECT count(*) FROM hosts")).scalar() == 0


def test_a_reader_keeps_no_writer_waiting(store):
    with reading(store) as reader, store.begin() as writer:
        writer.execute(text("INSERT INTO hosts (host) VALUES ('a')"))
        assert reader.execute(text("SELECT count(*) FROM hosts")).scalar() == 0


@each(
    ("url", "sentence"),
    [
        ("nonsense", "DATABASE_URL=nonsense: say a database URL like sqlite:////folder/news.db"),
        ("sqlite://", "DATABASE_URL=sqlite://: it names no file"),
        ("sqlite:////", "it is a folder"),
        ("sqlite:////proc", "DATABASE_URL=sqlite:////proc: it is a folder"),
        ("sqlite:////proc/nowhere/news.db", "cannot be made"),
        ("mysql://me:secret@host/db", r"DATABASE_URL=mysql://me:\*\*\*@host/db: a store is in SQLite or PostgreSQL"),
        ("postgresql+nothing://host/db", r"DATABASE_URL=postgresql\+nothing://host/db: its driver is not installed"),
    ],
)
def test_a_store_that_cannot_be_there_is_refused_with_a_sentence(url, sentence):
    with pytest.raises(StoreUnusableError, match=sentence):
        open_store(url)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "news.db").write_text("no database" * 100)
    with pytest.raises(
        StoreUnusableError, match=f"DATABASE_URL=sqlite:///{tmp_path}/news.db: the file is no SQLite database"
    ) as refused:
        open_store(f"sqlite:///{tmp_path}/news.db")
    assert not isinstance(refused.value, StoreFailedError)
    assert (tmp_path / "news.db").read_text() == "no database" * 100


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE notes (text)",
        "CREATE TABLE urls (key)",
        "CREATE TABLE notes (text); CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('0001')",
        "CREATE TABLE urls (text); CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('ae1027a6')",
        "CREATE TABLE urls (text); CREATE TABLE alembic_version (version_num)",
    ],
)
def test_the_database_of_another_application_is_refused_and_left_as_it_is(tmp_path, script):
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as other:
        other.executescript(script)
    old_bytes = file.read_bytes()
    with pytest.raises(StoreUnusableError, match=f"DATABASE_URL=sqlite:///{file}: .* another application") as refused:
        open_store(f"sqlite:///{file}")
    assert not isinstance(refused.value, StoreFailedError)
    assert file.read_bytes() == old_bytes
    assert [entry.name for entry in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize("script", ["", "PRAGMA user_version = 1", "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"])
def test_an_empty_database_becomes_a_store(tmp_path, script):
    file = tmp_path / "new.db"
    file.touch()
    with closing(sqlite3.connect(file)) as other:
        other.executescript(script)
    open_store(f"sqlite:///{file}").dispose()
    open_store(f"sqlite:///{file}").dispose()


def test_a_store_of_a_newer_version_is_refused(url, store):
    with store.begin() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreUnusableError, match="newer newsspider"):
        open_store(url)


def test_a_store_can_be_made_from_a_zipped_package(tmp_path):
    egg = tmp_path / "newsspider.egg"
    with zipfile.ZipFile(egg, "w") as packed:
        for file in PACKAGE.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                packed.write(file, file.relative_to(PACKAGE.parent))
    code = f"import newsspider.store.engine.database as d; print(d.__file__); d.open_store('sqlite:///{tmp_path}/news.db')"
    environment = {**os.environ, "PYTHONPATH": str(egg)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert str(egg) in ran.stdout
    assert sqlite3.connect(tmp_path / "news.db").execute("SELECT count(*) FROM urls").fetchone() == (0,)


def test_the_classical_views_show_urls_and_articles(conn):
    conn.execute(text("INSERT INTO urls (key, url, host, kind, state, reason, found_at) VALUES (1, 'u', 'h', 'list', 'done', 'x', 0)"))
    conn.execute(text("INSERT INTO urls (key, url, host, kind, state, reason, found_at) VALUES (2, 'v', 'h', 'list', 'waiting', 'x', 0)"))
    rows = conn.execute(text('SELECT "URL_id", "URL", "UpdateCycle", checked FROM unchecked_url ORDER BY 1')).all()
    assert rows == [(1, "u", None, 0), (2, "v", None, 1)], "0: checked, 1: new"
    columns = conn.execute(text("SELECT * FROM page_index")).keys()
    assert list(columns) == ["Index_id", "URL", "content", "Title", *(f"Key{n}" for n in range(1, 11)), "Body", "Priority"]
