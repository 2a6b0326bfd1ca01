"""Workers share equal hosts evenly, and take over from each other, whoever comes or goes; nothing is lost and nothing done twice."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from tests.crawl.events import until
from tests.crawl.portal import rows
from tests.fleet.hosts import Hosts, served
from tests.fleet.workers import Workers, fleet
from tests.servers import MIGRATED, Postgres, RedisServer

HOSTS = [f"127.0.3.{n}" for n in range(1, 41)]
FOUR = [f"w{n}" for n in range(1, 5)]
DELAY = 0.7
ARTICLES = 50
BEAT_SECONDS = 2.0  # until all know of each other
WATCHED_SECONDS = 8.0
TAKE_OVER_SECONDS = 10.0
QUICK = ("-s", "DELAY_FACTOR=0", "-s", "DELAY_MIN_SECONDS=0.1", "-s", "LEDGER_WATCH_SECONDS=1")


@pytest.mark.parametrize("assignment", ["dynamic", "static"])
def test_four_workers_share_forty_hosts_evenly_and_a_fifth_and_a_fourth_take_over(
    assignment: str, tmp_path: Path, migrated: Postgres, shared_redis: RedisServer
) -> None:
    hosts = Hosts(ARTICLES)
    name = f"shares_{assignment}"
    database = migrated.create(name, MIGRATED)
    with served(hosts):
        sites = hosts.sites(tmp_path / "sites", HOSTS, DELAY)
        redis = shared_redis.url if assignment == "dynamic" else ""
        options = (*QUICK, "-s", f"FRONTIER_ASSIGNMENT={assignment}", "-s", f"REDIS_PREFIX={name}")
        with fleet(Workers(database, redis, tmp_path, sites, *options)) as workers:
            workers.start(*FOUR)
            until(lambda: {hit.worker for hit in hosts.hits} == set(FOUR), seconds=120)
            time.sleep(BEAT_SECONDS)
            four = watched(hosts, WATCHED_SECONDS)
            workers.start("w5")
            until(lambda: any(hit.worker == "w5" for hit in hosts.hits), seconds=60)
            time.sleep(BEAT_SECONDS)
            five = watched(hosts, TAKE_OVER_SECONDS / 2)
            workers.send("w1")
            left = time.time()
            codes = workers.wait(240)
    said = workers.said()
    assert set(four) == set(FOUR)
    assert max(four.values()) <= 1.2 * min(four.values()), four
    assert five["w5"] >= 0.8 * five.total() / 5, five
    gone = max(hit.at for hit in hosts.hits if hit.worker == "w1")
    assert gone <= left + 5
    later = [min((hit.at for hit in hosts.hits if hit.host == host and hit.at > left), default=None) for host in HOSTS]
    unfinished = [at - left for at in later if at is not None]
    assert len(unfinished) > len(HOSTS) / 2
    assert max(unfinished) <= TAKE_OVER_SECONDS
    assert codes == {"w1": 143, **dict.fromkeys(["w2", "w3", "w4", "w5"], 0)}, said
    pages = Counter((hit.host, hit.path) for hit in hosts.hits if hit.path.startswith("/2024/"))
    assert len(pages) == len(HOSTS) * ARTICLES
    assert set(pages.values()) == {1}
    assert rows(database, "SELECT count(*) FROM articles") == [(len(HOSTS) * ARTICLES,)]
    assert rows(database, "SELECT count(*) FROM workers") == [(0,)]
    migrated.drop(name)


def watched(hosts: Hosts, seconds: float) -> Counter[str]:
    """Who asked for how many pages from now on."""
    since = time.time()
    time.sleep(seconds)
    return Counter(hit.worker for hit in hosts.hits if hit.at >= since)
