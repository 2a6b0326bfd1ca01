"""How many rows and bytes each table of a store takes."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, func, select, text

from newsspider.store.tables import metadata
from newsspider.store.tables.search import NAMES

SEARCH_INDEX = "search index"
_PAGES = "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s LEFT JOIN sqlite_master m ON m.name = s.name GROUP BY 1"
_RELATIONS = """
    SELECT relname, pg_total_relation_size(oid) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    """


class Size(NamedTuple):
    """What one table takes, with its indexes."""

    table: str
    rows: int
    bytes: int


def sizes(conn: Connection) -> list[Size]:
    """The tables that hold anything, the largest first. On SQLite the whole file is read."""
    query = _PAGES if conn.dialect.name == "sqlite" else _RELATIONS
    taken: dict[str, int] = {}
    for name, count in conn.execute(text(query)):
        owner = SEARCH_INDEX if str(name).startswith(NAMES) else name
        taken[owner] = taken.get(owner, 0) + int(count)
    rows: dict[str, int] = {}
    for table in metadata.sorted_tables:
        rows[table.name] = conn.execute(select(func.count()).select_from(table)).scalar_one()
    rows[SEARCH_INDEX] = rows["search_entries"]
    filled = [Size(owner, rows[owner], count) for owner, count in taken.items() if rows.get(owner)]
    return sorted(filled, key=lambda size: -size.bytes)
