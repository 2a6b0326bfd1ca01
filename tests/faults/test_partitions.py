"""A network that is cut in two between workers and their store: nobody is told, and later it is whole again."""

import itertools
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.proxy import Proxy, proxy
from tests.support.news import News, news
from tests.support.servers import MIGRATED, Postgres, RedisServer
from tests.support.workers import (
    OPEN,
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

ARTICLES = 96
PARTITION_SECONDS = 30.0
WORKS_AGAIN_SECONDS = 240.0
_numbers = itertools.count(1)
SHORT = ("-s", "LEASE_SECONDS=4", "-s", "DOWNLOAD_TIMEOUT=3", "-s", "DOWNLOAD_FIRST_BYTE_SECONDS=3")


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """A smaller portal."""
    with news(tmp_path_factory.mktemp("news"), ARTICLES, first_host=120) as running:
        yield running


@pytest.fixture
def ledger(migrated: Postgres, redis: RedisServer) -> Iterator[Store]:
    """A store on PostgreSQL and Redis."""
    name = f"partition{next(_numbers)}"
    store = Store(migrated.create(name, MIGRATED), redis.url)
    yield store
    migrated.drop(name)


@pytest.fixture
def apart(ledger: Store, migrated: Postgres, redis: RedisServer) -> Iterator[tuple[Store, tuple[Proxy, Proxy]]]:
    """The same store behind two proxies."""
    with ExitStack() as proxies:
        pair = [proxies.enter_context(proxy(port)) for port in (migrated.port, redis.port)]
        database = str(ledger.database).replace(f":{migrated.port}/", f":{pair[0].port}/")
        yield Store(database, ledger.redis.replace(f":{redis.port}/", f":{pair[1].port}/")), (pair[0], pair[1])


def test_a_redis_that_says_nothing_holds_nobody_up(
    portal: News, ledger: Store, apart: tuple[Store, tuple[Proxy, Proxy]], tmp_path: Path
) -> None:
    portal.forget_visits()
    store, (_, redis) = apart
    with workers(store, tmp_path, 2, "education", "-a", f"sites={portal.sites}", *SETTINGS) as fleet:
        until(lambda: _settled(ledger) >= len(portal.known_urls) // 3, PATIENCE_SECONDS, fleet[0].log_end)
        redis.hold()
        assert_ends_well(fleet, WORKS_AGAIN_SECONDS)
    assert_stored_once(ledger, portal)
    assert_asked_once(portal, {})


@pytest.mark.parametrize(("seconds", "cut"), [(PARTITION_SECONDS, False), (3.0, True)])
def test_after_a_partition_all_workers_go_on_and_nothing_is_lost_or_doubled(
    portal: News, ledger: Store, apart: tuple[Store, tuple[Proxy, Proxy]], tmp_path: Path, seconds: float, cut: bool
) -> None:
    portal.forget_visits()
    store, proxies = apart
    arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS)
    with workers(store, tmp_path, 2, *arguments) as fleet, watched(ledger, portal) as samples:
        until(lambda: _settled(ledger) >= len(portal.known_urls) // 2, PATIENCE_SECONDS, fleet[0].log_end)
        for link in proxies:
            link.hold()
        time.sleep(seconds)
        in_flight = {url for worker in fleet for url in worker.held(ledger)}
        settled = _settled(ledger)
        for link in proxies:
            link.go_on(cut=cut)
        until(lambda: _settled(ledger) > settled + 16, WORKS_AGAIN_SECONDS, fleet[0].log_end)
        assert_ends_well(fleet)
    assert samples.pop("samples") > 10
    assert samples == {}
    assert_stored_once(ledger, portal)
    assert_asked_once(portal, dict.fromkeys(in_flight, 1))


def test_while_one_worker_is_cut_off_the_others_do_its_work_and_what_it_brings_too_late_is_refused(
    portal: News, ledger: Store, apart: tuple[Store, tuple[Proxy, Proxy]], tmp_path: Path
) -> None:
    portal.forget_visits()
    store, proxies = apart
    patient = ("-s", "WRITER_PATIENCE_SECONDS=300")  # longer than the others need
    arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS, *SHORT, *patient)
    with workers(store, tmp_path, 1, *arguments) as cut_off, workers(ledger, tmp_path, 1, *arguments, log="others") as others:
        third = len(portal.known_urls) // 3
        until(
            lambda: bool(cut_off[0].held(ledger) and others[0].held()) and _settled(ledger) > third, PATIENCE_SECONDS, others[0].log_end
        )
        for link in proxies:
            link.hold()
        assert others[0].end(300) == 0, others[0].log_end()  # a transaction that was cut in two is ended after half a minute
        assert ledger.rows(OPEN) == [(0,)], "it said that it had finished"
        for link in proxies:
            link.go_on()
        assert cut_off[0].end(WORKS_AGAIN_SECONDS) == 0, cut_off[0].log_end()
    assert_stored_once(ledger, portal)


def _settled(store: Store) -> int:
    return int(store.rows(SETTLED)[0][0])
