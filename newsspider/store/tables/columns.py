"""The metadata of all tables, and functions that declare tables, columns and indexes, each with its meaning.

``docs/reference/tables.md`` is generated from these declarations.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    event,
    text,
)
from sqlalchemy.schema import SchemaItem

metadata = MetaData()

Key = BigInteger().with_variant(Integer(), "sqlite")  # INTEGER PRIMARY KEY is SQLite's own row number: no second tree
Priority = BigInteger().with_variant(Integer(), "sqlite")  # where every integer has 64 bits
Moment, Seconds, Number = Float(53), Float(53), Float(53)
Json = Text()


def table(name: str, meaning: str, *columns: SchemaItem, **options: Any) -> Table:
    """A table and its meaning."""
    return Table(name, metadata, *columns, info={"meaning": meaning}, **options)


def key(name: str, kind: Any, meaning: str, *more: SchemaItem, **options: Any) -> Column[Any]:
    """A column of the primary key, whose value the writer gives."""
    return Column(name, kind, *more, primary_key=True, autoincrement=False, doc=meaning, **options)


def required(name: str, kind: Any, meaning: str, default: Any = None, *more: SchemaItem, **options: Any) -> Column[Any]:
    """A column that is never NULL."""
    return Column(name, kind, *more, nullable=False, server_default=default, doc=meaning, **options)


def flag(name: str, meaning: str) -> Column[Any]:
    """A column that is false by default."""
    return required(name, Boolean, meaning, text("false"))


def optional(name: str, kind: Any, meaning: str, *more: SchemaItem) -> Column[Any]:
    """A column that may be NULL."""
    return Column(name, kind, *more, doc=meaning)


def index_where(name: str, *columns: ColumnElement[Any], where: str) -> None:
    """Add an index of the rows that meet the condition."""
    Index(name, *columns, info={"where": where})  # an option of a dialect would import that dialect


@event.listens_for(metadata, "before_create")
def _set_conditions(_: MetaData, conn: Connection, **options: Any) -> None:
    """Set the conditions of :func:`index_where` for the database of this connection."""
    for index in (index for created in options["tables"] for index in created.indexes if "where" in index.info):
        index.dialect_options[conn.dialect.name]["where"] = text(index.info["where"])
