"""The reference page of the tables, from their declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Index, Table

from newsspider.hooks import plugins
from newsspider.store.tables import metadata
from newsspider.store.tables.columns import Json, Moment, Number, Seconds
from newsspider.store.tables.views import VIEWS
from tools.markdown import NOTE, table

TABLES = """
The store is one database: SQLite in WAL mode, or PostgreSQL with the same tables. You may read it with any tool, also during a crawl;
write to it with the commands only. A store of an earlier release is upgraded when it is opened; one from before the first release is
refused.

A *key* is the signed 64-bit number of a canonical URL (`newsspider.core.url.url_key`); tables can be joined by their keys. A
*moment* is a number of seconds since the epoch (UTC), *JSON* a text that holds a list or an object, "empty" NULL or an empty text.
`published_at`, `modified_at` and `crawled_at` of articles are ISO 8601 with an offset.
"""
KINDS = (("moment", Moment), ("seconds", Seconds), ("number", Number), ("JSON", Json))


def tables_page() -> str:
    """Every table and view with its columns and indexes."""
    lines = [NOTE, f"# Tables\n{TABLES}"]
    of_features = {each.name: each for tables in plugins().hook.tables() for each in tables}
    of_base = (each for each in metadata.tables.values() if each.name not in of_features)
    for described in (*of_base, *of_features.values()):
        lines += _table(described)
    for view in VIEWS:
        lines += _view(" ".join(view.split()))
    return "\n".join(lines)


def _table(described: Table) -> Iterator[str]:
    keys = ", ".join(f"`{column.name}`" for column in described.primary_key)
    parents = sorted({f"`{key.column.table.name}`" for key in described.foreign_keys})
    yield f"## `{described.name}`\n"
    parents_text = f" Rows go with those of {' and '.join(parents)}." if parents else ""
    yield f"{described.info['meaning']} Primary key: {keys}.{parents_text}\n"
    yield from table(
        ("column", "type", "meaning"),
        [(f"`{column.name}`", _kind(column), column.doc or "") for column in described.columns],
    )
    indexes = [_index(index) for index in sorted(described.indexes, key=lambda index: str(index.name))]
    if indexes:
        yield f"Indexes: {'; '.join(indexes)}.\n"


def _kind(column: Column[Any]) -> str:
    named = next((name for name, kind in KINDS if column.type is kind), str(column.type.compile()).lower())
    named = {"float": "number", "bigint": "integer", "smallint": "integer", "blob": "bytes"}.get(named, named)
    return named + (" or empty" if column.nullable else "")


def _index(index: Index) -> str:
    columns = ", ".join(str(column).rpartition(".")[2] for column in index.expressions)
    where = index.info.get("where")
    return f"`{index.name}` ({columns}{'' if where is None else f'; where `{where}`'})"


def _view(sql: str) -> Iterator[str]:
    _, name, columns, _ = re.fullmatch(r"(CREATE VIEW (\w+) AS SELECT )(.*)( FROM .*)", sql).groups()
    parts = re.split(r", (?![^(]*\))", columns)
    meaning = (
        "The links of lists in full."
        if name == "links_of_lists"
        else "For users of the tables of classical focused crawlers."
    )
    yield f"## `{name}`\n\nA view. {meaning}\n"
    pairs = (part.rpartition(" AS ") for part in parts)
    rows = [(column.rpartition(".")[2].strip(chr(34)), source or column) for source, _, column in pairs]
    yield from table(("column", "is"), [(f"`{column}`", f"`{source}`") for column, source in rows])
