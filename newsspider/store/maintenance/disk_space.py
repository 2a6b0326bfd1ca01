"""The rows and bytes of each table of a store; vacuum gives the space of deleted rows back to the disk."""

from __future__ import annotations

from contextlib import closing
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Table, func, select

from newsspider.store.engine.errors import StoreFailedError, cause_of, url_without_passwords
from newsspider.store.tables import metadata
from newsspider.store.tables.search import NAMES

SEARCH_INDEX = "search index"
_PAGES = "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s LEFT JOIN sqlite_master m ON m.name = s.name GROUP BY 1"
_RELATIONS = """
    SELECT relname, pg_total_relation_size(oid) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    """
_TOTAL = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    "postgresql": "SELECT pg_database_size(current_database())",
}


class Size(NamedTuple):
    """The size of one table with its indexes."""

    table: str
    rows: int
    bytes: int


def table_sizes(conn: Connection) -> list[Size]:
    """The sizes of the non-empty tables, the largest first. On SQLite the whole file is read."""
    query = _PAGES if conn.dialect.name == "sqlite" else _RELATIONS
    bytes_of: dict[str, int] = {}
    for name, count in conn.exec_driver_sql(query):
        owner = SEARCH_INDEX if str(name).startswith(NAMES) else name
        bytes_of[owner] = bytes_of.get(owner, 0) + int(count)
    rows: dict[str, int] = {}
    for table in metadata.sorted_tables:
        rows[table.name] = row_count(conn, table)
    rows[SEARCH_INDEX] = rows["search_entries"]
    filled = [Size(owner, rows[owner], count) for owner, count in bytes_of.items() if rows.get(owner)]
    return sorted(filled, key=lambda size: -size.bytes)


def row_count(conn: Connection, table: Table) -> int:
    """How many rows a table has."""
    return int(conn.execute(select(func.count()).select_from(table)).scalar_one())


def total_bytes(conn: Connection) -> int:
    """How many bytes the database takes, without its log."""
    return int(conn.exec_driver_sql(_TOTAL[conn.dialect.name]).scalar_one())


def vacuum_store(engine: Engine) -> None:
    """Give the space of deleted rows back; raises :exc:`StoreFailedError` if the store is in use."""
    driver: Any = engine.dialect.loaded_dbapi
    try:
        with closing(engine.raw_connection()) as borrowed:
            conn: Any = borrowed.driver_connection
            if engine.dialect.name == "sqlite":
                conn.execute("VACUUM").close()
            else:
                conn.autocommit = True  # it is no part of a transaction
                conn.execute("VACUUM (ANALYZE)")
                conn.autocommit = False
    except driver.Error as error:
        raise StoreFailedError(
            f"the store {url_without_passwords(engine.url)} cannot be vacuumed: {cause_of(error)}"
        ) from None
