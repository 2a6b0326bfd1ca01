"""Computes and stores the ranks of all pages, in a process of its own."""

from __future__ import annotations

import json
import os
import sys

from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import open_store
from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError
from newsspider.store.engine.threads import start_thread
from newsspider.store.exploring import ranks

PARENT_ENDED = 3  # the exit code


def main() -> None:
    """Read the URL of the store and the present moment from stdin, as a line of JSON; print the numbers of pages and
    links, or the ``error``. The process ends when stdin is closed."""
    url, now = json.loads(sys.stdin.buffer.readline())
    start_thread("newsspider-parent", _end_with_parent, died=lambda _: os._exit(PARENT_ENDED))
    try:
        answer: dict[str, int | str] = {**ranks.renew(open_store(url), now, Clock())}
    except (StoreFailedError, StoreUnusableError) as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)  # not the buffer, whose lock the interpreter needs at its exit
    os._exit(PARENT_ENDED)
