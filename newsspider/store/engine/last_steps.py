"""What a transaction does last: steps that writers take in turn, so that each sees what those before it did there, and
waits for no more of their work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from newsspider.store.engine.postgresql import hold

_PLACE = "newsspider_last_steps"


@contextmanager
def last_steps(conn: Connection) -> Iterator[None]:
    """The steps that are put off inside the block are done at its end, in their order; with it the transaction ends."""
    steps: list[Callable[[], object]] = []
    conn.info[_PLACE] = steps
    try:
        yield
    finally:
        del conn.info[_PLACE]
    if steps:
        hold(conn, _PLACE)
    for step in steps:
        step()


def put_off(conn: Connection, step: Callable[[], object]) -> None:
    """Do a step when the transaction ends; at once if nobody else writes meanwhile."""
    steps: list[Callable[[], object]] | None = conn.info.get(_PLACE)
    if steps is None:
        step()
    else:
        steps.append(step)
