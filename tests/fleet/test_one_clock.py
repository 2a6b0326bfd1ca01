"""One politeness for the whole fleet: however many workers there are, a host sees the rate of one."""

import time
from pathlib import Path

from tests.fleet.workers import Workers, fleet
from tests.support.hosts import Hosts, served
from tests.support.name_server import name_server
from tests.support.servers import MIGRATED, Postgres, RedisServer

DELAY = 1.0
PLAIN = [f"127.0.2.{n}" for n in range(1, 5)]  # so that each of four workers has a host of its own
SLOW, BUSY = "127.0.2.20", "127.0.2.21"
NAMES, ADDRESS = ["one.test", "two.test"], "127.0.2.30"
CRAWL_DELAY = 3.0
RETRY_AFTER = 15.0
CALM_SECONDS = 3.0  # between two steps
QUICK = ("-a", "forever=1", "-s", "DELAY_FACTOR=0", "-s", "LEDGER_WATCH_SECONDS=1")


def test_one_two_and_four_workers_together_keep_the_delay_of_each_host_and_address(
    tmp_path: Path, migrated: Postgres, shared_redis: RedisServer
) -> None:
    refused: list[float] = []
    refusing = [False]

    def play(host: str, path: str):
        if path == "/robots.txt" and host == SLOW:
            return 200, f"User-agent: *\nCrawl-delay: {CRAWL_DELAY:g}\n", {"Content-Type": "text/plain"}
        if host == BUSY and refusing[0] and not refused and path.startswith("/2024/"):
            refused.append(time.time())
            return 429, "", {"Retry-After": f"{RETRY_AFTER:g}"}
        return None

    hosts = Hosts(100, play)
    database = migrated.create("one_clock", MIGRATED)
    hosts.lists_open.set()
    with served(hosts), name_server("127.0.2.53") as (names, server):
        for name in NAMES:
            names.add(name, "A", ADDRESS)
        sites = hosts.sites(tmp_path / "sites", [*PLAIN, SLOW, BUSY, *NAMES], DELAY)
        dns = ("-s", f"DNS_SERVERS={server}")
        with fleet(Workers(database, shared_redis.url, tmp_path, sites, *QUICK, *dns)) as workers:
            for step in (["w1"], ["w2"], ["w3", "w4"]):
                workers.start(*step)
                workers.until(lambda: {hit.worker for hit in hosts.hits} == set(workers.running), 240)
                time.sleep(CALM_SECONDS)
            refusing[0] = True
            workers.until(lambda: bool(refused) and time.time() > refused[0] + RETRY_AFTER and hosts.of(BUSY)[-1] > refused[0] + 1, 240)
            for name in workers.running:
                workers.send(name)
            codes = workers.wait(240)
    migrated.drop("one_clock")
    logs = workers.log_ends()
    assert set(codes.values()) == {143}, logs
    for host in [*PLAIN, *NAMES]:
        assert min(hosts.gaps(host)) >= DELAY, (host, logs)
        assert rate(hosts.of(host)) <= 1.0 / DELAY
    together = sorted(moment for name in NAMES for moment in hosts.of(name))
    assert min(hosts.gaps(*NAMES)) >= DELAY, logs
    assert rate(together) <= 1.0 / DELAY
    assert min(len(hosts.of(name)) for name in NAMES) >= 0.3 * len(together)  # they take turns
    slow = hosts.gaps(SLOW)[1:]  # its robots.txt has no delay yet
    assert len(slow) > 5
    assert min(slow) >= CRAWL_DELAY
    pause = next(later - refused[0] for later in hosts.of(BUSY) if later > refused[0])
    assert RETRY_AFTER <= pause <= RETRY_AFTER + 3
    for host in PLAIN:
        calm = [moment for moment in hosts.of(host) if moment <= refused[0]]
        meanwhile = [moment for moment in hosts.of(host) if refused[0] <= moment <= refused[0] + RETRY_AFTER]
        assert rate(meanwhile) >= 0.95 * rate(calm), host


def rate(moments: list[float]) -> float:
    """Requests a second from the first to the last."""
    return (len(moments) - 1) / (moments[-1] - moments[0])
