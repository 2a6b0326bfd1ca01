"""Computes and stores the ranks of all pages, in a process of its own."""

from __future__ import annotations

import json
import os
import sys
import threading
import time

from sqlalchemy import Engine

from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import open_store
from newsspider.store.engine.errors import StoreFails, StoreUnusable
from newsspider.store.engine.writer import StoreFailed, Writer
from newsspider.store.exploring import ranks

AT_ONCE = 2000  # rows of a transaction
PAUSE_SECONDS = 0.02  # between two transactions: SQLite's lock is not fair
PATIENCE_SECONDS = 600.0  # with a store that is locked or away
PARENT_ENDED = 3  # the exit code


def main() -> None:
    """Read the URL of the store and the present moment from stdin, as a line of JSON; print the numbers of pages and
    of links, or the ``error``. It ends when stdin does."""
    url, now = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        answer = _ranked(open_store(url), now)
    except (StoreFails, StoreFailed, StoreUnusable) as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)


def _ranked(engine: Engine, now: float) -> dict[str, int | str]:
    ranked = ranks.rank(engine)
    writer = Writer(engine, 1, PATIENCE_SECONDS)
    for step in ranks.writing(ranked, now, AT_ONCE, Clock()):
        writer.submit(step).result()
        time.sleep(PAUSE_SECONDS)
    writer.close()
    return {"pages": len(ranked.keys), "links": ranked.links}


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)  # not the buffer: the interpreter needs its lock when it ends
    os._exit(PARENT_ENDED)
