"""``python -m bench.fleet``: newsspider on PostgreSQL and Redis beside scrapy-redis as it is shipped, in the same run.

First the fleet as users run it (``bench/fleet_world.py``): hosts with delays, four workers. Then the frontier alone: pages a second with 16
requests at once over 16 hosts whose pages take 50 ms and have 60 links, no delay; bytes of Redis memory a known URL; pages that
are never fetched after ``kill -9``; and whether URLs that are new are ever taken for known. On two cores PostgreSQL, Redis and the
hosts share them with the workers.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from redis import Redis
from sqlalchemy import text

from bench import frontier as bench_frontier
from bench.fleet_server import FEW, url_of
from bench.fleet_world import World, print_figures
from newsspider.features.fleet.shared_keys import RedisKeys
from newsspider.store.engine.database import open_store
from newsspider.store.engine.statement import rows_among
from newsspider.store.ledger.offers import KNOWN_URLS
from tests.support.servers import Postgres, RedisServer, postgres, redis_server

ROOT = Path(__file__).parents[1]
CONTESTANTS = ("ours", "stock")
WANTED_RATIO = 4.0
WANTED_BYTES = 40.0
URLS = 200_000
HOSTS = 500  # with delays
SECONDS = 40
SECONDS_WITHOUT_DELAY = 8
KILL_AFTER_PAGES = 150
STUCK_SECONDS = 60  # without a page: also a slow machine has started by then
LINE = "{:<34}{:>14}{:>14}"


def main() -> int:
    """Run it all; the exit code is 1 if ours is slower or larger than wanted, or loses a page."""
    parser = argparse.ArgumentParser(prog="python -m bench.fleet", description=__doc__)
    parser.add_argument("--urls", type=int, default=URLS, help="that are known where memory is measured")
    parser.add_argument("--hosts", type=int, default=HOSTS, help="with delays")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of each crawl of these")
    parser.add_argument("--rounds", type=int, default=2, help="of the two crawls of hosts without a delay, in turn")
    options = parser.parse_args()
    with redis_server() as redis, postgres(fsync=True) as database:
        good = print_figures(World(redis, database, options.hosts), options.seconds)
    return compare(options.urls, SECONDS_WITHOUT_DELAY, options.rounds) or int(not good)


def compare(urls: int, seconds: int, rounds: int) -> int:
    """Print the figures of both where no host asks for a delay."""
    with (
        TemporaryDirectory(prefix="newsspider-bench-") as folder,
        redis_server() as redis,
        postgres(fsync=True) as database,
    ):
        with served() as port:
            fleet = Fleet(Path(folder), redis, database, port)
            rates: dict[str, list[Rate]] = {name: [] for name in CONTESTANTS}
            for _ in range(rounds):
                for name, measured_rates in rates.items():
                    measured_rates.append(fleet.rate(name, seconds))
            ours, stock = (statistics.median(rate.pages for rate in rates[name]) for name in CONTESTANTS)
            cpu = [statistics.median(rate.cpu for rate in rates[name]) for name in CONTESTANTS]
            lost = {name: fleet.lost(name) for name in CONTESTANTS}
        memory = bytes_a_url(redis, urls)
        print(LINE.format("", "newsspider", "scrapy-redis"))
        print(LINE.format("pages a second", f"{ours:.0f}", f"{stock:.0f}"))
        print(LINE.format("ms of the worker's CPU a page", *(f"{value:.1f}" for value in cpu)))
        print(LINE.format(f"pages lost by kill -9, of {FEW}", *(lost[name] for name in CONTESTANTS)))
        print(LINE.format(f"Redis bytes a URL, {urls} known", *(f"{memory[name]:.1f}" for name in CONTESTANTS)))
        print(f"newsspider / scrapy-redis: {ours / stock:.1f} times the pages (wanted: {WANTED_RATIO:g})", flush=True)
        wrong = taken_for_known(redis, urls)
        print(f"with {urls} URLs known, {wrong} of {10 * urls} others were taken for known", flush=True)
        in_ledger, in_redis = microseconds(redis, database, urls // 5)
        print(
            f"a link of 60 on a page: {in_ledger:.1f} us in PostgreSQL with {urls // 5} URLs, {in_redis:.1f} us in Redis"
        )
    good = ours >= WANTED_RATIO * stock and not lost["ours"] and not wrong
    return 0 if good and memory["ours"] <= WANTED_BYTES else 1


@contextmanager
def served() -> Iterator[int]:
    """The sixteen hosts; their port."""
    command = [sys.executable, "-m", "bench.fleet_server", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.terminate()


@dataclass(frozen=True, slots=True)
class Rate:
    """Pages a second, and milliseconds of the worker's CPU a page."""

    pages: float
    cpu: float


class Fleet:
    """Runs crawls on servers that are empty each time."""

    def __init__(self, folder: Path, redis: RedisServer, database: Postgres, port: int) -> None:
        self.folder, self.redis, self.database, self.port = folder, redis, database, port
        self._crawls = 0

    def rate(self, name: str, seconds: int = 0, pages: int = 0) -> Rate:
        """How fast a crawl is, between its first and its last page, that is ended after so many seconds or pages."""
        with self._empty() as (url, report):
            self._start(name, "many", url, report, seconds, pages).wait()
            lines = [line.split() for line in report.read_text("utf-8").splitlines()]
        if len(lines) < 2:
            sys.exit(f"{name} read no pages")
        (began, cpu_before, _), (ended, cpu, _) = lines[0], lines[-1]
        pages = len(lines) - 1
        return Rate(pages / (float(ended) - float(began)), (float(cpu) - float(cpu_before)) / pages * 1000)

    def lost(self, name: str) -> int:
        """Pages that were never processed by a crawl that was killed once and started again."""
        with self._empty() as (url, report):
            process = self._start(name, "few", url, report)
            while len(_pages(report)) < KILL_AFTER_PAGES:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
            process = self._start(name, "few", url, report)
            still = time.monotonic()
            pages_before = len(_pages(report))
            while process.poll() is None and time.monotonic() - still < STUCK_SECONDS:
                time.sleep(0.2)
                if len(_pages(report)) != pages_before:
                    pages_before, still = len(_pages(report)), time.monotonic()
            process.kill()
            process.wait()
            return FEW - len(_pages(report) | (_settled(url) if name == "ours" else set()))

    @contextmanager
    def _empty(self) -> Iterator[tuple[str, Path]]:
        self._crawls += 1
        with Redis.from_url(self.redis.url) as client:
            client.flushall()
        name = f"crawl{self._crawls}"
        report = self.folder / name
        report.touch()
        yield self.database.create(name), report
        self.database.drop(name)

    def _start(
        self, name: str, kind: str, database: str, report: Path, seconds: int = 0, pages: int = 0
    ) -> subprocess.Popen[bytes]:
        first = url_of(kind, 0, self.port)
        command = [sys.executable, "-m", "bench.fleet_spiders", name, "--first", first, "--report", str(report)]
        command += ["--redis", self.redis.url, "--database", database, "--seconds", str(seconds), "--pages", str(pages)]
        return subprocess.Popen(command, cwd=ROOT)


def _pages(report: Path) -> set[str]:
    return {line.split()[2] for line in report.read_text("utf-8").splitlines() if line.count(" ") == 2}


def _settled(database: str) -> set[str]:
    """What the ledger says was read: a kill may come between a page's commit and its line in the report."""
    engine = open_store(database)
    with engine.connect() as conn:
        fetched_urls = {
            row.url for row in conn.execute(text("SELECT url FROM urls WHERE url LIKE '%/few/%' AND fetch_count > 0"))
        }
    engine.dispose()
    return fetched_urls


def bytes_a_url(redis: RedisServer, urls: int) -> dict[str, float]:
    """Of the shared keys, and of the set of fingerprints in hexadecimal that scrapy-redis keeps."""
    bytes_by_kind = {}
    with Redis.from_url(redis.url) as client:
        client.flushall()
        memory_before = client.info("memory")["used_memory"]
        pipeline = client.pipeline(transaction=False)
        for number in range(urls):
            pipeline.sadd("stock:dupefilter", hashlib.sha1(b"%d" % number).hexdigest())
            if number % 10_000 == 9999:
                pipeline.execute()
        pipeline.execute()
        bytes_by_kind["stock"] = (client.info("memory")["used_memory"] - memory_before) / urls
        client.flushall()
        memory_before = client.info("memory")["used_memory"]
        RedisKeys(client, "bench").add(_drawn(urls, 1), 0)
        bytes_by_kind["ours"] = (client.info("memory")["used_memory"] - memory_before) / urls
    return bytes_by_kind


def taken_for_known(redis: RedisServer, urls: int) -> int:
    """How many of ten times as many others the shared keys hold for known, where so many are."""
    wrong = 0
    with Redis.from_url(redis.url) as client:
        keys = RedisKeys(client, "bench")
        stored = frozenset(_drawn(urls, 1))
        for start in range(2, 12):
            others = [key for key in _drawn(urls, start) if key not in stored]
            for place in range(0, len(others), 5000):
                wrong += len(keys.known(others[place : place + 5000], 0))
    return wrong


def microseconds(redis: RedisServer, database: Postgres, urls: int) -> tuple[float, float]:
    """What a link costs that is looked up in PostgreSQL, and one that Redis is asked for; 60 at once."""
    engine = open_store(database.create("lookups"))
    bench_frontier.fill(engine, urls)
    drawn = random.Random(3)
    pages = [[bench_frontier.offer_of(drawn.randrange(urls)).key for _ in range(60)] for _ in range(500)]
    with engine.connect() as conn:
        began = time.perf_counter()
        for page in pages:
            assert len(rows_among(conn, KNOWN_URLS, page)) == len(set(page))
        looked = time.perf_counter() - began
    engine.dispose()
    with Redis.from_url(redis.url) as client:
        keys = RedisKeys(client, "bench")
        for page in pages:
            keys.add(page, 0)
        began = time.perf_counter()
        for page in pages:
            assert keys.known(page, 0) == set(page)
        seconds_in_redis = time.perf_counter() - began
    return looked / 30_000 * 1e6, seconds_in_redis / 30_000 * 1e6


def _drawn(count: int, seed: int) -> list[int]:
    drawn = random.Random(seed)
    return [drawn.getrandbits(64) - 2**63 for _ in range(count)]


if __name__ == "__main__":
    sys.exit(main())
