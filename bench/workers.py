"""``python -m bench.workers``: the whole job with one worker and with two, on SQLite or on PostgreSQL and Redis, in turn in one run.

Many hosts without a delay, so that nothing but this machine is the limit. Everything shares its cores: the workers, both servers
and the hosts. The milliseconds of CPU say what is left of them: on two cores, two workers cannot do more than two thousand
divided by the milliseconds a page of all processes together.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from newsspider.store.engine.database import open_store
from tests.fleet.workers import Workers, fleet
from tests.support.hosts import Hosts, served
from tests.support.servers import postgres, redis_server

HOSTS = [f"127.0.4.{n}" for n in range(1, 65)]
ARTICLES = 100
SECONDS = 15
WANTED_RATIO = 1.7
OPTIONS = ("-s", "DELAY_FACTOR=0", "-s", "DELAY_MIN_SECONDS=0", "-s", "LOG_LEVEL=ERROR")
TICKS = os.sysconf("SC_CLK_TCK")

Fresh = Callable[[], AbstractContextManager[tuple[str, str]]]  # the URLs of an empty store and of Redis


def main() -> int:
    """Run both in turn; the exit code is 1 if two workers do less than is wanted."""
    parser = argparse.ArgumentParser(prog="python -m bench.workers", description=__doc__)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="that each crawl is watched for")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--database", choices=("SQLite", "PostgreSQL"), default="PostgreSQL", help="with Redis unless it is SQLite"
    )
    options = parser.parse_args()
    rates: dict[int, list[float]] = {1: [], 2: []}
    with SERVERS[options.database]() as fresh:
        for _ in range(options.rounds):
            for count, page_counts in rates.items():
                with fresh() as (url, redis):
                    pages, cpu = rate(count, options.seconds, url, redis)
                page_counts.append(pages)
                print(
                    f"{count} worker{'s' * (count > 1)}: {pages:.0f} pages a second, {cpu:.1f} ms of a worker's CPU a page",
                    flush=True,
                )
    ratio = statistics.median(rates[2]) / statistics.median(rates[1])
    print(f"two workers / one: {ratio:.2f} times the pages (wanted: {WANTED_RATIO:g})")
    return 0 if ratio >= WANTED_RATIO else 1


@contextmanager
def _sqlite() -> Iterator[Fresh]:
    @contextmanager
    def fresh() -> Iterator[tuple[str, str]]:
        with TemporaryDirectory(prefix="newsspider-bench-") as folder:
            yield f"sqlite:///{folder}/news.db", ""

    yield fresh


@contextmanager
def _postgresql() -> Iterator[Fresh]:
    with postgres(fsync=True) as database, redis_server() as redis:

        @contextmanager
        def fresh() -> Iterator[tuple[str, str]]:
            name = f"workers{time.time_ns()}"
            yield database.create(name), redis.url
            database.drop(name)

        yield fresh


SERVERS = {"SQLite": _sqlite, "PostgreSQL": _postgresql}


def rate(count: int, seconds: float, url: str, redis: str) -> tuple[float, float]:
    """Pages a second of so many workers together, from when all are at work; milliseconds of their CPU a page."""
    with TemporaryDirectory(prefix="newsspider-bench-") as folder, served(Hosts(ARTICLES)) as hosts:
        open_store(url).dispose()
        sites = hosts.sites(Path(folder) / "sites", HOSTS, 0.0)
        with fleet(
            Workers(url, redis, Path(folder), sites, *OPTIONS, "-s", f"REDIS_PREFIX={time.time_ns()}")
        ) as workers:
            hosts.open()
            workers.start(*(f"w{n}" for n in range(count)))
            while len({hit.worker for hit in hosts.hits}) < count or len(hosts.hits) < 3 * len(HOSTS):
                time.sleep(0.1)
            ids = [process.pid for process in workers.running.values()]
            began, hits_before, cpu = time.monotonic(), len(hosts.hits), cpu_seconds(ids)
            time.sleep(seconds)
            took, pages, used = time.monotonic() - began, len(hosts.hits) - hits_before, cpu_seconds(ids) - cpu
    return pages / took, used / max(1, pages) * 1000


def cpu_seconds(ids: Iterable[int]) -> float:
    """Seconds of CPU that these processes have used."""
    ticks = 0
    for number in ids:
        fields = Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


if __name__ == "__main__":
    sys.exit(main())
