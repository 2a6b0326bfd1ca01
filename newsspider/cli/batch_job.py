"""Runs a batch job over the stored articles and shows its progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from newsspider.cli.command import CommandError, print_note
from newsspider.library.progress_bar import progress_bar
from newsspider.store.articles.article_filters import NO_FILTERS, Filters
from newsspider.store.articles.batch_jobs import OvertakenError, Pass, finish_pass, remaining_articles
from newsspider.store.engine.database import reading, writing

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from newsspider.store.engine.clock import Clock

Step = Callable[[Pass, int], Pass | None]  # works on at most this many articles; None when there are no more


def go_through(
    engine: Engine,
    run: Pass,
    step: Step,
    who: str,
    clock: Clock,
    filters: Filters = NO_FILTERS,
    limit: int | None = None,
) -> Pass:
    """Run the job over the articles that match the filters, at most ``limit``; :exc:`CommandError` if another ``who``
    is running."""
    with reading(engine) as conn:
        total = remaining_articles(conn, run, filters)
    if run.done:
        print_note(f"resuming after {run.done} articles")
    most = total if limit is None else min(limit, total)
    try:
        with progress_bar(sys.stderr, run.done + total, run.done) as bar:
            while most > 0 and (after := step(run, most)) is not None:
                bar.update(after.done - run.done)
                most -= after.done - run.done
                run = after
        if limit is None or limit >= total:
            with writing(engine) as conn:
                finish_pass(conn, run, clock.now())
    except OvertakenError:
        raise CommandError(f"another {who} is running on this store") from None
    return run
