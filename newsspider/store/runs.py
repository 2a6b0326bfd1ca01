"""One row a run of a spider: when, with which arguments, how it ended, what it did."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select, update

from newsspider.store.tables import runs

DIED = "died"  # how a run ended whose process is gone and wrote nothing of it
_OPEN = runs.c.finished_at.is_(None)


def start_run(conn: Connection, spider: str, worker: str, arguments: Mapping[str, Any], now: float) -> int:
    """Write that a run began; returns its number."""
    row = {"spider": spider, "worker": worker, "arguments": _json(arguments), "started_at": now}
    key = conn.execute(insert(runs).values(row)).inserted_primary_key
    assert key is not None
    return int(key[0])


def finish_run(
    conn: Connection, worker: str, reason: str, now: float, figures: Mapping[str, Any] | None = None
) -> bool:
    """Write how the run of a worker ended; ``False`` if it has none that is open."""
    ended = {"finished_at": now, "reason": reason, "figures": _json(figures or {})}
    return conn.execute(update(runs).where(runs.c.worker == worker, _OPEN).values(ended)).rowcount > 0


def open_workers(conn: Connection) -> list[str]:
    """The workers of the runs of which nobody wrote how they ended."""
    told = select(runs.c.worker).where(_OPEN, runs.c.reason.is_(None)).distinct()
    return list(conn.execute(told).scalars())


def note_death(conn: Connection, worker: str) -> None:
    """Write of the open run of a worker that it died; when it did is not known."""
    conn.execute(update(runs).where(runs.c.worker == worker, _OPEN).values(reason=DIED))


def last_runs(conn: Connection, count: int) -> list[dict[str, Any]]:
    """The latest runs, newest first, ``arguments`` and ``figures`` as objects."""
    rows = conn.execute(select(runs).order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(count)).mappings()
    return [{**row, "arguments": json.loads(row["arguments"]), "figures": json.loads(row["figures"])} for row in rows]


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, default=str, sort_keys=True)
