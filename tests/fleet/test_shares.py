"""Workers share equal hosts evenly, and take over from each other, whoever comes or goes; nothing is lost and nothing done twice."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fleet.workers import Workers, fleet
from tests.support.hosts import Hit, Hosts, served
from tests.support.portal import rows
from tests.support.servers import MIGRATED, Postgres, RedisServer

HOSTS = [f"127.0.3.{n}" for n in range(1, 21)]
FOUR = [f"w{n}" for n in range(1, 5)]
BEAT_SECONDS = 2.0  # until all know of each other
WORKERS = "SELECT count(*) FROM workers"
# The delay, the articles of a host, and how many pages are watched: those of six seconds where nothing else holds the workers up.
PACES = {"dynamic": (0.8, 40, 150), "static": (1.6, 20, 75)}
TAKE_OVER_SECONDS = 10.0
HELD = ("-s", "DOWNLOAD_FIRST_BYTE_SECONDS=110", "-s", "DOWNLOAD_TIMEOUT=110")  # lists, until all workers are there
QUICK = (*HELD, "-s", "DELAY_FACTOR=0", "-s", "DELAY_MIN_SECONDS=0.1", "-s", "LEDGER_WATCH_SECONDS=1")


@pytest.mark.parametrize("assignment", PACES)
def test_four_workers_share_twenty_hosts_evenly_and_a_fifth_and_a_fourth_take_over(
    assignment: str, tmp_path: Path, migrated: Postgres, shared_redis: RedisServer
) -> None:
    delay, articles_of_a_host, pages = PACES[assignment]
    hosts = Hosts(articles_of_a_host)
    share = hosts_of if assignment == "static" else pages_of  # who has hosts of its own is as fast as the machine lets it
    name = f"shares_{assignment}"
    database = migrated.create(name, MIGRATED)
    with served(hosts):
        sites = hosts.sites(tmp_path / "sites", HOSTS, delay)
        redis = shared_redis.url if assignment == "dynamic" else ""
        options = (*QUICK, "-s", f"FRONTIER_ASSIGNMENT={assignment}", "-s", f"REDIS_PREFIX={name}")
        with fleet(Workers(database, redis, tmp_path, sites, *options)) as workers:
            workers.start(*FOUR)
            workers.until(lambda: rows(database, WORKERS) == [(len(FOUR),)], 240)
            hosts.open()
            workers.until(lambda: {hit.worker for hit in articles(hosts)} == set(FOUR), 240)
            time.sleep(BEAT_SECONDS)
            four = evenest(workers, hosts, pages, share)
            workers.start("w5")
            workers.until(lambda: any(hit.worker == "w5" for hit in hosts.hits), 240)
            time.sleep(BEAT_SECONDS)
            five = watched(workers, hosts, pages // 2)
            if not has_its_share(share(five)):
                five = watched(workers, hosts, pages // 2)
            workers.send("w1")
            stopped_at = time.time()
            codes = workers.wait(240)
    logs = workers.log_ends()
    assert {hit.worker for hit in four} == set(FOUR)
    assert is_even(share(four)), (pages_of(four), hosts_of(four))
    assert has_its_share(share(five)), (pages_of(five), hosts_of(five))
    assert max(pages_of(four).values()) <= 2 * min(pages_of(four).values()), pages_of(four)
    last_request = max(hit.at for hit in hosts.hits if hit.worker == "w1")
    assert last_request <= stopped_at + 5
    later = [min((hit.at for hit in hosts.hits if hit.host == host and hit.at > stopped_at), default=None) for host in HOSTS]
    unfinished = [at - stopped_at for at in later if at is not None]
    assert len(unfinished) > len(HOSTS) / 2
    assert max(unfinished) <= TAKE_OVER_SECONDS
    assert codes == {"w1": 143, **dict.fromkeys(["w2", "w3", "w4", "w5"], 0)}, logs
    requests = Counter((hit.host, hit.path) for hit in articles(hosts))
    assert len(requests) == len(HOSTS) * articles_of_a_host
    assert set(requests.values()) == {1}
    assert rows(database, "SELECT count(*) FROM articles") == [(len(HOSTS) * articles_of_a_host,)]
    assert rows(database, WORKERS) == [(0,)]
    migrated.drop(name)


def articles(hosts: Hosts) -> list[Hit]:
    """The requests for articles."""
    return [hit for hit in hosts.hits if hit.path.startswith("/2024/")]


def watched(workers: Workers, hosts: Hosts, pages: int) -> list[Hit]:
    """The next so many requests for articles."""
    start = len(articles(hosts))
    workers.until(lambda: len(articles(hosts)) >= start + pages, 240)
    return articles(hosts)[start : start + pages]


def evenest(workers: Workers, hosts: Hosts, pages: int, share: Callable[[list[Hit]], Counter[str]]) -> list[Hit]:
    """The first of three times so many requests that the workers shared evenly; else the last: other work on the machine may hold one
    worker up for some seconds, an uneven assignment holds it up every time."""
    for _ in range(2):
        hits = watched(workers, hosts, pages)
        if is_even(share(hits)):
            return hits
    return watched(workers, hosts, pages)


def has_its_share(shares: Counter[str]) -> bool:
    """Whether the fifth worker has at least four fifths of what it should have."""
    return shares["w5"] >= 0.8 * shares.total() / 5


def is_even(shares: Counter[str]) -> bool:
    """Whether the largest share is at most a fifth larger than the smallest."""
    return max(shares.values()) <= 1.2 * min(shares.values())


def pages_of(hits: list[Hit]) -> Counter[str]:
    """How many pages each worker asked for."""
    return Counter(hit.worker for hit in hits)


def hosts_of(hits: list[Hit]) -> Counter[str]:
    """How many hosts each worker asked."""
    return Counter(worker for worker, _ in {(hit.worker, hit.host) for hit in hits})
