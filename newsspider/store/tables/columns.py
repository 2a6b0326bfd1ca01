"""The metadata of all tables, and the column types and indexes that differ between SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Index, Integer, MetaData, text

metadata = MetaData()

Key = BigInteger().with_variant(Integer(), "sqlite")  # INTEGER PRIMARY KEY is SQLite's own row number: no second tree
Priority = BigInteger().with_variant(Integer(), "sqlite")  # where every integer has 64 bits


def partial_index(name: str, *columns: ColumnElement[Any], where: str) -> None:
    """Adds an index of the rows that meet the condition."""
    Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))
