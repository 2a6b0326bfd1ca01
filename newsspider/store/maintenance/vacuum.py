"""Vacuum: gives the space of deleted rows back to the disk."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from sqlalchemy import Engine

from newsspider.store.engine.errors import StoreFailedError, cause, shown


def vacuumed(engine: Engine) -> None:
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
        raise StoreFailedError(f"the store {shown(engine.url)} cannot be vacuumed: {cause(error)}") from None
