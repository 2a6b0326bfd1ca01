"""Steps deferred to the end of a transaction. Writers run theirs one after another, so that each sees the results of
the others and waits for nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from newsspider.store.engine.postgresql import lock_name

_INFO_KEY = "newsspider_deferred_steps"


@contextmanager
def deferred_steps(conn: Connection) -> Iterator[None]:
    """Run the steps deferred inside the block at its end, in order; the transaction must end right after the block."""
    steps: list[Callable[[], object]] = []
    info = conn.info  # a lost connection has none to ask for at the end
    info[_INFO_KEY] = steps
    try:
        yield
    finally:
        info.pop(_INFO_KEY, None)
    if steps:
        lock_name(conn, _INFO_KEY)
    for step in steps:
        step()


def defer(conn: Connection, step: Callable[[], object]) -> None:
    """Run a step at the end of the transaction; outside :func:`deferred_steps`, where nobody else writes, at once."""
    steps: list[Callable[[], object]] | None = conn.info.get(_INFO_KEY)
    if steps is None:
        step()
    else:
        steps.append(step)
