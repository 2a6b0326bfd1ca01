"""What an exception from the database means for its transaction: tried again, as the problem passes, or the store is
broken, or the job is at fault."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import DBAPIError

from newsspider.store.engine.postgresql import LOCKED

# SQLite's primary error codes and PostgreSQL's SQLSTATE classes of problems that pass, and of those that stay.
PASSING_SQLITE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
BROKEN_SQLITE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY})
# the connection is gone, or will be; the last one: it was idle in a transaction
LOST_SQLSTATES = ("08", "57P", "25P03")
CONFLICT_SQLSTATES = ("40",)  # two writers blocked each other
RACE_SQLSTATES = ("23503", "23505")  # another writer was faster: the next try sees its rows
PASSING_SQLSTATES = (*LOST_SQLSTATES, *CONFLICT_SQLSTATES, LOCKED)
BROKEN_SQLSTATES = ("25006", "53", "58", "XX")  # read-only, disk full, system error, corruption


class UnderWayError(Exception):
    """The server does not know yet whether a transaction was committed."""


@dataclass(frozen=True, slots=True)
class FailureVerdict:
    """Whether a problem passes by itself or means a broken store; neither: the job is at fault. And its kind."""

    passing: bool
    broken: bool = False
    lost: bool = False  # the connection
    conflict: bool = False
    race: bool = False
    index: bool = False  # only the search index is damaged, which can be emptied
    locked: bool = False  # somebody else writes the same rows: no problem of the store, however long it takes


def verdict_on(error: Exception, driver: Any) -> FailureVerdict:
    """What an exception of a transaction means; ``driver`` is the module of the database's driver."""
    if isinstance(error, UnderWayError):
        return FailureVerdict(True, lost=True)
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0)
        if code == sqlite3.SQLITE_CORRUPT_VTAB:
            return FailureVerdict(True, index=True)
        code &= 0xFF
        return FailureVerdict(code in PASSING_SQLITE, code in BROKEN_SQLITE)
    state = str(getattr(cause, "sqlstate", "") or "")
    if not state and isinstance(cause, driver.OperationalError | driver.InterfaceError):
        lost = True  # no server was there to send a code
    return FailureVerdict(
        lost or state.startswith(PASSING_SQLSTATES),
        state.startswith(BROKEN_SQLSTATES),
        lost or state.startswith(LOST_SQLSTATES),
        state.startswith(CONFLICT_SQLSTATES),
        state in RACE_SQLSTATES,
        locked=state == LOCKED,
    )
