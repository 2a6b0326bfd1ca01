"""Notes in the store how the process of a named job ended, for `scrapy schedule list`, the console and alerts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from newsspider.cli.command import print_note

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def note_end(
    settings: BaseSettings,
    spider: str,
    arguments: Mapping[str, str],
    began: float,
    reason: str,
    exit_code: int,
    line: str,
) -> None:
    """Note the exit code and the last line of a job; nothing of a crawl without a name, or of one that did not start as
    its job runs, unless scrapyd has it. A store that cannot be used is no reason to fail: the schedule then reads the
    log of scrapyd."""
    from newsspider.core.crawling.finish import Finish
    from newsspider.crawl.wrong_use import shortened
    from newsspider.store import runs
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import open_store, writing
    from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError

    if not arguments.get("job") or (reason == Finish.ALREADY_RUNS and "_job" not in arguments):
        return
    try:
        engine = open_store(settings["DATABASE_URL"])
        try:
            with writing(engine) as conn:
                runs.note_end(conn, spider, arguments, began, Clock().now(), reason, exit_code, shortened(line))
        finally:
            engine.dispose()
    except (StoreFailedError, StoreUnusableError) as error:
        print_note(f"scrapy crawl: the end of the job could not be noted: {error}")
