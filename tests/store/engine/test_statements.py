"""Every statement of the package is one on PostgreSQL, too: its server knows the columns, the types and the functions."""

import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import psycopg
from sqlalchemy import Engine

import newsspider
from newsspider.store.engine.statement import Inserts, Statement
from tests.support.servers import MIGRATED, Postgres

PLACE = re.compile(r"%\((\w+)\)s")
FEWEST = 300
ON_SQLITE_ALONE = re.compile("PRAGMA|search_index")
UNTYPED = psycopg.errors.IndeterminateDatatype, psycopg.errors.AmbiguousParameter  # of a value, whose type the driver tells


def statements() -> dict[int, Statement | Inserts]:
    """Those of all modules, also in their tables and classes."""
    found: dict[int, Statement | Inserts] = {}
    for module in walk_packages(newsspider.__path__, "newsspider."):
        if ".migrations" not in module.name:
            found |= {id(value): value for value in within(vars(import_module(module.name)).values(), 3)}
    return found


def within(values: Any, depth: int) -> Iterator[Statement | Inserts]:
    for value in values:
        if isinstance(value, Statement | Inserts):
            yield value
        elif depth and isinstance(value, dict):
            yield from within(value.values(), depth - 1)
        elif depth and isinstance(value, list | tuple | set | frozenset):
            yield from within(value, depth - 1)
        elif depth and isinstance(value, type) and value.__module__.startswith("newsspider"):
            yield from within(vars(value).values(), depth - 1)


def test_every_statement_is_valid_on_postgresql(migrated: Postgres, never_written: Engine) -> None:
    errors = []
    every = statements()
    with never_written.connect() as conn, psycopg.connect(migrated.url(MIGRATED), autocommit=True) as server:
        for number, one in enumerate(every.values()):
            statement = one._on_postgresql(conn)[0] if isinstance(one, Inserts) else one
            sql, _ = statement._compiled_for(conn)
            names = list(dict.fromkeys(PLACE.findall(sql)))
            numbered = PLACE.sub(lambda place, names=names: f"${names.index(place[1]) + 1}", sql).replace("%%", "%")
            try:
                server.execute(f"PREPARE one{number} AS {numbered}".encode())
            except psycopg.Error as error:
                if not isinstance(error, UNTYPED) and not ON_SQLITE_ALONE.search(sql):
                    errors.append((str(error), sql))
    assert not errors, errors
    assert len(every) > FEWEST
