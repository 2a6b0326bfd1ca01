"""Groups all stored articles anew: how far that is stands in the store, beside the groups."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from sqlalchemy import Connection, RowMapping, func, insert, select, text, update

from newsspider.core.fingerprint import normalised
from newsspider.core.forms import Written
from newsspider.core.reprints import Method
from newsspider.store.reprints import place
from newsspider.store.tables import articles, regroupings

AT_ONCE = 200  # articles that are placed in one transaction


@dataclass(frozen=True, slots=True)
class Run:
    """One run through the articles up to ``last_id``, of which the ``placed`` ones up to ``after_id`` are done."""

    id: int
    method: Method
    after_id: int
    last_id: int
    placed: int


class Overtaken(Exception):  # noqa: N818 -- reads as what it says
    """Somebody else goes on with this run at the same time."""


def unfinished(conn: Connection) -> RowMapping | None:
    """The row of the run that was not finished, if there is one: until it is, most groups may be missing."""
    return conn.execute(select(regroupings).where(regroupings.c.finished_at.is_(None))).mappings().first()


def begin(conn: Connection, method: Method, now: float) -> Run:
    """The run with this method that was not finished, or a new one, which begins with forgetting all groups and the index."""
    asked = json.dumps(asdict(method))
    row = unfinished(conn)
    if row is not None and row["method"] == asked:
        return Run(row["id"], method, row["after_id"], row["last_id"], row["placed"])
    conn.execute(update(regroupings).where(regroupings.c.finished_at.is_(None)).values(finished_at=now))
    conn.execute(text("DELETE FROM reprints"))
    conn.execute(text("DELETE FROM fingerprints"))
    last = conn.execute(select(func.max(articles.c.id))).scalar() or 0  # a crawl places what it stores later
    made = conn.execute(insert(regroupings).values(method=asked, last_id=last, began_at=now).returning(regroupings.c.id))
    return Run(made.scalar_one(), method, 0, last, 0)


def left(conn: Connection, after_id: int, last_id: int) -> int:
    """How many articles have still to be placed."""
    behind = articles.c.id > after_id, articles.c.id <= last_id
    return int(conn.execute(select(func.count()).select_from(articles).where(*behind)).scalar_one())


def go_on(conn: Connection, run: Run, now: float) -> Run | None:
    """Place the next articles; the run behind them, ``None`` at its end, which is noted. :exc:`Overtaken` if it is elsewhere."""
    behind = articles.c.id > run.after_id, articles.c.id <= run.last_id
    columns = (articles.c.id, articles.c.title, articles.c.text)
    rows = conn.execute(select(*columns).where(*behind).order_by(articles.c.id).limit(AT_ONCE)).all()
    after = replace(run, after_id=rows[-1].id if rows else run.last_id, placed=run.placed + len(rows))
    own = regroupings.c.id == run.id, regroupings.c.after_id == run.after_id, regroupings.c.finished_at.is_(None)
    noted = {"after_id": after.after_id, "placed": after.placed, "finished_at": None if rows else now}
    if not conn.execute(update(regroupings).where(*own).values(noted)).rowcount:
        raise Overtaken
    for row in rows:
        place(conn, row.id, Written(row.title, row.text), run.method.of(normalised(row.text)))
    return after if rows else None
