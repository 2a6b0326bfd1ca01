"""Opens a SQLite store without write permission for its file, folder or file system."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Engine, create_engine

READ_ONLY = "newsspider_read_only"  # execution option of the engine
READING = "newsspider_reading"  # execution option of a connection that only reads
BUSY_SECONDS = 10  # SQLite itself waits this long for another writer; the store's writer then tries again
READER_CACHE = "cache_size = -256"  # KiB a connection: the system caches the file, and the console has up to 15


def may_not_write(url: URL) -> bool:
    """Whether the URL names an existing SQLite file, and that or its folder, where SQLite keeps its log, may not be
    written."""
    if url.get_backend_name() != "sqlite" or not url.database:
        return False
    file = Path(url.database).absolute()
    return file.is_file() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def engine_of(url: URL) -> Engine:
    """The engine of such a store; raises :exc:`sqlite3.Error` if it cannot be read.

    Even a reader of a database in WAL mode needs the files beside it. Where these cannot be created, the database is
    opened as immutable, which is correct as long as no log with changes is left beside it.
    """
    file = Path(url.database or "").absolute()
    connect = _connecting(file, "mode=ro")
    try:
        _try(connect)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        if _log_is_left(file):
            raise sqlite3.OperationalError(
                f"it may not be written, and {file.name}-wal beside it holds changes; copy both to a folder of yours"
            ) from None
        connect = _connecting(file, "immutable=1")
        _try(connect)
    return create_engine(url, creator=connect, execution_options={READ_ONLY: True})


def _connecting(file: Path, mode: str) -> Callable[[], sqlite3.Connection]:
    def connect() -> sqlite3.Connection:
        name = f"file:{quote(str(file))}?{mode}"
        conn = sqlite3.connect(name, timeout=BUSY_SECONDS, uri=True, isolation_level=None, check_same_thread=False)
        for pragma in ("foreign_keys = ON", READER_CACHE, "temp_store = MEMORY"):
            conn.execute(f"PRAGMA {pragma}").close()
        return conn

    return connect


def _try(connect: Callable[[], sqlite3.Connection]) -> None:
    conn = connect()
    try:
        conn.execute("SELECT count(*) FROM sqlite_master").fetchone()
    finally:
        conn.close()


def _log_is_left(file: Path) -> bool:
    log = file.with_name(f"{file.name}-wal")
    return log.exists() and log.stat().st_size > 0
