"""One SQL statement, compiled once a dialect and then run without SQLAlchemy's work a call."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import MultipleResultsFound, NoResultFound

LONGEST_LIST = 480  # a sitemap has 50,000 URLs, SQLite takes 32,766 parameters
PADDING = 16  # lists of keys are filled up to a multiple: few distinct statements, so the driver's cache holds them

_LISTS = re.compile(r"IN \(:k0\b[^)]*\)")
_LOCKS = re.compile(r"\[(.*?)\]", re.DOTALL)

Parameters = Callable[[Mapping[str, Any]], Any]  # values as the driver wants them


class Rows(list[Any]):
    """What a query found: named tuples, already fetched; the methods are those of SQLAlchemy's results."""

    __slots__ = ()

    def all(self) -> list[Any]:
        """Every row."""
        return self

    def first(self) -> Any:
        """The first row; ``None`` if there is none."""
        return self[0] if self else None

    def one(self) -> Any:
        """The only row; an exception if there is none, or another."""
        if len(self) == 1:
            return self[0]
        raise MultipleResultsFound("more than one row") if self else NoResultFound("no row")

    def scalar(self) -> Any:
        """The first value of the first row; ``None`` if there is none."""
        return self[0][0] if self else None


class Statement:
    """SQL with ``:name`` parameters, for the paths that run once a page.

    The text must be good for SQLite and PostgreSQL alike; values are numbers, text, bytes and ``None``. What stands in
    square brackets is only for PostgreSQL: it locks rows, which SQLite need not, for it has one writer at a time. A list of
    keys is ``IN (:k0, ...)`` for SQLite and one array ``:keys`` for PostgreSQL, where it takes half the time.
    """

    __slots__ = ("_compiled", "_row", "_sql")

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._row: Callable[[Iterable[Any]], Any] | None = None  # makes a named tuple of its columns
        self._compiled: dict[str, tuple[str, Parameters]] = {}

    def run(self, conn: Connection, values: Mapping[str, Any]) -> Rows:
        """Execute it once, for its rows. Errors are the driver's own."""
        sql, parameters = self._for(conn)
        cursor = conn.connection.cursor()
        try:
            cursor.execute(sql, parameters(values))
            rows = cursor.fetchall()
            if rows and self._row is None:
                made: Any = namedtuple("Row", [column[0] for column in cursor.description or ()], rename=True)  # type: ignore[misc]
                self._row = made._make
            return Rows(map(self._row, rows)) if self._row else Rows()
        finally:
            cursor.close()

    def change(self, conn: Connection, values: Mapping[str, Any]) -> int:
        """Execute it once; how many rows it changed. Errors are the driver's own."""
        sql, parameters = self._for(conn)
        cursor = conn.connection.cursor()
        try:
            cursor.execute(sql, parameters(values))
            return int(cursor.rowcount)
        finally:
            cursor.close()

    def change_many(self, conn: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
        """Execute it once a row of values; how many rows it changed in all. Errors are the driver's own."""
        if not rows:
            return 0
        sql, parameters = self._for(conn)
        cursor = conn.connection.cursor()
        try:
            cursor.executemany(sql, list(map(parameters, rows)))
            return int(cursor.rowcount)
        finally:
            cursor.close()

    def _for(self, conn: Connection) -> tuple[str, Parameters]:
        dialect = conn.dialect
        found = self._compiled.get(dialect.name)
        if found is None:
            server = dialect.name == "postgresql"
            sql = _LISTS.sub("= ANY(:keys)", self._sql) if server else self._sql
            sql = _LOCKS.sub(r"\1" if server else "", sql)
            compiled = text(sql).compile(dialect=dialect)
            parameters = _in_order(compiled.positiontup or ()) if compiled.positional else dict
            found = self._compiled[dialect.name] = (str(compiled), parameters)
        return found


def _in_order(names: Sequence[str]) -> Parameters:
    """Puts values in the order of the question marks."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple([values[name] for name in names])


def among(sql: str, keys: Iterable[int | str]) -> tuple[Statement, dict[str, Any]]:
    """The statement in which ``{keys}`` of ``sql`` is a list as long as ``keys``, and the values of that list.

    ``keys`` must not be empty; the list is filled up with its last key. For many keys see :func:`rows_among`.
    """
    wanted = list(keys)
    filled = wanted + wanted[-1:] * (-len(wanted) % PADDING)
    return _listed(sql, len(filled)), {"keys": wanted, **{f"k{n}": key for n, key in enumerate(filled)}}


def rows_among(
    conn: Connection, sql: str, keys: Iterable[int | str], values: Mapping[str, Any] | None = None
) -> list[Any]:
    """The rows of a query with a list ``{keys}``, however long, even empty."""
    wanted = list(keys)
    rows: list[Any] = []
    for start in range(0, len(wanted), LONGEST_LIST):
        statement, listed = among(sql, wanted[start : start + LONGEST_LIST])
        rows += statement.run(conn, {**listed, **(values or {})}).all()
    return rows


@lru_cache(maxsize=256)
def _listed(sql: str, count: int) -> Statement:
    return Statement(sql.replace("{keys}", ", ".join(f":k{n}" for n in range(count))))
