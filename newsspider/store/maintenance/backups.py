"""Backs a store up while crawls write to it, and restores it.

A backup is one file: a database of SQLite, or an archive of ``pg_dump``. It is written under a temporary name and
renamed once it is complete, so a file with its name can always be restored.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import URL, Engine, inspect

from newsspider.store.engine.database import engine_of, open_store, parsed_url
from newsspider.store.engine.errors import StoreFailedError, cause_of, unusable_url
from newsspider.store.engine.password_file import OPTION, password_in

PAGES_AT_ONCE = 2048  # of SQLite, in one step
PARTIAL = ".partial"  # the suffix of an incomplete file
LOGS = ("-wal", "-shm", "-journal")  # of SQLite, beside a database; a left one would be applied to a new database
ARCHIVE = b"PGDMP"  # the first bytes of an archive of pg_dump
DATABASE = b"SQLite format 3\0"

Moved = Callable[[int, int], object]  # called after each step with the numbers of done and of all pages


class NoBackupError(ValueError):
    """A backup cannot be made or restored; the text is one sentence for people."""


def back_up(engine: Engine, file: Path, moved: Moved = lambda done, total: None) -> None:
    """Write the present state of a store to a new file; writers are not kept waiting."""
    if file.exists():
        raise NoBackupError(f"{file} is there already; name a new file")
    if not file.parent.is_dir():
        raise NoBackupError(f"there is no folder {file.parent}")
    with _whole(file) as partial:
        if engine.dialect.name == "sqlite":
            _copied(Path(engine.url.database or ""), partial, moved)
        else:
            _run(engine.url, ["pg_dump", "--format=custom", "--no-owner", f"--file={partial}"])


def restore(file: Path, url: str, moved: Moved = lambda done, total: None) -> None:
    """Create the store at a URL from a backup, and migrate its tables. There must be no store yet."""
    target = parsed_url(url)
    head = _head(file)
    if target.get_backend_name() == "sqlite":
        if head != DATABASE:
            raise NoBackupError(f"{file} is no backup of a store in SQLite")
        path = Path(target.database or "")
        for existing in (path, *(path.with_name(path.name + end) for end in LOGS)):
            if existing.exists():
                raise NoBackupError(
                    f"{existing} is there; move it away with all files of that store, or name another one"
                )
        path.parent.mkdir(parents=True, exist_ok=True)
        with _whole(path) as partial:
            _copied(file, partial, moved)
    else:
        if not head.startswith(ARCHIVE):
            raise NoBackupError(f"{file} is no backup of a store in PostgreSQL")
        _must_be_empty(target)
        _run(target, ["pg_restore", "--no-owner", "--exit-on-error", "--single-transaction", "--dbname=", str(file)])
    open_store(url).dispose()


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(len(DATABASE))


@contextmanager
def _whole(file: Path) -> Iterator[Path]:
    """The temporary name under which a file is written; it is renamed once it is complete and on the disk."""
    partial = file.with_name(file.name + PARTIAL)
    partial.unlink(missing_ok=True)
    try:
        yield partial
        sync_file(partial)
        partial.rename(file)
    finally:
        partial.unlink(missing_ok=True)
    sync_folder(file.parent)


def sync_file(path: Path) -> None:
    """Wait until a file is on the disk; raises :exc:`OSError` if it cannot be written there."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    folder = os.open(path, os.O_RDONLY)
    with suppress(OSError):  # some file systems sync no folders
        os.fsync(folder)
    os.close(folder)


def _copied(source: Path, target: Path, moved: Moved) -> None:
    """Copy a SQLite database in its present state, page by page, and check the copy."""
    try:
        with closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as read:
            read.execute("BEGIN")
            read.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on the reader sees one state
            with closing(sqlite3.connect(target)) as written:
                read.backup(
                    written, pages=PAGES_AT_ONCE, progress=lambda _, remaining, total: moved(total - remaining, total)
                )
                written.execute("PRAGMA journal_mode = DELETE").fetchone()  # one file, without a log beside it
                problem = written.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise NoBackupError(f"{source} cannot be copied: {cause_of(error)}") from None
    if problem != "ok":
        raise NoBackupError(f"{source} is damaged: {' '.join(str(problem).split())}")


def _must_be_empty(url: URL) -> None:
    engine = engine_of(url)
    try:
        if inspect(engine).get_table_names():
            raise unusable_url(url, "it holds tables already; name an empty database")
    finally:
        engine.dispose()


def _run(url: URL, command: Sequence[str]) -> None:
    """Run a program of PostgreSQL on the database at a URL, without the password among its arguments."""
    if shutil.which(command[0]) is None:
        raise NoBackupError(f"{command[0]} is missing: install the client programs of PostgreSQL")
    if "sslpassword" in url.query:
        raise NoBackupError(
            f"{command[0]} takes a sslpassword as an argument only, which others see: use a key without one"
        )
    bare_url = url.set(drivername="postgresql", password=None).difference_update_query([OPTION, "password"])
    bare = bare_url.render_as_string()
    arguments = [f"--dbname={bare}" if argument == "--dbname=" else argument for argument in command]
    if not any(argument.startswith("--dbname=") for argument in arguments):
        arguments.append(f"--dbname={bare}")
    try:
        file = url.query.get(OPTION)
        password = url.query.get("password", url.password) if file is None else password_in(str(file))
    except ValueError as error:
        raise StoreFailedError(str(error)) from None
    environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise StoreFailedError(" ".join(done.stderr.split()) or f"{command[0]} ended with exit code {done.returncode}")
