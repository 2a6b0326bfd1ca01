"""The runs of spiders: when each began, with which arguments, how it ended, and its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select, update

from newsspider.store.tables import runs

DIED = "died"  # the finish reason of a run whose process is gone without writing one
_OPEN = runs.c.finished_at.is_(None)


def start_run(conn: Connection, spider: str, worker: str, arguments: Mapping[str, Any], now: float) -> int:
    """Note the start of a run; returns its number."""
    row = {"spider": spider, "worker": worker, "arguments": _json(arguments), "started_at": now}
    key = conn.execute(insert(runs).values(row)).inserted_primary_key
    assert key is not None
    return int(key[0])


def finish_run(
    conn: Connection, worker: str, reason: str, now: float, figures: Mapping[str, Any] | None = None
) -> bool:
    """Note the end of a worker's run; ``False`` if it has no open run."""
    ended = {"finished_at": now, "reason": reason, "figures": _json(figures or {})}
    return conn.execute(update(runs).where(runs.c.worker == worker, _OPEN).values(ended)).rowcount > 0


def open_workers(conn: Connection) -> list[str]:
    """The workers of runs without a noted end."""
    query = select(runs.c.worker).where(_OPEN, runs.c.reason.is_(None)).distinct()
    return list(conn.execute(query).scalars())


def note_death(conn: Connection, worker: str) -> None:
    """Note that the worker of an open run died, at an unknown moment."""
    conn.execute(update(runs).where(runs.c.worker == worker, _OPEN).values(reason=DIED))


def last_runs(conn: Connection, count: int) -> list[dict[str, Any]]:
    """The latest runs, newest first, ``arguments`` and ``figures`` as objects."""
    rows = conn.execute(select(runs).order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(count)).mappings()
    return [{**row, "arguments": json.loads(row["arguments"]), "figures": json.loads(row["figures"])} for row in rows]


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, default=str, sort_keys=True)
