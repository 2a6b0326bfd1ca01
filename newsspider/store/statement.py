"""One SQL statement, compiled once a dialect and then run without SQLAlchemy's work a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, text
from sqlalchemy.engine import CursorResult

LONGEST_LIST = 480  # a sitemap has 50,000 URLs, SQLite takes 32,766 parameters
PADDING = 16  # lists of keys are filled up to a multiple: few distinct statements, so the driver's cache holds them


class Statement:
    """SQL with ``:name`` parameters, for the paths that run once a page.

    The text must be good for SQLite and PostgreSQL alike; values are numbers, text, bytes and ``None``.
    """

    __slots__ = ("_compiled", "_sql")

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._compiled: dict[str, tuple[str, tuple[str, ...] | None]] = {}

    def run(self, conn: Connection, values: Mapping[str, Any]) -> CursorResult[Any]:
        """Execute it once, for its rows."""
        sql, names = self._for(conn)
        return conn.exec_driver_sql(sql, _values(names, values))

    def change(self, conn: Connection, values: Mapping[str, Any]) -> int:
        """Execute it once; how many rows it changed. Errors are the driver's own."""
        sql, names = self._for(conn)
        cursor = conn.connection.cursor()
        try:
            cursor.execute(sql, _values(names, values))
            return int(cursor.rowcount)
        finally:
            cursor.close()

    def change_many(self, conn: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
        """Execute it once a row of values; how many rows it changed in all. Errors are the driver's own."""
        if not rows:
            return 0
        sql, names = self._for(conn)
        cursor = conn.connection.cursor()
        try:
            cursor.executemany(sql, rows if names is None else [tuple([row[name] for name in names]) for row in rows])
            return int(cursor.rowcount)
        finally:
            cursor.close()

    def _for(self, conn: Connection) -> tuple[str, tuple[str, ...] | None]:
        dialect = conn.dialect
        found = self._compiled.get(dialect.name)
        if found is None:
            compiled = text(self._sql).compile(dialect=dialect)
            names = tuple(compiled.positiontup or ()) if compiled.positional else None
            found = self._compiled[dialect.name] = (str(compiled), names)
        return found


def _values(names: tuple[str, ...] | None, values: Mapping[str, Any]) -> Any:
    return dict(values) if names is None else tuple([values[name] for name in names])


def among(sql: str, keys: Iterable[int | str]) -> tuple[Statement, dict[str, Any]]:
    """The statement in which ``{keys}`` of ``sql`` is a list as long as ``keys``, and the values of that list.

    ``keys`` must not be empty; the list is filled up with its last key. For many keys see :func:`rows_among`.
    """
    filled = list(keys)
    filled += filled[-1:] * (-len(filled) % PADDING)
    return _listed(sql, len(filled)), {f"k{n}": key for n, key in enumerate(filled)}


def rows_among(
    conn: Connection, sql: str, keys: Iterable[int], values: Mapping[str, Any] | None = None
) -> list[Row[Any]]:
    """The rows of a query with a list ``{keys}``, however long, even empty."""
    wanted = list(keys)
    rows: list[Row[Any]] = []
    for start in range(0, len(wanted), LONGEST_LIST):
        statement, listed = among(sql, wanted[start : start + LONGEST_LIST])
        rows += statement.run(conn, {**listed, **(values or {})}).all()
    return rows


@lru_cache(maxsize=256)
def _listed(sql: str, count: int) -> Statement:
    return Statement(sql.replace("{keys}", ", ".join(f":k{n}" for n in range(count))))
