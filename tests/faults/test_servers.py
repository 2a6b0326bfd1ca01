"""PostgreSQL killed in a loop and Redis lost, while two workers crawl: they wait, go on by themselves, and nothing changes."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from tests.support.news import News, news
from tests.support.servers import Postgres, RedisServer
from tests.support.workers import (
    PATIENCE_SECONDS,
    SETTINGS,
    assert_asked_once,
    assert_ends_well,
    assert_stored_once,
    held_by,
    own_store,
    until,
    watched,
    workers,
)

ARTICLES = 160
RESTARTS = 5
WORKS_AGAIN_SECONDS = 240.0
UNSEEN = "unseen: OperationalError"


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """A smaller portal."""
    with news(tmp_path_factory.mktemp("news"), ARTICLES, first_host=200) as running:
        yield running


def test_servers_that_are_killed_again_and_again_cost_time_and_nothing_else(
    portal: News, server: Postgres, redis: RedisServer, tmp_path: Path, chance: random.Random
) -> None:
    portal.forget_visits()
    store = own_store(server, "killed", redis.url)
    lease = ("-s", "LEASE_SECONDS=20")  # longer than a server is away, however busy the machine: nobody dies here
    arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS, *lease)
    moments = sorted(chance.sample(range(40, ARTICLES), 2 * RESTARTS))
    with workers(store, tmp_path, 2, *arguments) as fleet, watched(store, portal) as samples:
        for number, moment in enumerate(moments):
            until(lambda moment=moment: store.settled() >= moment, WORKS_AGAIN_SECONDS, fleet[0].log_end)  # type: ignore[misc]
            if number % 2:
                server.restart("immediate")
            elif number % 4:
                redis.restart()
            else:
                with Redis.from_url(redis.url) as client:
                    client.flushall()
        began, settled = time.monotonic(), store.settled()
        until(lambda: store.settled() > settled + 10, WORKS_AGAIN_SECONDS, fleet[0].log_end)
        assert_ends_well(fleet)
    assert samples.pop("samples") > 10, f"and {time.monotonic() - began} s since"
    assert samples.keys() <= {UNSEEN}, samples
    assert_stored_once(store, portal)
    assert_asked_once(portal, {})  # the workers lived on


def test_a_server_that_stays_away_ends_the_crawl_with_its_own_code(portal: News, server: Postgres, tmp_path: Path) -> None:
    portal.forget_visits()
    store = own_store(server, "away")
    arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS, "-s", "WRITER_PATIENCE_SECONDS=2")
    failed = ending_of_reason(Finish.STORE_FAILED)
    with workers(store, tmp_path, 1, *arguments) as fleet:
        until(lambda: store.settled() >= len(portal.known_urls) // 2, PATIENCE_SECONDS, fleet[0].log_end)
        server.stop("immediate")
        pid = fleet[0].process.pid
        assert fleet[0].end(240) == failed.exit_code, fleet[0].log_end()
        assert fleet[0].log_end().rstrip().endswith(failed.sentence)
        fleet[0].log.write_text("")
        fleet[0].start()
        assert fleet[0].end(240) == failed.exit_code, "it cannot even start"
        assert fleet[0].log_end().startswith("scrapy crawl: the store "), fleet[0].log_end()
        server.start()
        in_flight = dict.fromkeys(held_by(store, pid), 1)
        fleet[0].start()
        assert fleet[0].end(240) == 0, fleet[0].log_end()
    assert_stored_once(store, portal)
    assert_asked_once(portal, in_flight)
