"""Schema migration: creates or migrates the tables of a store, and refuses databases that cannot be migrated."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import URL, Connection, Engine, Table, inspect

from newsspider.core.text.tokenizer import RULES_VERSION
from newsspider.hooks import Derived, plugins
from newsspider.store.engine import postgresql
from newsspider.store.engine.errors import StoreUnusableError, unusable_url
from newsspider.store.engine.read_only import READING
from newsspider.store.tables import metadata, search
from newsspider.store.tables.runs import last_arguments
from newsspider.store.tables.views import VIEWS

VERSIONS = "alembic_version"
OUR_TABLES = frozenset({VERSIONS, "urls"})
MOVE = "move"  # the kind of a batch job that marks a store which `scrapy store move` has not copied completely yet

_REVISION = re.compile(r"\d{4}")  # Alembic names its own otherwise


def migrate(engine: Engine) -> None:
    """Create the tables of a new store, or migrate those of an older one. Only a migration loads Alembic, which takes
    11 MB."""
    head = revisions()[-1]
    with engine.connect() as conn:
        conn.execution_options(**{READING: True})
        has_tables = not _missing(conn)
        if has_tables and revision(conn) == head and all(derived.is_current(conn) for derived in _derived()):
            return
    with engine.begin() as conn:  # with the write lock: if two processes start at once, the second finds it done
        postgresql.allow_idle(conn)
        postgresql.keep_writers_out(conn)
        current = revision(conn)
        if current is not None and current > head:
            raise too_new(engine.url, current, head)
        if current is None:
            _create(conn, head)
        else:
            refuse_newer(conn)
            if current != head:
                _upgrade(conn)
        metadata.create_all(conn, tables=_missing(conn))
        for derived in _derived():
            if not derived.is_current(conn):
                derived.start_again(conn, 0)


def refuse_unknown(engine: Engine) -> None:
    """Refuse tables of another application and stores older than the first migration, and leave them untouched."""
    with engine.connect() as conn:
        tables = set(inspect(conn).get_table_names())
        current = revision(conn) or ""
    ours = tables >= OUR_TABLES and _REVISION.fullmatch(current)
    if tables - {VERSIONS} and not ours:
        raise unusable_url(
            engine.url, "it holds the tables of another application; name a database of its own for the store"
        )
    if ours and current < revisions()[0]:
        raise unusable_url(
            engine.url,
            f"it was made before the first release (revision {current}) and cannot be upgraded; name another database"
            " for a new store, and save the articles of this one with `scrapy export` of the version that made it",
        )


def refuse_unfinished(engine: Engine) -> None:
    """Refuse a store that ``scrapy store move`` has not copied completely: what is written to it would be lost."""
    with engine.connect() as conn:
        conn.execution_options(**{READING: True})
        mark = last_arguments(conn, MOVE)
    if mark is not None:
        raise unusable_url(engine.url, f"the move of {mark} to it is not finished; call scrapy store move again")


def revisions() -> list[str]:
    """The revisions of the migrations, in order."""
    return sorted(name.split("_")[0] for name in _names(_migrations() / "versions"))


def too_new(url: URL, current: str, head: str) -> StoreUnusableError:
    """The error for a store of a later revision than the newest one known."""
    return unusable_url(url, f"it was made by a newer newsspider: it has revision {current}, not {head}")


def refuse_newer(conn: Connection) -> None:
    """Refuse a store whose search index or events a newer newsspider built: they would be rebuilt."""
    for _, job, number, *_ in _derived():
        version = last_arguments(conn, job) or "0"
        if int(version.partition(".")[0]) > number:
            reason = f"it was made by a newer newsspider: its job {job} has version {version}, not {number}"
            raise unusable_url(conn.engine.url, reason)


def lack(conn: Connection) -> str:
    """What :func:`migrate` would add to a store of the newest revision, the search index aside; empty if nothing."""
    if missing := _missing(conn):
        return f"it lacks {', '.join(table.name for table in missing)}"
    older = [derived.name for derived in plugins().hook.derived() if not derived.is_current(conn)]
    return f"its {older[0]} are those of an older newsspider" if older else ""


def _derived() -> list[Derived]:
    """What is derived from the articles and built again by newer rules: the search index, and what plug-ins derive."""
    index = Derived("search index", search.REINDEX, RULES_VERSION, search.is_current, search.start_again)
    return [index, *plugins().hook.derived()]


def _create(conn: Connection, head: str) -> None:
    metadata.create_all(conn)
    for view in VIEWS:
        conn.exec_driver_sql(view)
    # as Alembic creates it
    conn.exec_driver_sql(f"CREATE TABLE IF NOT EXISTS {VERSIONS} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    conn.exec_driver_sql(f"INSERT INTO {VERSIONS} VALUES ('{head}')")


def _missing(conn: Connection) -> list[Table]:
    """The tables of plug-ins that a store lacks."""
    tables = [table for of_plugin in plugins().hook.tables() for table in of_plugin]
    stored = set(inspect(conn).get_table_names()) if tables else set()
    return [table for table in tables if table.name not in stored]


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


def revision(conn: Connection) -> str | None:
    """The revision of a database, ``None`` if it has none."""
    if not inspect(conn).has_table(VERSIONS):
        return None
    return conn.exec_driver_sql(f"SELECT version_num FROM {VERSIONS}").scalar()
