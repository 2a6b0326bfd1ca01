"""Passes through the stored articles. The progress of a pass is committed with what it wrote, so a killed one can be
resumed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from newsspider.store.articles.export import NO_FILTERS, Filters
from newsspider.store.tables import articles, batch_jobs

REREAD, REGROUP = "reread", "regroup"  # kinds of a pass


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass through the articles up to ``last_id``, of which those up to ``after_id`` are done."""

    id: int
    kind: str
    arguments: str  # JSON, by its kind; a pass with other arguments is another pass
    after_id: int
    last_id: int
    figures: Counter[str]  # the number of articles by outcome

    @property
    def done(self) -> int:
        """How many articles are done."""
        return self.figures.total()


class OvertakenError(Exception):
    """Another process continues or ended this pass at the same time."""


def unfinished(conn: Connection, kind: str, arguments: str | None = None) -> Pass | None:
    """The unfinished pass of this kind, with these ``arguments`` if given; ``None`` if there is none."""
    query = (
        select(batch_jobs)
        .where(batch_jobs.c.kind == kind, batch_jobs.c.finished_at.is_(None))
        .order_by(batch_jobs.c.id)
    )
    row = conn.execute(query if arguments is None else query.where(batch_jobs.c.arguments == arguments)).first()
    return (
        None
        if row is None
        else Pass(row.id, kind, row.arguments, row.last_done_id, row.last_id, Counter(json.loads(row.figures)))
    )


def begin(conn: Connection, kind: str, arguments: str, now: float) -> Pass:
    """A new pass through all present articles; later ones are up to the crawls that store them."""
    last = conn.execute(select(func.max(articles.c.id))).scalar() or 0
    inserted = conn.execute(
        insert(batch_jobs).values(kind=kind, arguments=arguments, last_id=last, began_at=now).returning(batch_jobs.c.id)
    )
    return Pass(inserted.scalar_one(), kind, arguments, 0, last, Counter())


def begin_reread(conn: Connection, filters: Filters, now: float, *, restart: bool = False) -> Pass:
    """The unfinished reread with these filters, or a new one; ``restart`` gives up the unfinished one."""
    chosen = {name: value for name, value in asdict(filters).items() if value is not None}
    arguments = json.dumps(chosen, default=datetime.isoformat, ensure_ascii=False, sort_keys=True)
    run = unfinished(conn, REREAD, arguments)
    if run is not None and not restart:
        return run
    if run is not None:
        finish(conn, run, now)
    return begin(conn, REREAD, arguments, now)


def remaining(conn: Connection, run: Pass, filters: Filters = NO_FILTERS) -> int:
    """How many articles that match the filters it still has to process."""
    pending = articles.c.id > run.after_id, articles.c.id <= run.last_id
    return int(
        conn.execute(select(func.count()).select_from(articles).where(*pending, *filters.conditions())).scalar_one()
    )


def following(conn: Connection, run: Pass, count: int, filters: Filters = NO_FILTERS) -> Sequence[Any]:
    """The next rows of ``articles`` that it has to process."""
    query = filters.following(run.after_id, count).where(articles.c.id <= run.last_id)
    return conn.execute(query).mappings().all()


def advanced(conn: Connection, run: Pass, after_id: int, figures: Counter[str]) -> Pass:
    """The pass after some more articles, stored in the transaction that wrote them; raises :exc:`OvertakenError`."""
    next_pass = replace(run, after_id=after_id, figures=run.figures + figures)
    _note(conn, run, last_done_id=after_id, figures=json.dumps(next_pass.figures))
    return next_pass


def finish(conn: Connection, run: Pass, now: float) -> None:
    """Mark a pass as finished, or replaced by another one; raises :exc:`OvertakenError`."""
    _note(conn, run, finished_at=now)


def _note(conn: Connection, run: Pass, **values: Any) -> None:
    own = batch_jobs.c.id == run.id, batch_jobs.c.last_done_id == run.after_id, batch_jobs.c.finished_at.is_(None)
    if not conn.execute(update(batch_jobs).where(*own).values(values)).rowcount:
        raise OvertakenError
