"""Moves a store from SQLite to PostgreSQL, table by table in the order of keys, so that a move can be resumed. The
number and the hash of the rows of each table are verified."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Table,
    Text,
    collate,
    delete,
    insert,
    inspect,
    literal,
    select,
    tuple_,
)
from sqlalchemy import table as named

from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.migration import MOVE, VERSIONS
from newsspider.store.engine.statement import Statement
from newsspider.store.maintenance.disk_space import row_count
from newsspider.store.tables import batch_jobs, metadata, search, search_entries

ROWS_AT_ONCE = 2000  # rows in a transaction; pages are long
LONG_AT_ONCE = 100
LONG_ROWS = frozenset({"snapshots", "articles", "revisions", "held_articles"})
DERIVED = frozenset({search_entries.name, batch_jobs.name})  # rebuilt at the end

Moved = Callable[[int], object]  # called after each batch with its number of rows


class MoveError(ValueError):
    """A store cannot be moved; the text is one sentence for people."""


class StoreMove:
    """A move from one store to another. The source must not change meanwhile."""

    def __init__(self, source: Engine, target: Engine) -> None:
        if (source.dialect.name, target.dialect.name) != ("sqlite", "postgresql"):
            raise MoveError("a store is moved from SQLite to PostgreSQL")
        self.source, self.target = source, target
        self.tables = [table for table in metadata.sorted_tables if table.name not in DERIVED]

    def begin(self, now: float) -> int:
        """Mark the target as incomplete; returns how many rows it has from an earlier try.

        Raises :exc:`MoveError` if the source is in use or has tables of a feature or plug-in that is switched off, or
        the target holds anything else.
        """
        name = self.source.url.database
        with reading(self.source) as conn:
            if conn.exec_driver_sql("SELECT count(*) FROM urls WHERE state = 'processing'").scalar():
                raise MoveError("pages are under way in it; end its crawls first")
            if unknown := _unknown(conn):
                whose = "of a feature or plug-in that is switched off"
                raise MoveError(f"it has rows in {', '.join(unknown)}, {whose}; switch it on (see FEATURES)")
        with writing(self.target) as conn:
            marks = conn.execute(select(batch_jobs.c.arguments).where(batch_jobs.c.kind == MOVE)).scalars().all()
            rows = sum(row_count(conn, table) for table in self.tables)
            if marks and marks[0] != name:
                raise MoveError(f"the target holds an unfinished move of {marks[0]}")
            if rows and not marks:
                raise MoveError("the target holds a store already; name an empty database")
            if not marks:
                conn.execute(insert(batch_jobs).values(kind=MOVE, arguments=name, last_id=0, began_at=now))
        return rows

    def total(self) -> int:
        """The number of rows to move."""
        with reading(self.source) as conn:
            return sum(row_count(conn, table) for table in self.tables)

    def copy(self, moved: Moved = lambda rows: None) -> None:
        """Copy the rows that the target does not have yet."""
        with reading(self.source) as conn:
            for table in self.tables:
                for rows in self._missing(conn, table):
                    with writing(self.target) as into:
                        into.execute(insert(table), rows)
                    moved(len(rows))

    def finish(self, now: float) -> None:
        """Verify the copy, and complete the target: new rows get numbers after the old ones, its search index begins.

        Raises :exc:`MoveError` if a table differs, as the source has changed meanwhile.
        """
        for table in self.tables:  # in turn: the server ends a transaction that is idle for long
            if _digest(self.source, table) != _digest(self.target, table):
                raise MoveError(f"{table.name} differs, as the source changed; empty the target and begin again")
        with reading(self.source) as conn:
            jobs = [dict(row._mapping) for row in conn.execute(select(batch_jobs)) if row.kind != search.REINDEX]
            numbered = {row.name: int(row.seq) for row in conn.exec_driver_sql("SELECT name, seq FROM sqlite_sequence")}
        with writing(self.target) as conn:
            conn.execute(delete(batch_jobs))
            if jobs:
                conn.execute(insert(batch_jobs), jobs)
            for table in metadata.sorted_tables:
                column = table.autoincrement_column
                if column is not None:
                    last = f"(SELECT GREATEST(max({column.name}), :numbered) + 1 FROM {table.name})"
                    sequence = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
                    setting = Statement(f"SELECT setval({sequence}, {last}, false)")
                    setting.run(conn, {"numbered": numbered.get(table.name, 0)})  # the last rows may be deleted
            search.start_again(conn, now)

    def _missing(self, conn: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
        """The rows after the last one of the target, in batches."""
        columns, order = _columns(table), _order(table)
        with reading(self.target) as into:
            backwards = [_binary(into, key).desc() for key in order]
            newest = into.execute(select(*order).order_by(*backwards).limit(1)).first()
        last = None if newest is None else tuple(newest)
        count = LONG_AT_ONCE if table.name in LONG_ROWS else ROWS_AT_ONCE
        while True:
            query = select(*columns).order_by(*order).limit(count)
            rows = conn.execute(query if last is None else query.where(tuple_(*order) > tuple_(*last))).all()
            if not rows:
                return
            yield [dict(row._mapping) for row in rows]
            last = tuple(rows[-1]._mapping[key.name] for key in order)


def _unknown(conn: Connection) -> list[str]:
    """The tables with rows that nothing declares, those of the migrations and of the search index aside."""
    names = inspect(conn).get_table_names()
    others = (name for name in names if name not in {*metadata.tables, VERSIONS} and not name.startswith(search.NAMES))
    return [name for name in others if conn.execute(select(literal(1)).select_from(named(name)).limit(1)).first()]


def _columns(table: Table) -> list[ColumnElement[Any]]:
    """The written columns, without those that the database computes."""
    return [column for column in table.columns if column.computed is None]


def _order(table: Table) -> list[Any]:
    return list(table.primary_key)


def _binary(conn: Connection, column: Any) -> Any:
    """A column, compared byte by byte on both databases."""
    return collate(column, "C") if conn.dialect.name == "postgresql" and isinstance(column.type, Text) else column


def _digest(engine: Engine, table: Table) -> tuple[int, str]:
    """The number of rows of a table and a hash of all their values, in the order of their keys."""
    count, hashed = 0, hashlib.sha256()
    with reading(engine) as conn:
        order = [_binary(conn, key) for key in _order(table)]
        for row in conn.execution_options(yield_per=ROWS_AT_ONCE).execute(select(*_columns(table)).order_by(*order)):
            count += 1
            hashed.update(_bytes(row))
    return count, hashed.hexdigest()


def _bytes(row: Row[Any]) -> bytes:
    return repr([_as_stored(value) for value in row]).encode()


def _as_stored(value: Any) -> Any:
    """A value as PostgreSQL stores it: see :func:`newsspider.store.engine.postgresql.set_up`."""
    if isinstance(value, memoryview | bytearray):
        return bytes(value)
    return value.encode("utf-8", "replace").replace(b"\0", b"").decode() if isinstance(value, str) else value
