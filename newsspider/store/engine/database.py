"""Opens the store at a database URL: creates the folder, configures SQLite, migrates the tables."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as NoConnectionError

from newsspider.store.engine import migration, postgresql, read_only
from newsspider.store.engine.errors import (
    StoreFailedError,
    StoreUnusableError,
    cause_of,
    unusable_url,
    url_without_passwords,
    without_password,
)
from newsspider.store.engine.password_file import OPTION
from newsspider.store.engine.read_only import BUSY_SECONDS, READER_CACHE, READING

BACKENDS = frozenset({"sqlite", "postgresql"})
AGAIN_SECONDS = 0.01
LOCK_POLL_SECONDS = 0.002
PRAGMAS = (
    f"busy_timeout = {BUSY_SECONDS * 1000}",
    "foreign_keys = ON",
    READER_CACHE,
    "temp_store = MEMORY",
    "journal_size_limit = 67108864",
)


def open_store(url: str, *, durable: bool = True, readable: bool = False, unfinished: bool = False) -> Engine:
    """The engine of the store at this SQLAlchemy URL, with its tables up to date; raises :exc:`StoreUnusableError`.

    With ``readable``, a SQLite file or folder without write permission is opened read-only (:func:`writable`). With
    ``unfinished``, a store that a move has not copied completely is accepted; it is refused otherwise.

    On SQLite, commits that are not ``durable`` survive any end of the process, but a power failure may undo the last
    ones as a whole (https://www.sqlite.org/pragma.html#pragma_synchronous). That is acceptable where the ledger says
    what has to be done again.
    """
    parsed = parsed_url(url)
    if readable and read_only.may_not_write(parsed):
        return _open_to_read(parsed)
    if parsed.get_backend_name() == "sqlite":
        _make_folder(parsed)
    try:
        engine = engine_of(parsed)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise unusable_url(parsed, f"its driver is not installed ({error})") from None
    try:
        migration.refuse_unknown(engine)
        if engine.dialect.name == "sqlite":
            engine.dispose()
            event.listen(engine, "connect", _set_up)
            level = "FULL" if durable else "NORMAL"
            pragma = f"PRAGMA synchronous = {level}"
            event.listen(engine, "connect", lambda connection, _: connection.execute(pragma).close())
            event.listen(engine, "begin", _begin)
        migration.migrate(engine)
        if not unfinished:
            migration.refuse_unfinished(engine)
    except (DBAPIError, OSError) as error:
        engine.dispose()
        if getattr(getattr(error, "orig", None), "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise unusable_url(parsed, "the file is no SQLite database") from None
        raise StoreFailedError(f"the store {url_without_passwords(parsed)} cannot be used: {cause_of(error)}") from None
    except BaseException:
        engine.dispose()
        raise
    return engine


def _open_to_read(url: URL) -> Engine:
    try:
        engine = read_only.engine_of(url)
    except (DBAPIError, sqlite3.Error) as error:
        raise StoreFailedError(f"the store {url_without_passwords(url)} cannot be used: {cause_of(error)}") from None
    try:
        migration.refuse_unknown(engine)
        event.listen(engine, "begin", _begin)
        with engine.connect() as conn:
            conn.execution_options(**{READING: True})
            current, head = migration.revision(conn), migration.revisions()[-1]
            lacks = ""
            if current == head:
                migration.refuse_newer(conn)
                lacks = migration.lack(conn)
    except (DBAPIError, OSError) as error:
        raise StoreFailedError(f"the store {url_without_passwords(url)} cannot be used: {cause_of(error)}") from None
    if current is not None and current > head:
        raise migration.too_new(url, current, head)
    if current != head:
        lacks = f"it has revision {current}, not {head}"
    if lacks:
        raise unusable_url(url, f"{lacks}, and may not be written; run `scrapy status` once where it may")
    return engine


def writable(engine: Engine) -> bool:
    """Whether the store was opened for writing, too."""
    return not engine.get_execution_options().get(read_only.READ_ONLY, False)


def shrink_cache(conn: Connection) -> None:
    """Free the cache of a connection; on PostgreSQL the server has it."""
    if conn.dialect.name == "sqlite":
        conn.exec_driver_sql("PRAGMA shrink_memory").close()


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection that sees one state of the store and keeps no writer waiting; raises :exc:`StoreFailedError`."""
    with _fenced(engine), engine.connect() as conn:
        conn.execution_options(**{READING: True})
        if engine.dialect.name == "postgresql":
            conn.execution_options(**postgresql.READING)
        with conn.begin():
            yield conn


@contextmanager
def writing(engine: Engine, *, alone: bool = True) -> Iterator[Connection]:
    """A connection whose changes are committed at the end of the block; raises :exc:`StoreFailedError` if the store
    fails or stays locked.

    No other connection writes meanwhile, so the block never has to be repeated. With ``alone=False`` no writer of
    PostgreSQL has to wait, and it waits for others ten seconds at most; the block must then change only rows that no
    one else changes.
    """
    with _fenced(engine), engine.begin() as conn:
        postgresql.end_if_idle(conn, once=True)
        if not alone:
            postgresql.limit_lock_waits(conn, once=True)
        postgresql.take_turn(conn, alone=alone)
        yield conn


@contextmanager
def _fenced(engine: Engine) -> Iterator[None]:
    driver: Any = engine.dialect.loaded_dbapi  # our own statements raise its errors unwrapped
    try:
        yield
    except (DBAPIError, NoConnectionError, driver.Error) as error:
        raise StoreFailedError(
            f"the store {url_without_passwords(engine.url)} cannot be used: {cause_of(error)}"
        ) from None


def parsed_url(url: str) -> URL:
    """The parsed URL of a store; raises :exc:`StoreUnusableError` if no store can have it."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        redacted = without_password(str(url))
        raise StoreUnusableError(
            f"DATABASE_URL={redacted}: say a database URL like sqlite:////folder/news.db"
        ) from None
    if parsed.get_backend_name() not in BACKENDS:
        raise unusable_url(parsed, "a store is in SQLite or PostgreSQL")
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise unusable_url(parsed, "it names no file, and a store in memory would be lost")
    if OPTION in parsed.query and parsed.get_backend_name() == "sqlite":
        raise unusable_url(parsed, f"SQLite has no passwords; leave {OPTION} out")
    if not isinstance(parsed.query.get(OPTION, ""), str):
        raise unusable_url(parsed, f"name one {OPTION}")
    return parsed.set(drivername="postgresql+psycopg") if parsed.drivername == "postgresql" else parsed


def engine_of(url: URL) -> Engine:
    """An engine for the database at a URL, whatever the database holds."""
    if url.get_backend_name() == "sqlite":
        return create_engine(url)
    engine = create_engine(url, pool_pre_ping=True, connect_args=postgresql.CONNECTION)
    event.listen(engine, "connect", postgresql.set_up)
    event.listen(engine, "do_connect", postgresql.read_password)
    return engine


def _make_folder(url: URL) -> None:
    if Path(url.database or "").is_dir():
        raise unusable_url(url, "it is a folder; name a file in it")
    folder = Path(url.database or "").absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnusableError(f"the folder {folder} of the store cannot be made: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise StoreUnusableError(f"the folder {folder} of the store cannot be written to")


def _set_up(dbapi_connection: Any, _record: object) -> None:
    dbapi_connection.isolation_level = None  # BEGIN is ours
    for pragma in PRAGMAS:
        dbapi_connection.execute(f"PRAGMA {pragma}").close()
    _turn_to_wal(dbapi_connection)


def _turn_to_wal(dbapi_connection: Any) -> None:
    """Switch to WAL. If two connections do so with a new file at the same moment, SQLite reports one of them as locked
    at once: both read, and neither could write before the other ends."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            dbapi_connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(AGAIN_SECONDS)
        else:
            return


def _begin(conn: Connection) -> None:
    """Begin a transaction; a writer takes the lock at once, as one that starts as a reader may fail when it writes.

    The lock is polled more often than SQLite does it, which sleeps up to 0.1 s: two writers would both stand still.
    """
    if conn.get_execution_options().get(READING):
        conn.exec_driver_sql("BEGIN")
        return
    raw: Any = conn.connection.driver_connection
    (milliseconds,) = raw.execute("PRAGMA busy_timeout").fetchone()
    until = time.monotonic() + milliseconds / 1000
    raw.execute("PRAGMA busy_timeout = 0").close()
    try:
        while True:
            try:
                raw.execute("BEGIN IMMEDIATE").close()
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY and time.monotonic() < until:
                    time.sleep(LOCK_POLL_SECONDS)
                    continue
                conn.exec_driver_sql("BEGIN IMMEDIATE")  # raises the same as SQLAlchemy does
            return
    finally:
        raw.execute(f"PRAGMA busy_timeout = {milliseconds}").close()
