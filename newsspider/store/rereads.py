"""Goes through the stored articles to have them read again: how far a run is stands in the store, beside what it wrote."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from newsspider.store.articles import Filters
from newsspider.store.tables import articles, rereads


@dataclass(frozen=True, slots=True)
class Run:
    """One run through the articles up to ``last_id``, of which those up to ``after_id`` are done."""

    id: int
    filters: Filters
    after_id: int
    last_id: int
    figures: Counter[str]

    @property
    def done(self) -> int:
        """How many articles it has read."""
        return self.figures.total()


class Overtaken(Exception):  # noqa: N818 -- reads as what it says
    """Somebody else goes on with this run at the same time."""


def begin(conn: Connection, filters: Filters, now: float, *, anew: bool = False) -> Run:
    """The run with these filters that was not finished, or a new one; ``anew`` gives up the one that was not finished."""
    asked = _written(filters)
    unfinished = rereads.c.filters == asked, rereads.c.finished_at.is_(None)
    if anew:
        conn.execute(update(rereads).where(*unfinished).values(finished_at=now))
    row = conn.execute(select(rereads).where(*unfinished)).first()
    if row is not None:
        return Run(row.id, filters, row.after_id, row.last_id, Counter(json.loads(row.figures)))
    last = conn.execute(select(func.max(articles.c.id))).scalar() or 0
    made = conn.execute(insert(rereads).values(filters=asked, last_id=last, began_at=now).returning(rereads.c.id))
    return Run(made.scalar_one(), filters, 0, last, Counter())


def left(conn: Connection, run: Run) -> int:
    """How many articles it has still to read."""
    return int(conn.execute(select(func.count()).select_from(articles).where(*_behind(run))).scalar_one())


def following(conn: Connection, run: Run, count: int) -> Sequence[Any]:
    """The next rows of ``articles`` that it has to read."""
    wanted = select(articles).where(*_behind(run)).order_by(articles.c.id).limit(count)
    return conn.execute(wanted).mappings().all()


def went_on(conn: Connection, run: Run, after_id: int, figures: Counter[str]) -> Run:
    """The run behind some more articles, as it is noted in the transaction that wrote them; :exc:`Overtaken` if it is elsewhere."""
    total = run.figures + figures
    noted = update(rereads).where(rereads.c.id == run.id, rereads.c.after_id == run.after_id, rereads.c.finished_at.is_(None))
    if not conn.execute(noted.values(after_id=after_id, figures=json.dumps(total))).rowcount:
        raise Overtaken
    return Run(run.id, run.filters, after_id, run.last_id, total)


def finish(conn: Connection, run: Run, now: float) -> None:
    """Note that it has read all."""
    conn.execute(update(rereads).where(rereads.c.id == run.id).values(finished_at=now))


def _behind(run: Run) -> tuple[Any, ...]:
    return articles.c.id > run.after_id, articles.c.id <= run.last_id, *run.filters.conditions()


def _written(filters: Filters) -> str:
    told = {
        "since": filters.since.isoformat() if filters.since else None,
        "until": filters.until.isoformat() if filters.until else None,
        "site": filters.site,
        "topic": filters.topic,
    }
    return json.dumps({name: value for name, value in told.items() if value is not None}, ensure_ascii=False, sort_keys=True)
