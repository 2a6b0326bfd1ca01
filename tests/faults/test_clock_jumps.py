"""The system clock jumps in mid-crawl: nothing is lost, nothing is doubled, and no host is asked too early or left alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import clocks
from tests.support.news import News, news
from tests.support.servers import new_file
from tests.support.workers import Store, Worker, assert_asked_once, assert_ends_well, assert_stored_once, workers

HOUR, DAY = 3600.0, 86_400.0
HOSTS, ARTICLES, DELAY = 8, 120, 0.6
SHORTEST = 0.9 * DELAY  # as seen by a server on a busy machine
AFTER = 40  # responses: a third of those of one worker, two thirds of the half of one of two
SETTINGS = (
    "-a", "topic=any", "-s", "DELAY_FACTOR=0", "-s", "RETRY_BASE_SECONDS=0.2", "-s", "LEASES_AHEAD=1",
    "-s", f"CONCURRENT_REQUESTS={HOSTS // 2}",
)  # fmt: skip


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """120 articles on 8 hosts."""
    with news(tmp_path_factory.mktemp("news"), ARTICLES, first_host=180, hosts=HOSTS, delay=DELAY) as running:
        running.latency = 0.1
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in a file."""
    new_file(tmp_path / "news.db")
    return Store(tmp_path / "news.db")


def assert_polite(portal: News) -> None:
    """No host was asked before its delay was over, by the clock of the server."""
    by_host: dict[str, list[float]] = {}
    for url, times in portal.asked.items():
        by_host.setdefault(url.split("/")[2], []).extend(times)
    gaps = {host: min(b - a for a, b in zip(sorted(times)[:-1], sorted(times)[1:], strict=True)) for host, times in by_host.items()}
    assert len(gaps) == HOSTS
    assert min(gaps.values()) >= SHORTEST, gaps


@pytest.mark.parametrize(("count", "seconds"), [(1, DAY), (2, -HOUR)])
def test_a_clock_that_jumps_loses_nothing_doubles_nothing_and_breaks_no_delay(
    count: int, seconds: float, portal: News, store: Store, tmp_path: Path
) -> None:
    portal.forget_visits()
    arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS)
    with workers(store, tmp_path, count - 1, *arguments) as fleet:
        jumping = Store(store.database, more=dict(clocks.environment(seconds, AFTER)))
        with workers(jumping, tmp_path, 1, *arguments, *clocks.SETTINGS, log="jumps") as (jumper,):
            assert_ends_well([jumper, *fleet], 240)
            assert_said(jumper, seconds)
    assert_stored_once(store, portal)
    assert_asked_once(portal, {})
    assert_polite(portal)
    ends = store.rows("SELECT reason, finished_at - started_at FROM runs")
    assert all(reason == "finished" and 0 < took < 240 for reason, took in ends), ends


def assert_said(worker: Worker, seconds: float) -> None:
    """The worker said once that its clock jumped."""
    sentence = f"the system clock was set {'forward' if seconds > 0 else 'back'} by {abs(seconds):.0f} s"
    assert worker.log.read_text("utf-8").count(sentence) == 1, worker.log_end()
