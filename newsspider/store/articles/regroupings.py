"""Regroups all stored articles: drops the groups of reprints, then places one article after another in a pass."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict

from sqlalchemy import Connection, text

from newsspider.core.duplicates.forms import Written
from newsspider.core.duplicates.reprints import Method
from newsspider.core.text.fingerprint import normalised
from newsspider.store.articles import batch_jobs
from newsspider.store.articles.batch_jobs import REGROUP, Pass
from newsspider.store.articles.reprints import place


def unfinished(conn: Connection) -> Pass | None:
    """The unfinished pass, if there is one: until it is finished, most groups may be missing."""
    return batch_jobs.unfinished(conn, REGROUP)


def begin(conn: Connection, method: Method, now: float) -> Pass:
    """The unfinished pass with this method, or a new one, which first drops all groups and the index."""
    arguments = json.dumps(asdict(method))
    run = unfinished(conn)
    if run is not None and run.arguments == arguments:
        return run
    if run is not None:
        batch_jobs.finish(conn, run, now)
    conn.execute(text("DELETE FROM reprints"))
    conn.execute(text("DELETE FROM fingerprints"))
    return batch_jobs.begin(conn, REGROUP, arguments, now)


def go_on(conn: Connection, run: Pass, method: Method, count: int) -> Pass | None:
    """Place the next articles; returns the pass after them, ``None`` at its end. Raises :exc:`OvertakenError`."""
    rows = batch_jobs.following(conn, run, count)
    if not rows:
        return None
    next_pass = batch_jobs.advanced(conn, run, rows[-1]["id"], Counter(placed=len(rows)))
    for row in rows:
        place(conn, row["id"], Written(row["title"], row["text"]), method.of(normalised(row["text"]), row["title"]))
    return next_pass
