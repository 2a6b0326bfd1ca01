"""``python -m bench.fleet``: newsspider on PostgreSQL and Redis beside scrapy-redis as it is shipped, in the same run.

First the fleet as users run it (``bench/fleet_world.py``): hosts with delays, four workers. Then the frontier alone: pages a second with 16
requests at once over 16 hosts whose pages take 50 ms and have 60 links, no delay; and pages that are never fetched after
``kill -9``. On two cores PostgreSQL, Redis and the hosts share them with the workers.
"""

from __future__ import annotations

import argparse
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

from bench.fleet_server import FEW, url_of
from bench.fleet_world import World, print_figures
from newsspider.store.engine.database import open_store
from tests.support.servers import Postgres, RedisServer, postgres, redis_server

ROOT = Path(__file__).parents[1]
CONTESTANTS = ("ours", "stock")
WANTED_RATIO = 4.0
HOSTS = 500  # with delays
SECONDS = 40
SECONDS_WITHOUT_DELAY = 8
KILL_AFTER_PAGES = 150
STUCK_SECONDS = 60  # without a page: also a slow machine has started by then
LINE = "{:<34}{:>14}{:>14}"


def main() -> int:
    """Run it all; the exit code is 1 if ours is slower than wanted, or loses a page."""
    parser = argparse.ArgumentParser(prog="python -m bench.fleet", description=__doc__)
    parser.add_argument("--hosts", type=int, default=HOSTS, help="with delays")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of each crawl of these")
    parser.add_argument("--rounds", type=int, default=2, help="of the two crawls of hosts without a delay, in turn")
    options = parser.parse_args()
    with redis_server() as redis, postgres(fsync=True) as database:
        good = print_figures(World(redis, database, options.hosts), options.seconds)
    return compare(SECONDS_WITHOUT_DELAY, options.rounds) or int(not good)


def compare(seconds: int, rounds: int) -> int:
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
        print(LINE.format("", "newsspider", "scrapy-redis"))
        print(LINE.format("pages a second", f"{ours:.0f}", f"{stock:.0f}"))
        print(LINE.format("ms of the worker's CPU a page", *(f"{value:.1f}" for value in cpu)))
        print(LINE.format(f"pages lost by kill -9, of {FEW}", *(lost[name] for name in CONTESTANTS)))
        print(f"newsspider / scrapy-redis: {ours / stock:.1f} times the pages (wanted: {WANTED_RATIO:g})", flush=True)
    return 0 if ours >= WANTED_RATIO * stock and not lost["ours"] else 1


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


if __name__ == "__main__":
    sys.exit(main())
