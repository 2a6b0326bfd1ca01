"""Opens the store for commands that show its analysis, which they bring up to date before."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from newsspider.cli.command import print_note

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from newsspider.cli.command import DataCommand


@contextmanager
def open_analysed(command: DataCommand, *, rebuild: bool = False) -> Iterator[Connection]:
    """A reading connection, behind the analysis of what was stored since; with ``rebuild``, of everything again.

    The bar of a long analysis is shown on stderr. A store that may not be written is shown as it was analysed
    last; it cannot be analysed again.
    """
    from newsspider.features.events import detection_run
    from newsspider.features.events.tables import start_again
    from newsspider.library.progress_bar import progress_bar
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading, writable, writing

    with command.store() as engine:
        if rebuild:
            with writing(engine) as conn:
                start_again(conn, Clock().now())
        with reading(engine) as conn:
            count = detection_run.count_unanalysed(conn)
        if count and writable(engine):
            with progress_bar(sys.stderr, count if count > detection_run.ARTICLES_AT_ONCE else 0) as bar:
                for done in detection_run.analyse_new(engine):
                    bar.update(done)
        elif count:
            print_note(f"{count} articles are not analysed yet: the store may not be written")
        with reading(engine) as conn:
            yield conn
