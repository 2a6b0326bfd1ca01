"""Opens the store at a database URL: makes the folder, sets SQLite up, brings the tables to their present shape."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from newsspider.store.engine import postgresql, read_only

BACKENDS = frozenset({"sqlite", "postgresql"})
VERSIONS = "alembic_version"
OUR_TABLES = frozenset({VERSIONS, "urls"})
BUSY_SECONDS = 10  # SQLite itself waits so long for another writer; the store's writer then goes on trying
AGAIN_SECONDS = 0.01
READING = "newsspider_reading"  # execution option of a connection that only reads
ADVICE = (
    "stop what writes it, then restore a backup, or save what can be read with `sqlite3 OLD .recover | sqlite3 NEW`"
)
PRAGMAS = (
    f"busy_timeout = {BUSY_SECONDS * 1000}",
    "foreign_keys = ON",
    # 16 MiB a connection: keys are hashes, so pages of the tree are met at random; the system caches the file too
    "cache_size = -16384",
    "temp_store = MEMORY",
    "journal_size_limit = 67108864",
)

_REVISION = re.compile(r"\d{4}")  # Alembic names its own otherwise


class StoreUnusable(Exception):  # noqa: N818 -- reads as what it says
    """The store cannot be opened; the text is one sentence for people."""


class StoreFails(StoreUnusable):
    """The store is there, but locked, full or broken; the text is one sentence for people."""


def open_store(url: str, *, durable: bool = True, readable: bool = False) -> Engine:
    """The engine of the store at this SQLAlchemy URL, its tables up to date; :exc:`StoreUnusable` says why not.

    If a ``readable`` one is enough, a file or folder of SQLite that may not be written is opened for reading alone
    (:func:`writable`).

    On SQLite, what is not ``durable`` is safe from any end of the process, but a power failure may undo the last
    commits as a whole (https://www.sqlite.org/pragma.html#pragma_synchronous): good where the ledger says what is to be
    done again.
    """
    parsed = _parsed(url)
    if readable and read_only.may_not_write(parsed):
        return _open_to_read(parsed)
    if parsed.get_backend_name() == "sqlite":
        _make_folder(parsed)
    try:
        engine = _engine(parsed)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise _unusable(parsed, f"its driver is not installed ({error})") from None
    try:
        _refuse_foreign(engine)
        if engine.dialect.name == "sqlite":
            engine.dispose()
            event.listen(engine, "connect", _set_up)
            event.listen(engine, "connect", _durable if durable else _consistent)
            event.listen(engine, "begin", _begin)
        migrate(engine)
    except (DBAPIError, OSError) as error:
        engine.dispose()
        if getattr(getattr(error, "orig", None), "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise _unusable(parsed, "the file is no SQLite database") from None
        raise StoreFails(f"the store {_shown(parsed)} cannot be used: {_cause(error)}") from None
    except BaseException:
        engine.dispose()
        raise
    return engine


def _open_to_read(url: URL) -> Engine:
    try:
        engine = read_only.engine_of(url)
    except (DBAPIError, sqlite3.Error) as error:
        raise StoreFails(f"the store {_shown(url)} cannot be used: {_cause(error)}") from None
    try:
        _refuse_foreign(engine)
        event.listen(engine, "begin", _begin)
        with engine.connect() as conn:
            conn.execution_options(**{READING: True})
            found, head = _revision(conn), _head()
    except (DBAPIError, OSError) as error:
        raise StoreFails(f"the store {_shown(url)} cannot be used: {_cause(error)}") from None
    if found != head:
        raise _unusable(
            url, f"it has revision {found}, not {head}, and may not be written; run `scrapy status` once where it may"
        )
    return engine


def writable(engine: Engine) -> bool:
    """Whether the store was opened to be written, too."""
    return not engine.get_execution_options().get(read_only.READ_ONLY, False)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection that sees one state of the store and keeps no writer waiting; :exc:`StoreFails` if the store
    does."""
    with _fenced(engine), engine.connect() as conn:
        conn.execution_options(**{READING: True})
        if engine.dialect.name == "postgresql":
            conn.execution_options(**postgresql.READING)
        with conn.begin():
            yield conn


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A connection whose changes are kept if its block ends well; :exc:`StoreFails` if the store fails or stays locked.

    It is the only one that writes meanwhile, so it never has to be done again.
    """
    with _fenced(engine), engine.begin() as conn:
        postgresql.must_go_on(conn)
        postgresql.take_turn(conn, alone=True)
        yield conn


@contextmanager
def _fenced(engine: Engine) -> Iterator[None]:
    driver: Any = engine.dialect.loaded_dbapi  # statements of ours raise its errors as they are
    try:
        yield
    except (DBAPIError, driver.Error) as error:
        raise StoreFails(f"the store {_shown(engine.url)} cannot be used: {_cause(error)}") from None


def migrate(engine: Engine) -> None:
    """Bring the tables to their present shape; Alembic is loaded only where there is something to do."""
    head = _head()
    with engine.connect() as conn:
        conn.execution_options(**{READING: True})
        if _revision(conn) == head:
            return
    with engine.begin() as conn:  # the write lock: of two that start at once, the second finds the work done
        postgresql.may_think(conn)
        postgresql.take_turn(conn, alone=True)
        found = _revision(conn)
        if found == head:
            return
        if found is not None and found > head:
            raise _unusable(engine.url, f"it was made by a newer newsspider: it has revision {found}, not {head}")
        _upgrade(conn)


def _head() -> str:
    return max(name.split("_")[0] for name in _names(_migrations() / "versions"))


def _refuse_foreign(engine: Engine) -> None:
    """Refuse a database with tables of another application, before anything of ours is set or written there."""
    with engine.connect() as conn:
        tables = set(inspect(conn).get_table_names())
        ours = tables >= OUR_TABLES and _REVISION.fullmatch(_revision(conn) or "")
    if tables - {VERSIONS} and not ours:
        raise _unusable(
            engine.url, "it holds the tables of another application; name a database of its own for the store"
        )


def _upgrade(conn: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    with TemporaryDirectory(prefix="newsspider-migrations-") as folder:
        _copy(_migrations(), Path(folder))  # Alembic needs real files; an egg is a zip
        config = Config()
        config.set_main_option("script_location", folder.replace("%", "%%"))
        config.attributes["connection"] = conn
        command.upgrade(config, "head")


def _migrations() -> Traversable:
    return files("newsspider.store") / "migrations"


def _names(folder: Traversable) -> list[str]:
    return [entry.name for entry in folder.iterdir() if entry.name.endswith(".py")]


def _copy(source: Traversable, target: Path) -> None:
    for entry in source.iterdir():
        if entry.is_dir() and not entry.name.startswith("_"):
            (target / entry.name).mkdir()
            _copy(entry, target / entry.name)
        elif entry.name.endswith(".py"):
            (target / entry.name).write_bytes(entry.read_bytes())


def _revision(conn: Connection) -> str | None:
    if not inspect(conn).has_table(VERSIONS):
        return None
    return conn.execute(text(f"SELECT version_num FROM {VERSIONS}")).scalar()


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        raise StoreUnusable(f"DATABASE_URL={url}: say a database URL like sqlite:////folder/news.db") from None
    if parsed.get_backend_name() not in BACKENDS:
        raise _unusable(parsed, "a store is in SQLite or PostgreSQL")
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise _unusable(parsed, "it names no file, and a store in memory would be lost")
    return parsed.set(drivername="postgresql+psycopg") if parsed.drivername == "postgresql" else parsed


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        return create_engine(url)
    engine = create_engine(url, pool_pre_ping=True, connect_args=postgresql.CONNECTION)
    event.listen(engine, "connect", postgresql.set_up)
    return engine


def _make_folder(url: URL) -> None:
    if Path(url.database or "").is_dir():
        raise _unusable(url, "it is a folder; name a file in it")
    folder = Path(url.database or "").absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnusable(f"the folder {folder} of the store cannot be made: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise StoreUnusable(f"the folder {folder} of the store cannot be written to")


def _set_up(dbapi_connection: Any, _record: object) -> None:
    dbapi_connection.isolation_level = None  # BEGIN is ours
    for pragma in PRAGMAS:
        dbapi_connection.execute(f"PRAGMA {pragma}").close()
    _turn_to_wal(dbapi_connection)


def _turn_to_wal(dbapi_connection: Any) -> None:
    """Of two connections that do so with a new file in the same moment, SQLite tells one at once that it is locked:
    both read, and none could write before the other ends."""
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


def _durable(dbapi_connection: Any, _record: object) -> None:
    dbapi_connection.execute("PRAGMA synchronous = FULL").close()


def _consistent(dbapi_connection: Any, _record: object) -> None:
    dbapi_connection.execute("PRAGMA synchronous = NORMAL").close()


def _begin(conn: Connection) -> None:
    """A writer takes the lock at once: one that starts as a reader could only fail when it wants to write."""
    conn.exec_driver_sql("BEGIN" if conn.get_execution_options().get(READING) else "BEGIN IMMEDIATE")


def _unusable(url: URL, reason: str) -> StoreUnusable:
    return StoreUnusable(f"DATABASE_URL={_shown(url)}: {reason}")


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def _cause(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    message = " ".join(str(cause).split())  # PostgreSQL's driver says it in several lines
    corrupt = getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT
    return f"{message}; {ADVICE}" if corrupt else message
