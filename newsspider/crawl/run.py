"""Crash recovery at the start of a run (reclaims what dead workers of this machine held), and the row of the run."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from newsspider.crawl.worker_names import died_here
from newsspider.store import ledger, runs, workers
from newsspider.store.engine.writer import StoreFailed

if TYPE_CHECKING:
    from newsspider.crawl.counters import Counters
    from newsspider.crawl.storage import Storage
    from newsspider.store.engine.writer import Writer

logger = logging.getLogger(__name__)


async def begin_run(storage: Storage, spider: str, arguments: Mapping[str, Any], now: float) -> None:
    """Record dead workers of this machine, insert the run's row, and reclaim what the dead workers held."""
    writer, frontier = storage.writer, storage.frontier
    for worker in filter(died_here, await writer.run(runs.open_workers)):
        await writer.run(partial(runs.note_death, worker=worker))
    await writer.run(partial(runs.start_run, spider=spider, worker=frontier.worker, arguments=arguments, now=now))
    for worker in filter(died_here, await writer.run(ledger.workers)):
        await frontier.run(partial(ledger.release_worker, worker=worker, died=True))
    for worker in filter(died_here, await writer.run(workers.names)):
        await writer.run(partial(workers.leave, worker=worker))


async def finish_run(writer: Writer, worker: str, reason: str, counters: Counters, now: float) -> None:
    figures = {"pages": counters.pages, "articles": counters.articles, "lists_read": counters.lists_read}
    try:
        await writer.run(partial(runs.finish_run, worker=worker, reason=reason, now=now, figures=figures))
    except StoreFailed as error:
        logger.error("the end of the run could not be recorded: %s", error)
