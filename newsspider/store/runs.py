"""The runs of spiders: when each began, with which arguments, how it ended, and its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, insert, select, update

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason, is_failure
from newsspider.store.jobs import SCHEDULE
from newsspider.store.tables import jobs, runs, workers

DIED = "died"  # the finish reason of a run whose process is gone without writing one
ALIVE_SECONDS = 60.0
FEWEST_FAILURES = 2  # of a job one after the other are told
RECENT_SECONDS = 30 * 86_400.0  # after which a job that did not run is no longer looked at
_OPEN = runs.c.finished_at.is_(None)


class JobRun(NamedTuple):
    """A run of a named job; one that goes on has no result."""

    started_at: float
    job_id: str  # of scrapyd; empty: something else started it
    result: str | None  # its finish reason, or "died"
    exit_code: int | None  # None: it died, or restarted at its limit of memory
    seconds: float | None
    last_line: str

    @property
    def failed(self) -> bool:
        return self.result == DIED or (self.exit_code is not None and is_failure(self.exit_code))

    @property
    def sentence(self) -> str:
        """How it ended, in one line.

        >>> JobRun(0.0, "", "refused", 2, 1.4, "there is no topic 'x'").sentence
        "refused, exit code 2, 1 s: there is no topic 'x'"
        """
        if self.result is None:
            return "runs now"
        code = "" if self.exit_code is None else f", exit code {self.exit_code}"
        took = "" if self.seconds is None else f", {self.seconds:.0f} s"
        return f"{self.result}{code}{took}{f': {self.last_line}' if self.last_line else ''}"


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


def running(conn: Connection, now: float) -> list[tuple[str, dict[str, Any]]]:
    """The worker and the arguments of each run that goes on: its worker said so, or began, within the last minute."""
    query = select(runs.c.worker, runs.c.arguments).outerjoin(workers, workers.c.worker == runs.c.worker)
    lately = (workers.c.seen_at > now - ALIVE_SECONDS) | (runs.c.started_at > now - ALIVE_SECONDS)
    rows = conn.execute(query.where(_OPEN, runs.c.reason.is_(None), lately).order_by(runs.c.id))
    return [(row.worker, json.loads(row.arguments)) for row in rows]


def note_death(conn: Connection, worker: str) -> None:
    """Note that the worker of an open run died, at an unknown moment."""
    conn.execute(update(runs).where(runs.c.worker == worker, _OPEN).values(reason=DIED))


def last_runs(conn: Connection, count: int) -> list[dict[str, Any]]:
    """The latest runs, newest first, ``arguments`` and ``figures`` as objects."""
    rows = conn.execute(select(runs).order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(count)).mappings()
    return [{**row, "arguments": json.loads(row["arguments"]), "figures": json.loads(row["figures"])} for row in rows]


def note_end(
    conn: Connection,
    spider: str,
    arguments: Mapping[str, Any],
    began: float,
    now: float,
    reason: str,
    exit_code: int | None,
    last_line: str,
) -> None:
    """Note how the process of a named job ended: in the row of its run, or in a new one if its crawl never began."""
    of_process = runs.c.arguments == _json(arguments), runs.c.started_at >= began
    row = conn.execute(select(runs).where(*of_process).order_by(runs.c.id.desc()).limit(1)).mappings().first()
    end = {"exit_code": exit_code, "last_line": last_line}
    if row is None:
        key = start_run(conn, spider, "", arguments, began)
        ended = {"finished_at": now, "reason": reason, "figures": _json(end)}
    else:
        key, figures = row["id"], {**json.loads(row["figures"]), **end}
        ended = {"finished_at": row["finished_at"] or now, "reason": row["reason"] or reason, "figures": _json(figures)}
    conn.execute(update(runs).where(runs.c.id == key).values(ended))


def of_job(conn: Connection, name: str, count: int, now: float) -> list[JobRun]:
    """The latest runs of a named job, newest first."""
    named = runs.c.arguments.contains(f'"job": {json.dumps(name, ensure_ascii=False)}', autoescape=True)
    order = runs.c.started_at.desc(), runs.c.id.desc()
    rows = conn.execute(select(runs).where(named).order_by(*order).limit(count)).mappings().all()
    held = conn.execute(select(jobs.c.holder).where(jobs.c.name == name, jobs.c.held_until > now)).scalar()
    return [_job_run(row, held) for row in rows]


def failing_jobs(conn: Connection, now: float) -> dict[str, JobRun]:
    """The last run of each named job whose last runs failed one after the other."""
    lately = select(jobs.c.name).where(jobs.c.started_at > now - RECENT_SECONDS).order_by(jobs.c.name)
    names = {name.removeprefix(SCHEDULE) for name in conn.execute(lately).scalars()} - {""}
    latest = {name: of_job(conn, name, FEWEST_FAILURES, now) for name in sorted(names)}
    return {
        name: job_runs[0]
        for name, job_runs in latest.items()
        if len(job_runs) == FEWEST_FAILURES and all(run.failed for run in job_runs)
    }


def _job_run(row: RowMapping, held: str | None) -> JobRun:
    figures, started_at, finished_at = json.loads(row["figures"]), row["started_at"], row["finished_at"]
    reason = row["reason"] or (None if held is not None and held == row["worker"] else DIED)
    code = figures.get(
        "exit_code", None if reason in (None, DIED, Finish.MEMORY) else ending_of_reason(reason).exit_code
    )
    seconds = None if finished_at is None else finished_at - started_at
    job_id = json.loads(row["arguments"]).get("_job", "")
    return JobRun(started_at, job_id, reason, code, seconds, figures.get("last_line", ""))


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, default=str, sort_keys=True)
