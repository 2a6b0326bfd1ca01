"""Passes through the stored articles. The progress of a pass is committed with what it wrote, so a killed one can be
resumed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from newsspider.store.articles.article_filters import NO_FILTERS, Filters
from newsspider.store.engine.statement import Statement
from newsspider.store.tables import articles

REREAD, REGROUP = "reread", "regroup"  # kinds of a pass

_UNFINISHED = Statement("SELECT * FROM batch_jobs WHERE kind = :kind AND finished_at IS NULL ORDER BY id")
_BEGIN = Statement(
    """
    INSERT INTO batch_jobs (kind, arguments, last_id, began_at)
    SELECT :kind, :arguments, COALESCE(max(id), 0), :now FROM articles RETURNING id, last_id
    """
)
_OPEN = "id = :id AND last_done_id = :after AND finished_at IS NULL"
_ADVANCE = Statement(f"UPDATE batch_jobs SET last_done_id = :done, figures = :figures WHERE {_OPEN}")
_FINISH = Statement(f"UPDATE batch_jobs SET finished_at = :now WHERE {_OPEN}")


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


def unfinished_pass(conn: Connection, kind: str, arguments: str | None = None) -> Pass | None:
    """The unfinished pass of this kind, with these ``arguments`` if given; ``None`` if there is none."""
    for row in _UNFINISHED.run(conn, {"kind": kind}):
        if arguments is None or row.arguments == arguments:
            return Pass(row.id, kind, row.arguments, row.last_done_id, row.last_id, Counter(json.loads(row.figures)))
    return None


def begin_pass(conn: Connection, kind: str, arguments: str, now: float) -> Pass:
    """A new pass through all present articles; later ones are up to the crawls that store them."""
    row = _BEGIN.run(conn, {"kind": kind, "arguments": arguments, "now": now}).one()
    return Pass(row.id, kind, arguments, 0, row.last_id, Counter())


def begin_reread(conn: Connection, filters: Filters, now: float, *, restart: bool = False) -> Pass:
    """The unfinished reread with these filters, or a new one; ``restart`` gives up the unfinished one."""
    chosen = {name: value for name, value in asdict(filters).items() if value is not None}
    arguments = json.dumps(chosen, default=datetime.isoformat, ensure_ascii=False, sort_keys=True)
    run = unfinished_pass(conn, REREAD, arguments)
    if run is not None and not restart:
        return run
    if run is not None:
        finish_pass(conn, run, now)
    return begin_pass(conn, REREAD, arguments, now)


def remaining_articles(conn: Connection, run: Pass, filters: Filters = NO_FILTERS) -> int:
    """How many articles that match the filters it still has to process."""
    pending = articles.c.id > run.after_id, articles.c.id <= run.last_id
    return int(
        conn.execute(select(func.count()).select_from(articles).where(*pending, *filters.conditions())).scalar_one()
    )


def next_rows(conn: Connection, run: Pass, count: int, filters: Filters = NO_FILTERS) -> Sequence[Any]:
    """The next rows of ``articles`` that it has to process."""
    query = filters.following(run.after_id, count).where(articles.c.id <= run.last_id)
    return conn.execute(query).mappings().all()


def advance_pass(conn: Connection, run: Pass, after_id: int, figures: Counter[str]) -> Pass:
    """The pass after some more articles, stored in the transaction that wrote them; raises :exc:`OvertakenError`."""
    next_pass = replace(run, after_id=after_id, figures=run.figures + figures)
    values = {"id": run.id, "after": run.after_id, "done": after_id, "figures": json.dumps(next_pass.figures)}
    if not _ADVANCE.change(conn, values):
        raise OvertakenError
    return next_pass


def finish_pass(conn: Connection, run: Pass, now: float) -> None:
    """Mark a pass as finished, or replaced by another one; raises :exc:`OvertakenError`."""
    if not _FINISH.change(conn, {"id": run.id, "after": run.after_id, "now": now}):
        raise OvertakenError
