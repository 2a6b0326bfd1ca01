"""Two workers on one explore crawl: together they do what one does, and go on with it after both were killed."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.news import News, news
from tests.support.workers import (
    PATIENCE_SECONDS,
    SETTINGS,
    SETTLED,
    Store,
    assert_asked_once,
    assert_ends_well,
    assert_stored_once,
    until,
    watched,
    workers,
)

ARTICLES = 120
FIGURES = "SELECT figures FROM runs WHERE reason = 'finished'"


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """Lists to start from; their articles are found by following links."""
    with news(tmp_path_factory.mktemp("news"), ARTICLES, first_host=220, hosts=10, delay=0.3) as running:
        yield running


@pytest.mark.parametrize("store", ["redis"], indirect=True)
def test_two_explorers_share_one_crawl_and_its_next_run_goes_on_where_both_were_killed(
    portal: News, store: Store, tmp_path: Path, chance: random.Random
) -> None:
    portal.forget_visits()
    seeds = ",".join(sorted(portal.shown))
    arguments = ("explore", "-a", "strategy=breadth-first", "-a", f"seeds={seeds}", *SETTINGS, "-s", "DELAY_MIN_SECONDS=0.3")
    moment = chance.randrange(ARTICLES // 4, ARTICLES // 2)
    with workers(store, tmp_path, 2, *arguments) as fleet, watched(store, portal) as samples:
        until(lambda: store.rows(SETTLED)[0][0] >= moment and all(worker.held() for worker in fleet), PATIENCE_SECONDS, fleet[0].log_end)
        in_flight = Counter[str]()
        for worker in fleet:
            in_flight.update(worker.kill())
        for worker in fleet:
            worker.start()
        assert_ends_well(fleet)
    assert samples.pop("samples") > 5
    assert samples == Counter(), samples
    assert_stored_once(store, portal)
    assert_asked_once(portal, in_flight)
    figures = [json.loads(line) for (line,) in store.rows(FIGURES)]
    assert len(figures) == 2
    assert min(run["pages"] for run in figures) > ARTICLES // 10, "both did their share"
