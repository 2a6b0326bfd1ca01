"""The set-up of PostgreSQL connections, and how several writers share one database there."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from newsspider.store.engine.password_file import OPTION, password_in

WRITERS_LOCK = 7_206_311  # any number: the advisory lock that PostgreSQL's writers share
# another: each writer holds a lock of this number and the last article number that was given when it began
NUMBERS_LOCK = 7_206_312
LAST_NUMBER = "(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM articles_id_seq)"
# a writer that is idle for this long within a transaction hangs, while others wait for its rows
IDLE_SECONDS = 30.0
LOCK_SECONDS = 10.0  # after waiting this long for a lock, a writer ends hanging ones and waits again
LOCKED = "55P03"  # SQLSTATE of a lock timeout
CONNECTION = {
    "connect_timeout": 10,
    "tcp_user_timeout": 20_000,  # ms: a network that is gone is noticed, on either side, in less than half a minute
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "options": "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=2",
    "application_name": "newsspider",
}
FUTURE = "22023"  # SQLSTATE of a question about a transaction whose number was not assigned yet
_END_SILENT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND backend_xid IS NOT NULL AND application_name = 'newsspider' AND wait_event = 'ClientRead'
    AND state_change < now() - make_interval(secs => %(seconds)s)
"""
READING: dict[str, Any] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def take_turn(conn: Connection, *, alone: bool = False) -> str | None:
    """Begin to write, beside other writers or ``alone``; returns the number of the transaction for
    :func:`was_committed`.

    On SQLite a writer is always alone, and there is no number. On PostgreSQL writers work side by side; after a
    deadlock the next try is made alone, so that it succeeds.
    """
    if conn.dialect.name != "postgresql":
        return None
    return str(conn.exec_driver_sql(f"SELECT {turn_columns(alone=alone)}").one().number)


def turn_columns(*, alone: bool) -> str:
    """The columns of a query that takes the turn, and tells others after which number its articles will come."""
    lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    numbers = f"pg_advisory_xact_lock_shared({NUMBERS_LOCK}, least({LAST_NUMBER}, {2**31 - 1})::int)"
    return f"{lock}({WRITERS_LOCK}), {numbers}, pg_current_xact_id()::text AS number"


def keep_writers_out(conn: Connection) -> None:
    """Begin to write alone in a database that may have no tables yet."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS_LOCK})")


def end_if_idle(conn: Connection, *, once: bool = False) -> None:
    """Have the server end a transaction of this connection (``once``: only the present one) that is idle for
    :data:`IDLE_SECONDS`. Otherwise a process that is stopped, or whose machine is suspended, would keep its locks for
    as long as its kernel answers for it."""
    if conn.dialect.name == "postgresql":
        scope = "LOCAL" if once else "SESSION"
        conn.exec_driver_sql(f"SET {scope} idle_in_transaction_session_timeout = {1000 * IDLE_SECONDS:.0f}")


def limit_lock_waits(conn: Connection, *, once: bool = False) -> None:
    """Have the server end each wait of this connection (``once``: of the present transaction) for a lock after
    :data:`LOCK_SECONDS`, with :data:`LOCKED`."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql(f"SET {'LOCAL' if once else 'SESSION'} lock_timeout = {1000 * LOCK_SECONDS:.0f}")


def restore_connection(conn: Connection) -> None:
    """Reset the settings of a connection before others use it."""
    if conn.dialect.name == "postgresql":
        with conn.begin():
            conn.exec_driver_sql("RESET ALL")


def allow_idle(conn: Connection) -> None:
    """Let this transaction be idle for as long as it takes: :func:`end_silent` does not end it."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql("SET LOCAL application_name = 'newsspider, migrating'")


def end_silent(conn: Connection) -> int:
    """End the transactions of other writers that were idle for :data:`IDLE_SECONDS`; returns how many there were.

    :func:`end_if_idle` alone does not suffice: the driver's pipelines send "flush" after "sync", and from then on the
    server waits for ever. Only transactions that write have a number; readers may take their time.
    """
    if conn.dialect.name != "postgresql":
        return 0
    return len(conn.exec_driver_sql(_END_SILENT, {"seconds": IDLE_SECONDS}).all())


def lock_name(conn: Connection, name: str) -> None:
    """Lock a name until this transaction ends; others who lock it wait. SQLite has only one writer anyway."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtextextended(%(name)s, 0))", {"name": name})


def try_lock_name(conn: Connection, name: str) -> bool:
    """The same without waiting: ``False`` if somebody else has locked the name."""
    if conn.dialect.name != "postgresql":
        return True
    result = conn.exec_driver_sql("SELECT pg_try_advisory_xact_lock(hashtextextended(%(name)s, 0))", {"name": name})
    return bool(result.scalar())


def was_committed(conn: Connection, transaction: str) -> bool | None:
    """Whether a transaction whose answer got lost was committed; ``None``: it is still in progress."""
    try:
        with conn.begin_nested():
            status = conn.exec_driver_sql("SELECT pg_xact_status(%(number)s::xid8)", {"number": transaction}).scalar()
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) == FUTURE:
            return False  # the server was killed, and the transaction never reached its disk
        raise
    return None if status == "in progress" else status == "committed"


def read_password(dialect: Any, _record: object, _arguments: object, values: dict[str, Any]) -> None:
    """Take the password of a new connection from the file that the URL names."""
    file = values.pop(OPTION, None)
    if file is not None:
        try:
            values["password"] = password_in(file)
        except ValueError as error:  # somebody may be replacing the file just now
            raise dialect.loaded_dbapi.OperationalError(str(error)) from None


def set_up(dbapi_connection: Any, _record: object) -> None:
    """Prepare a new connection of the driver."""
    from psycopg.adapt import Dumper

    class Text(Dumper):
        """Text without what PostgreSQL cannot store: NUL is removed, a lone surrogate becomes a question mark."""

        def dump(self, obj: str) -> bytes:
            return obj.encode("utf-8", "replace").replace(b"\0", b"")

    dbapi_connection.adapters.register_dumper(str, Text)
