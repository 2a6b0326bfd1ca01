"""Named jobs: under each name only one runs at a time, whoever starts it. Also the progress of schedules."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection

from newsspider.store.engine.statement import Statement

LEASE_SECONDS = 30.0  # after this long without an extension by its holder a job may be started again
# The service that starts jobs; before the name of a job: how far its schedule has come. No run of a user is called so.
SCHEDULE = "schedule:"
SAME_TRIGGER_SECONDS = 60.0  # for this long after its start, another trigger of a job counts as the same one

_TAKE = Statement(
    """
    INSERT INTO jobs (name, holder, started_at, held_until) VALUES (:name, :holder, :now, :until)
    ON CONFLICT (name) DO UPDATE
    SET holder = excluded.holder, started_at = excluded.started_at, held_until = excluded.held_until
    WHERE jobs.held_until <= :now OR jobs.holder = :holder OR jobs.holder = :dead
    """
)
_HOLDER = Statement("SELECT holder, started_at, held_until, due_at FROM jobs WHERE name = :name")
_EXTEND = Statement("UPDATE jobs SET held_until = :until WHERE name = :name AND holder = :holder")
_RELEASE = Statement(
    """
    UPDATE jobs SET holder = NULL,
        held_until = CASE WHEN started_at + :quiet > :now THEN started_at + :quiet ELSE :now END
    WHERE name = :name AND holder = :holder
    """
)
_PUT_DUE = Statement(
    """
    INSERT INTO jobs (name, holder, started_at, held_until, due_at) VALUES (:name, :node, :now, 0, :due_at)
    ON CONFLICT (name) DO UPDATE
    SET holder = excluded.holder, started_at = excluded.started_at, due_at = excluded.due_at
    """
)


class Job(NamedTuple):
    """Who holds a job, since when and until when; the scheduled moment that was started last."""

    holder: str | None
    started_at: float
    held_until: float
    due_at: float | None


def job(conn: Connection, name: str) -> Job | None:
    """The job with this name; ``None`` if it was never started."""
    row = _HOLDER.run(conn, {"name": name}).first()
    return None if row is None else Job(*row)


def take(
    conn: Connection,
    name: str,
    holder: str,
    now: float,
    died: Callable[[str], bool] = lambda holder: False,
    seconds: float = LEASE_SECONDS,
) -> bool:
    """Take a job, unless another holder has it or it was started just now; a holder that ``died`` does not count."""
    row = job(conn, name)
    dead = row.holder if row and row.holder and died(row.holder) else None
    values = {"name": name, "holder": holder, "now": now, "until": now + seconds, "dead": dead}
    return _TAKE.change(conn, values) == 1


def extend(conn: Connection, name: str, holder: str, now: float, seconds: float = LEASE_SECONDS) -> bool:
    """Extend the hold on a job; ``False`` if another holder has it now."""
    return _EXTEND.change(conn, {"name": name, "holder": holder, "until": now + seconds}) == 1


def release(conn: Connection, name: str, holder: str, now: float, quiet: float = SAME_TRIGGER_SECONDS) -> None:
    """Release a job that has ended; it stays taken until ``quiet`` seconds after its start."""
    _RELEASE.change(conn, {"name": name, "holder": holder, "now": now, "quiet": quiet})


def put_due(conn: Connection, name: str, due_at: float, now: float, node: str | None = None) -> None:
    """Note the scheduled moment for which a job was started, and on which node."""
    _PUT_DUE.change(conn, {"name": name, "due_at": due_at, "now": now, "node": node})
