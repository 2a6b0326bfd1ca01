"""SQL statements that are compiled once per dialect and then run without SQLAlchemy's overhead per call."""

from __future__ import annotations

import json
import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, text
from sqlalchemy.exc import MultipleResultsFound, NoResultFound

LONGEST_LIST = 480  # a sitemap has 50,000 URLs, SQLite takes 32,766 parameters
ROWS_AT_ONCE = 1000  # rows of values built and inserted together: those of a whole sitemap take 70 MB
READ_AT_ONCE = 10_000  # of a whole table
LEAST_KEY = -(2**63)  # no key is below: they are signed numbers of 64 bits
KEYS_PADDING = 16  # lists of keys are filled up to a multiple: the driver's cache holds the few distinct statements

_LISTS = re.compile(r"IN \(:k0\b[^)]*\)")
_LOCKS = re.compile(r"\[([A-Z].*?)\]", re.DOTALL)  # '[]' is an empty list in JSON
_NAMES = re.compile(r":([a-z]\w*)")
_VALUES = re.compile(r"VALUES\s*\((.*?)\)", re.DOTALL)
_NUL = "\\u0000"  # as JSON writes it; PostgreSQL cannot hold it

T = TypeVar("T")
Parameters = Callable[[Mapping[str, Any]], Any]  # values as the driver wants them


class Rows(list[Any]):
    """The fetched rows of a query, as named tuples; its methods are much like those of SQLAlchemy's results."""

    __slots__ = ()

    def all(self) -> list[Any]:
        """Every row."""
        return self

    def first(self) -> Any:
        """The first row; ``None`` if there is none."""
        return self[0] if self else None

    def first_as_dict(self) -> dict[str, Any] | None:
        """The first row by its columns; ``None`` if there is none."""
        return self[0]._asdict() if self else None

    def one(self) -> Any:
        """The only row; raises an exception if there is none, or more than one."""
        if len(self) == 1:
            return self[0]
        raise MultipleResultsFound("more than one row") if self else NoResultFound("no row")

    def scalar(self) -> Any:
        """The first value of the first row; ``None`` if there is none."""
        return self[0][0] if self else None


class Statement:
    """SQL with ``:name`` parameters, for code that runs once a page.

    The text must be valid for both SQLite and PostgreSQL; values are numbers, text, bytes and ``None``. Words in square
    brackets, the first with a capital letter, are for PostgreSQL only: they lock rows, which SQLite with its one writer
    need not. A list of keys is ``IN (:k0, ...)`` for SQLite and one array ``:keys`` for PostgreSQL, where it takes half
    the time.

    The methods raise the driver's own errors.
    """

    __slots__ = ("_compiled", "_row", "_sql")

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._row: Callable[[Iterable[Any]], Any] | None = None  # the named tuple of its columns
        self._compiled: dict[str, tuple[str, Parameters]] = {}

    def run(self, conn: Connection, values: Mapping[str, Any]) -> Rows:
        """The rows of one execution."""
        return self._fetched(self._executed(conn, values))

    def run_each(self, conn: Connection, rows: Sequence[Mapping[str, Any]]) -> list[Rows]:
        """The rows of one execution for each row of values."""
        if len(rows) < 2 or conn.dialect.name != "postgresql":
            return [self.run(conn, values) for values in rows]
        sql, parameters = self._compiled_for(conn)
        cursor: Any = conn.connection.cursor()
        cursor.executemany(sql, list(map(parameters, rows)), returning=True)  # one round trip
        results = [self._fetched(cursor)]
        while cursor.nextset():
            results.append(self._fetched(cursor))
        return results

    def bare(self, conn: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """The rows of one execution as the driver returns them: for very many rows."""
        return list(self._executed(conn, values).fetchall())

    def change(self, conn: Connection, values: Mapping[str, Any]) -> int:
        """Execute it once; returns how many rows it changed."""
        return int(self._executed(conn, values).rowcount)

    def change_many(self, conn: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
        """Execute it for each row of values; returns how many rows it changed in all."""
        if not rows:
            return 0
        sql, parameters = self._compiled_for(conn)
        cursor = conn.connection.cursor()
        cursor.executemany(sql, list(map(parameters, rows)))
        return int(cursor.rowcount)

    def _executed(self, conn: Connection, values: Mapping[str, Any]) -> Any:
        """The cursor that executed it; both drivers close a cursor that is no longer referenced."""
        sql, parameters = self._compiled_for(conn)
        cursor = conn.connection.cursor()
        cursor.execute(sql, parameters(values))
        return cursor

    def _fetched(self, cursor: Any) -> Rows:
        rows = cursor.fetchall()
        if rows and self._row is None:
            columns = [column[0] for column in cursor.description or ()]
            row_type: Any = namedtuple("Row", columns, rename=True)  # type: ignore[misc]
            self._row = row_type._make
        return Rows(map(self._row, rows)) if self._row else Rows()

    def _compiled_for(self, conn: Connection) -> tuple[str, Parameters]:
        dialect = conn.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            server = dialect.name == "postgresql"
            sql = _LISTS.sub("= ANY(:keys)", self._sql) if server else self._sql
            sql = _LOCKS.sub(r"\1" if server else "", sql)
            query = text(sql).compile(dialect=dialect)
            parameters = _in_order(query.positiontup or ()) if query.positional else dict
            compiled = self._compiled[dialect.name] = (str(query), parameters)
        return compiled


def pipelined(conn: Connection) -> AbstractContextManager[Any]:
    """Changes inside the block whose results nobody reads take one round trip to PostgreSQL."""
    driver: Any = conn.connection
    return driver.pipeline() if conn.dialect.name == "postgresql" else nullcontext()


class Inserts:
    """An ``INSERT ... VALUES (:name, ...)`` for many rows of values.

    SQLite executes it once a row; PostgreSQL once for all rows, passed as one JSON text, in a third of the time. There
    the types are those of the table's columns of the same names. The methods raise the driver's own errors.
    """

    __slots__ = ("_for_all", "_for_one", "_sql", "_table")

    def __init__(self, sql: str, table: Table) -> None:
        self._sql, self._table = sql, table
        self._for_one = Statement(sql)
        self._for_all: tuple[Statement, Statement] | None = None

    def change(self, conn: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
        """Insert them, in this order; returns how many rows that changed in all."""
        if conn.dialect.name != "postgresql":
            return self._for_one.change_many(conn, rows)
        return self._on_postgresql(conn)[0].change(conn, {"rows": self._json(rows)}) if rows else 0

    def inserted_keys(self, conn: Connection, rows: Sequence[Mapping[str, Any]]) -> set[Any]:
        """Insert them; returns the ``key`` of each that was not there."""
        if conn.dialect.name != "postgresql":  # nobody else writes meanwhile
            keys = dict.fromkeys(values["key"] for values in rows)
            known = rows_among(conn, f"SELECT key FROM {self._table.name} WHERE key IN ({{keys}})", keys)
            self.change(conn, rows)
            return keys.keys() - {row.key for row in known}
        inserted = self._on_postgresql(conn)[1].run(conn, {"rows": self._json(rows)}) if rows else []
        return {row.key for row in inserted}

    def _on_postgresql(self, conn: Connection) -> tuple[Statement, Statement]:
        """The statement that inserts all rows, and the one that also returns their keys."""
        if self._for_all is None:
            names = dict.fromkeys(_NAMES.findall(self._sql))
            columns = ", ".join(f"{name} {self._table.c[name].type.compile(conn.dialect)}" for name in names)
            source = f"FROM json_to_recordset(CAST(:rows AS json)) AS v ({columns})"
            whole = _NAMES.sub(r"v.\1", _VALUES.sub(r"SELECT \1 ", self._sql))
            insert, on_conflict, action = whole.partition("ON CONFLICT")
            whole = f"{insert} {source} {on_conflict}{action}"
            self._for_all = Statement(whole), Statement(f"{whole} RETURNING key")
        return self._for_all

    @staticmethod
    def _json(rows: Sequence[Mapping[str, Any]]) -> str:
        written = json.dumps(rows, ensure_ascii=False, allow_nan=False)
        if _NUL in written:
            clean = [{name: _without_nul(value) for name, value in values.items()} for values in rows]
            written = json.dumps(clean, ensure_ascii=False, allow_nan=False)
        return written


def _without_nul(value: Any) -> Any:
    return value.replace("\0", "") if isinstance(value, str) else value


def _in_order(names: Sequence[str]) -> Parameters:
    """Puts values in the order of the question marks."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple([values[name] for name in names])


def batched(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The values in order, in slices of ``size``.

    >>> list(batched([1, 2, 3], 2))
    [[1, 2], [3]]
    """
    for start in range(0, len(values), size):
        yield values[start : start + size]


def statement_among(sql: str, keys: Iterable[int | str]) -> tuple[Statement, dict[str, Any]]:
    """The statement with a list of the length of ``keys`` for ``{keys}`` in ``sql``, and the values of that list.

    ``keys`` must not be empty; the list is padded with its last key. For many keys see :func:`rows_among`.
    """
    listed = list(keys)
    filled = listed + listed[-1:] * (-len(listed) % KEYS_PADDING)
    return _listed(sql, len(filled)), {"keys": listed, **{f"k{n}": key for n, key in enumerate(filled)}}


def rows_among(
    conn: Connection, sql: str, keys: Iterable[int | str], values: Mapping[str, Any] | None = None
) -> list[Any]:
    """The rows of a query with a list ``{keys}`` of any length."""
    all_keys = list(keys)
    rows: list[Any] = []
    for start in range(0, len(all_keys), LONGEST_LIST):
        statement, list_values = statement_among(sql, all_keys[start : start + LONGEST_LIST])
        rows += statement.run(conn, {**list_values, **(values or {})})
    return rows


def in_order(conn: Connection, statement: Statement) -> Iterator[Sequence[tuple[Any, ...]]]:
    """The rows of a statement with ``:after`` and ``:count`` that is ordered by its first column, in batches."""
    after = LEAST_KEY
    while rows := statement.bare(conn, {"after": after, "count": READ_AT_ONCE}):
        yield rows
        after = rows[-1][0]


@lru_cache(maxsize=256)  # cache: statements of SQL, by their number of keys
def _listed(sql: str, count: int) -> Statement:
    return Statement(sql.replace("{keys}", ", ".join(f":k{n}" for n in range(count))))
