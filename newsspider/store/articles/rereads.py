"""Begins the pass of a reread: one for each choice of articles."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection

from newsspider.store.articles import batch_jobs
from newsspider.store.articles.export import Filters

KIND = "reread"


def begin(conn: Connection, filters: Filters, now: float, *, restart: bool = False) -> batch_jobs.Pass:
    """The pass with these filters that was not finished, or a new one; ``restart`` gives up the one that was not
    finished."""
    asked = _written(filters)
    run = batch_jobs.unfinished(conn, KIND, asked)
    if run is not None and not restart:
        return run
    if run is not None:
        batch_jobs.finish(conn, run, now)
    return batch_jobs.begin(conn, KIND, asked, now)


def _written(filters: Filters) -> str:
    chosen = {name: value for name, value in asdict(filters).items() if value is not None}
    return json.dumps(chosen, default=datetime.isoformat, ensure_ascii=False, sort_keys=True)
