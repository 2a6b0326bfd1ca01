"""Work in a thread of a crawl dies: the log says of what, the crawl goes on or ends with its exit code, and no article is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from tests.faults import injection
from tests.faults.injection import Fault
from tests.support.news import News, news
from tests.support.servers import new_file
from tests.support.workers import Store, assert_ends_well, assert_stored_once, workers

AFTER = 12  # good calls
ENDS_SECONDS = 300.0
ONCE = 1
ARGUMENTS = ("-a", "topic=any", "-s", "DELAY_FACTOR=0", "-s", "RETRY_BASE_SECONDS=0.2")
FAILED, START_ERROR = (ending_of_reason(reason).exit_code for reason in (Finish.STORE_FAILED, Finish.START_ERROR))
VALUE, EXIT = "ValueError('a value of ours')", "SystemExit()"
# What dies inside a thread, the exit code of the crawl, and the cause in its log.
THREADS = {
    "writer": (Fault("newsspider.store.engine.writer:Writer._fill_batch", "value", ONCE, AFTER), FAILED, VALUE),
    "writer at the start": (Fault("newsspider.store.engine.writer:Writer._fill_batch", "value", ONCE), FAILED, VALUE),
    "writer's watchdog that exits": (Fault("newsspider.store.engine.watched_threads:Watchdog._watch", "exit", ONCE), 0, EXIT),
    "dictionaries": (Fault("newsspider.crawl.crawl:prepare_reading", "value", ONCE), START_ERROR, "a value of ours"),
    "long pages": (Fault("newsspider.crawl.freed_memory:_trimmed", "value", ONCE), 0, "a value of ours"),
}


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """48 articles on eight hosts, whose lists are long enough to be read in a thread."""
    with news(tmp_path_factory.mktemp("news"), 48, first_host=200, hosts=8, delay=0.02) as running:
        running.latency, running.padding = 0.0, " " * 300_000
        yield running


@pytest.mark.parametrize(("fault", "code", "cause"), THREADS.values(), ids=THREADS)
def test_a_thread_that_dies_is_logged_and_hangs_no_crawl(fault: Fault, code: int, cause: str, portal: News, tmp_path: Path) -> None:
    new_file(tmp_path / "news.db")
    store = Store(tmp_path / "news.db", more=dict(injection.environment(fault)))
    arguments = ("education", "-a", f"sites={portal.sites}", *ARGUMENTS)
    with workers(store, tmp_path, 1, *arguments, *injection.SETTINGS) as [worker]:
        assert worker.end(ENDS_SECONDS) == code, worker.log_end()
        assert worker.log.read_text("utf-8").count("Traceback") <= 1, worker.log_end()
        assert cause in worker.log.read_text("utf-8")
    store.more = {}
    with workers(store, tmp_path, 1, *arguments, log="again") as again:
        assert_ends_well(again)
    assert_stored_once(store, portal)
