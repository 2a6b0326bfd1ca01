"""Passes through the stored articles: how far one is stands beside what it wrote, so one that was killed goes on
there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from newsspider.store.articles.export import ALL, Filters
from newsspider.store.tables import articles, batch_jobs

REREAD, REGROUP = "reread", "regroup"  # kinds of a pass


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass through the articles up to ``last_id``, of which those up to ``after_id`` are done."""

    id: int
    kind: str
    asked: str  # JSON: what it does, as its kind tells it; another one asks for something else
    after_id: int
    last_id: int
    figures: Counter[str]  # what became of how many

    @property
    def done(self) -> int:
        """How many articles are done."""
        return self.figures.total()


class Overtaken(Exception):  # noqa: N818 -- reads as what it says
    """Somebody else goes on with this pass, or ended it, at the same time."""


def unfinished(conn: Connection, kind: str, asked: str | None = None) -> Pass | None:
    """The pass of this kind that was not finished, if there is one that was asked for that."""
    wanted = (
        select(batch_jobs)
        .where(batch_jobs.c.kind == kind, batch_jobs.c.finished_at.is_(None))
        .order_by(batch_jobs.c.id)
    )
    row = conn.execute(wanted if asked is None else wanted.where(batch_jobs.c.arguments == asked)).first()
    return (
        None
        if row is None
        else Pass(row.id, kind, row.arguments, row.last_done_id, row.last_id, Counter(json.loads(row.figures)))
    )


def begin(conn: Connection, kind: str, asked: str, now: float) -> Pass:
    """A new pass through all articles that there are; a crawl takes care of what it stores later."""
    last = conn.execute(select(func.max(articles.c.id))).scalar() or 0
    made = conn.execute(
        insert(batch_jobs).values(kind=kind, arguments=asked, last_id=last, began_at=now).returning(batch_jobs.c.id)
    )
    return Pass(made.scalar_one(), kind, asked, 0, last, Counter())


def begin_reread(conn: Connection, filters: Filters, now: float, *, restart: bool = False) -> Pass:
    """The reread with these filters that was not finished, or a new one; ``restart`` gives up the one that was not
    finished."""
    chosen = {name: value for name, value in asdict(filters).items() if value is not None}
    asked = json.dumps(chosen, default=datetime.isoformat, ensure_ascii=False, sort_keys=True)
    run = unfinished(conn, REREAD, asked)
    if run is not None and not restart:
        return run
    if run is not None:
        finish(conn, run, now)
    return begin(conn, REREAD, asked, now)


def left(conn: Connection, run: Pass, filters: Filters = ALL) -> int:
    """How many articles it has still before it, of those that the filters let through."""
    before = articles.c.id > run.after_id, articles.c.id <= run.last_id
    return int(
        conn.execute(select(func.count()).select_from(articles).where(*before, *filters.conditions())).scalar_one()
    )


def following(conn: Connection, run: Pass, count: int, filters: Filters = ALL) -> Sequence[Any]:
    """The next rows of ``articles`` that it has before it."""
    wanted = filters.following(run.after_id, count).where(articles.c.id <= run.last_id)
    return conn.execute(wanted).mappings().all()


def went_on(conn: Connection, run: Pass, after_id: int, figures: Counter[str]) -> Pass:
    """The pass behind some more articles, as it is noted in the transaction that wrote them; :exc:`Overtaken` if it
    is elsewhere."""
    after = replace(run, after_id=after_id, figures=run.figures + figures)
    _note(conn, run, last_done_id=after_id, figures=json.dumps(after.figures))
    return after


def finish(conn: Connection, run: Pass, now: float) -> None:
    """Note that it has come to its end, or that another takes its place; :exc:`Overtaken` if it is elsewhere."""
    _note(conn, run, finished_at=now)


def _note(conn: Connection, run: Pass, **values: Any) -> None:
    own = batch_jobs.c.id == run.id, batch_jobs.c.last_done_id == run.after_id, batch_jobs.c.finished_at.is_(None)
    if not conn.execute(update(batch_jobs).where(*own).values(values)).rowcount:
        raise Overtaken
