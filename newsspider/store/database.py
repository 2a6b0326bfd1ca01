"""Opens the store at a database URL: makes the folder, sets SQLite up, brings the tables to their present shape."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

BUSY_SECONDS = 10  # SQLite itself waits so long for another writer; the store's writer then goes on trying
READING = "newsspider_reading"  # execution option of a connection that only reads
PRAGMAS = (
    f"busy_timeout = {BUSY_SECONDS * 1000}",
    "journal_mode = WAL",
    "synchronous = FULL",  # costs nothing measurable when many pages share a commit
    "foreign_keys = ON",
    "cache_size = -65536",  # 64 MiB: keys are hashes, so pages of the tree are met at random
    "temp_store = MEMORY",
    "journal_size_limit = 67108864",
)


class StoreUnusable(Exception):  # noqa: N818 -- reads as what it says
    """The store cannot be opened; the text is one sentence for people."""


class StoreFails(StoreUnusable):
    """The store is there, but locked, full or broken; the text is one sentence for people."""


def open_store(url: str) -> Engine:
    """The engine of the store at this SQLAlchemy URL, its tables up to date; :exc:`StoreUnusable` says why not."""
    parsed = _parsed(url)
    if parsed.get_backend_name() == "sqlite":
        _make_folder(parsed)
    try:
        engine = create_engine(parsed)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreUnusable(f"the store {_shown(parsed)} needs a driver that is not installed: {error}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up)
        event.listen(engine, "begin", _begin)
    try:
        migrate(engine)
    except (DBAPIError, OSError) as error:
        engine.dispose()
        raise StoreFails(f"the store {_shown(parsed)} cannot be used: {_cause(error)}") from None
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection that sees one state of the store and keeps no writer waiting; :exc:`StoreFails` if the store does."""
    with _fenced(engine), engine.connect() as conn:
        conn.execution_options(**{READING: True})
        with conn.begin():
            yield conn


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A connection whose changes are kept if its block ends well; :exc:`StoreFails` if the store fails or stays locked."""
    with _fenced(engine), engine.begin() as conn:
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
    head = max(name.split("_")[0] for name in _names(_migrations() / "versions"))
    with engine.connect() as conn:
        conn.execution_options(**{READING: True})
        if _revision(conn) == head:
            return
    with engine.begin() as conn:  # the write lock: of two that start at once, the second finds the work done
        found = _revision(conn)
        if found == head:
            return
        if found is not None and found > head:
            raise StoreUnusable(
                f"the store {_shown(engine.url)} was made by a newer newsspider: it has revision {found}, not {head}"
            )
        _upgrade(conn)


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
    if not inspect(conn).has_table("alembic_version"):
        return None
    return conn.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreUnusable(f"DATABASE_URL is no database URL like sqlite:////folder/news.db: {url!r}") from None
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise StoreUnusable(f"DATABASE_URL names no file, and a store in memory would be lost: {url!r}")
    return parsed


def _make_folder(url: URL) -> None:
    folder = Path(url.database or "").absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnusable(f"the folder {folder} of the store cannot be made: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise StoreUnusable(f"the folder {folder} of the store cannot be written to")


def _set_up(dbapi_connection: Any, _record: object) -> None:
    dbapi_connection.isolation_level = None  # BEGIN is ours
    cursor = dbapi_connection.cursor()
    try:
        for pragma in PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
    finally:
        cursor.close()


def _begin(conn: Connection) -> None:
    """A writer takes the lock at once: one that starts as a reader could only fail when it wants to write."""
    conn.exec_driver_sql("BEGIN" if conn.get_execution_options().get(READING) else "BEGIN IMMEDIATE")


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def _cause(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip()
