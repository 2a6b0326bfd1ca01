"""What PostgreSQL needs of a connection, and how writers share one database there."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from newsspider.store.engine.password_file import OPTION, password_in

WRITERS = 7_206_311  # any number: the advisory lock that PostgreSQL's writers share
# another: each writer has a lock of this number and of the last number that an article had got when it began
NUMBERS = 7_206_312
LAST_NUMBER = "(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM articles_id_seq)"
# a writer that says nothing for so long within a transaction stands still, and others wait for its rows
IDLE_SECONDS = 30.0
LOCK_SECONDS = 10.0  # whoever waited so long for a lock looks for such a writer, and waits again
LOCKED = "55P03"  # SQLSTATE, of a wait for a lock that was long enough
CONNECTION = {
    "connect_timeout": 10,
    "tcp_user_timeout": 20_000,  # ms: a network that is gone is noticed, on either side, in less than half a minute
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "options": "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=2",
    "application_name": "newsspider",
}
FUTURE = "22023"  # SQLSTATE, of a question about a transaction with a number that no one has had yet
_END_SILENT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND backend_xid IS NOT NULL AND application_name = 'newsspider' AND wait_event = 'ClientRead'
    AND state_change < now() - make_interval(secs => %(seconds)s)
"""
READING: dict[str, Any] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def take_turn(conn: Connection, *, alone: bool = False) -> str | None:
    """Begin to write, beside other writers or ``alone``; the number of the transaction, by which :func:`was_committed`
    knows it.

    On SQLite whoever begins to write is alone, and there is no number. On PostgreSQL writers work side by side; where
    two of them got in each other's way (a deadlock), the next try is made alone, so that it comes to an end.
    """
    if conn.dialect.name != "postgresql":
        return None
    return str(conn.exec_driver_sql(f"SELECT {turn(alone=alone)}").one().number)


def turn(*, alone: bool) -> str:
    """The columns of a query that takes the turn, and lets others know behind which number its articles will come."""
    lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    numbers = f"pg_advisory_xact_lock_shared({NUMBERS}, least({LAST_NUMBER}, {2**31 - 1})::int)"
    return f"{lock}({WRITERS}), {numbers}, pg_current_xact_id()::text AS number"


def keep_writers_out(conn: Connection) -> None:
    """The same as to begin to write alone, where there may be no tables yet."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS})")


def end_if_idle(conn: Connection, *, once: bool = False) -> None:
    """Have the server end a transaction of this connection (``once``: only the present one) that says nothing for
    :data:`IDLE_SECONDS`: a process that is stopped, or whose machine sleeps, would else keep its locks for as long as
    its kernel answers for it."""
    if conn.dialect.name == "postgresql":
        scope = "LOCAL" if once else "SESSION"
        conn.exec_driver_sql(f"SET {scope} idle_in_transaction_session_timeout = {1000 * IDLE_SECONDS:.0f}")


def limit_lock_waits(conn: Connection) -> None:
    """Have the server end each wait of this connection for a lock after :data:`LOCK_SECONDS`, with :data:`LOCKED`."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql(f"SET lock_timeout = {1000 * LOCK_SECONDS:.0f}")


def restore(conn: Connection) -> None:
    """Make it a connection like any other again: it may be used by others next."""
    if conn.dialect.name == "postgresql":
        with conn.begin():
            conn.exec_driver_sql("RESET ALL")


def allow_idle(conn: Connection) -> None:
    """Let this transaction say nothing for as long as it takes, whoever waits: nobody ends it (:func:`end_silent`)."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql("SET LOCAL application_name = 'newsspider, migrating'")


def end_silent(conn: Connection) -> int:
    """End the transactions of other writers that said nothing for :data:`IDLE_SECONDS`; how many there were.

    What :func:`end_if_idle` asks for is no more than half of it: the driver's pipelines say "flush" after "sync", and
    from then on the server waits for ever. Only transactions that write have a number; who reads may take his time.
    """
    if conn.dialect.name != "postgresql":
        return 0
    return len(conn.exec_driver_sql(_END_SILENT, {"seconds": IDLE_SECONDS}).all())


def hold(conn: Connection, name: str) -> None:
    """Let nobody else who holds the same name go on before this transaction ends. SQLite has one writer anyway."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtextextended(%(name)s, 0))", {"name": name})


def hold_if_free(conn: Connection, name: str) -> bool:
    """The same, but nobody waits: ``False`` if somebody else holds the name."""
    if conn.dialect.name != "postgresql":
        return True
    found = conn.exec_driver_sql("SELECT pg_try_advisory_xact_lock(hashtextextended(%(name)s, 0))", {"name": name})
    return bool(found.scalar())


def was_committed(conn: Connection, transaction: str) -> bool | None:
    """Whether a transaction of PostgreSQL was committed whose answer got lost; ``None``: it is still under way."""
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
        except ValueError as error:  # it may be being replaced
            raise dialect.loaded_dbapi.OperationalError(str(error)) from None


def set_up(dbapi_connection: Any, _record: object) -> None:
    """Prepare a new connection of the driver."""
    from psycopg.adapt import Dumper

    class Text(Dumper):
        """Text without what PostgreSQL cannot hold: NUL is left out, a lone surrogate becomes a question mark."""

        def dump(self, obj: str) -> bytes:
            return obj.encode("utf-8", "replace").replace(b"\0", b"")

    dbapi_connection.adapters.register_dumper(str, Text)
