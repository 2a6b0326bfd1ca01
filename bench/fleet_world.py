"""The fleet as users run it: 500 hosts that ask for delays of 1 to 10 s in their robots.txt, four workers, PostgreSQL and Redis.

Newsspider crawls twice: once it follows links only, as stock scrapy-redis does beside it; once it does its whole job and reads,
scores, indexes and stores articles. Scrapy-redis knows no Crawl-delay and keeps no delay over workers: each of its workers is
told the delay of each host, and may have a request of each host under way. A host allows one request a delay; the share of
that time in which nobody asked is waiting.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from redis import Redis

from bench.workers import cpu_seconds
from newsspider.store.engine.database import open_store
from tests.fleet.workers import Workers, fleet
from tests.support.hosts import AGENT, Hosts, served
from tests.support.process import Process
from tests.support.servers import Postgres, RedisServer
from tests.support.serving import Answer

WORKERS = 4
ARTICLES = 150  # of each host: more than the quickest is asked for
LINKS = 60  # of each article, to others of its host
START_SECONDS = 240
OPTIONS = ("-a", "forever=1", "-s", "DELAY_FACTOR=0", "-s", "DELAY_MIN_SECONDS=0.1", "-s", "LOG_LEVEL=WARNING")
LINKS_ONLY = ("-s", "SPIDER_MODULES=newsspider.spiders,bench.fleet_spiders", "-s", "TRAP_FETCHES=0")
SITE = """
name = "{name}"
home = "http://{host}:{port}/"
weight = 5
media_class = "portal"
[[channels]]
name = "c"
url = "http://{host}:{port}/list/"
weight = 5
kind = "list"
"""
LINE = "{:<50}" + "{:>14}" * 3
WANTED_RATIO = 5.0
WANTED_WAITING = 0.05


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one crawl, while it was watched."""

    pages: float  # a second
    cpu: float  # milliseconds of the workers a page
    servers_cpu: float  # of PostgreSQL and Redis
    waiting: float  # share of the time that hosts allow
    late: float  # seconds after a host might have been asked, median
    late_95: float
    closest: float  # shortest time between two requests to a host, in delays
    too_close: int  # pairs of requests that were closer than is polite


class World:
    """Hosts with their delays, and the crawls that read them."""

    def __init__(self, redis: RedisServer, database: Postgres, count: int = 500) -> None:
        drawn = random.Random(47)
        names = (f"127.4.{n // 250}.{n % 250 + 1}" for n in itertools.count())
        self.delays = {name: drawn.choice(range(1, 11)) for name in itertools.islice(names, count)}
        self.redis, self.database = redis, database

    def whole(self, seconds: float) -> Figures:
        """Of ``scrapy crawl education``."""
        return self._crawled(seconds)

    def ours(self, seconds: float) -> Figures:
        """Of the same crawl where it does what scrapy-redis does."""
        return self._crawled(seconds, *LINKS_ONLY)

    def _crawled(self, seconds: float, *options: str) -> Figures:
        name = f"world{time.time_ns()}"
        url = self.database.create(name)
        open_store(url).dispose()
        with TemporaryDirectory(prefix="newsspider-bench-") as folder, served(Hosts(ARTICLES, self.answer)) as hosts:
            sites = Path(folder) / "sites"
            sites.mkdir()
            for host in self.delays:
                text = SITE.format(name=host.replace(".", "-"), host=host, port=hosts.port)
                (sites / f"{host}.toml").write_text(text, "utf-8")
            hosts.open()
            given = (*OPTIONS, "-s", f"REDIS_PREFIX={name}", *options)
            with fleet(
                Workers(url, self.redis.url, Path(folder), sites, *given, spider="links" if options else "education")
            ) as workers:
                workers.start(*(f"w{n}" for n in range(WORKERS)))
                figures = self._watched(hosts, seconds, list(workers.running.values()))
        self.database.drop(name)
        return figures

    def stock(self, seconds: float) -> Figures:
        """Of scrapy-redis."""
        with Redis.from_url(self.redis.url) as client:
            client.flushall()
        with TemporaryDirectory(prefix="newsspider-bench-") as folder, served(Hosts(ARTICLES, self.answer)) as hosts:
            hosts.open()
            delays = Path(folder) / "delays"
            delays.write_text(json.dumps(self.delays), "utf-8")
            urls = [f"http://{host}:{hosts.port}/list/" for host in self.delays]
            first = Path(folder) / "first"
            first.write_text("\n".join(urls), "utf-8")
            given = ["--first", f"@{first}", "--redis", self.redis.url, "--delays", str(delays)]
            processes = []
            for n in range(WORKERS):
                own = ["--report", f"{folder}/report{n}", "--agent", f"{AGENT}w{n}"]
                processes.append(Process(["stock", *given, *own], {}, Path(folder) / f"{n}.log", program=_stock))
            try:
                return self._watched(hosts, seconds, processes, share=0.0)
            finally:
                for process in processes:
                    process.kill()

    def answer(self, host: str, path: str) -> Answer:
        """What a host says."""
        if path == "/robots.txt":
            return (
                200,
                f"User-agent: *\nCrawl-delay: {self.delays[host]}\nDisallow: /private/\n",
                {"Content-Type": "text/plain"},
            )
        number = int(path[-10:-5]) if path.startswith("/2024/") else None
        return _page(host, number)

    def _watched(self, hosts: Hosts, seconds: float, workers: list[Process], share: float = 0.9) -> Figures:
        """What the hosts see, from when this share of them, and one at least, were asked for an article."""
        end = time.monotonic() + START_SECONDS
        while len({hit.host for hit in list(hosts.hits) if hit.path.startswith("/2024/")}) <= share * len(self.delays):
            assert all(worker.poll() is None for worker in workers), [worker.poll() for worker in workers]
            assert time.monotonic() < end, "the crawl does not begin"
            time.sleep(0.2)
        ids, servers = [worker.pid for worker in workers], self._servers()
        began, cpu, servers_cpu = time.time(), cpu_seconds(ids), cpu_seconds(servers)
        time.sleep(seconds)
        return self._figures(hosts, began, time.time(), cpu_seconds(ids) - cpu, cpu_seconds(servers) - servers_cpu)

    def _figures(self, hosts: Hosts, began: float, ended: float, cpu: float, servers_cpu: float) -> Figures:
        pages = max(1, sum(began <= hit.at < ended for hit in hosts.hits))
        late: list[float] = []
        gaps_in_delays: list[float] = []
        used = 0.0
        for host, delay in self.delays.items():
            hits = sorted((hit for hit in hosts.hits if hit.host == host), key=lambda hit: hit.at)
            used += delay * sum(began <= hit.at < ended for hit in hits)
            late += [later.at - earlier.at - delay for earlier, later in pairwise(hits) if began <= later.at < ended]
            gaps_in_delays += [(later.at - earlier.since) / delay for earlier, later in pairwise(hits)]
        late = sorted(late) or [0.0]
        return Figures(
            pages=pages / (ended - began),
            cpu=cpu / pages * 1000,
            servers_cpu=servers_cpu / pages * 1000,
            waiting=1 - used / (ended - began) / len(self.delays),
            late=statistics.median(late),
            late_95=late[int(len(late) * 0.95)],
            closest=min(gaps_in_delays),
            too_close=sum(gap < 1.0 for gap in gaps_in_delays),
        )

    def _servers(self) -> list[int]:
        """The processes of PostgreSQL and Redis."""
        master = int((self.database.data / "postmaster.pid").read_text("utf-8").split("\n", 1)[0])
        children = Path(f"/proc/{master}/task/{master}/children").read_text("utf-8").split()
        return [master, *map(int, children), self.redis.pid]


def print_figures(world: World, seconds: float) -> bool:
    """Crawl with all in turn and print their figures; whether ours are as good as is wanted."""
    figures = {
        "newsspider": world.ours(seconds),
        "whole job": world.whole(seconds),
        "scrapy-redis": world.stock(seconds),
    }
    print(LINE.format(f"{len(world.delays)} hosts with delays, {WORKERS} workers", *figures))
    for name, shown in ROWS.items():
        print(LINE.format(name, *map(shown, figures.values())))
    ours, _, stock = figures.values()
    ratio = stock.cpu / ours.cpu
    print(f"newsspider / scrapy-redis: {ratio:.1f} times the pages a CPU-second (wanted: {WANTED_RATIO:g})", flush=True)
    return ratio >= WANTED_RATIO and not ours.too_close and ours.waiting <= WANTED_WAITING


ROWS: dict[str, Callable[[Figures], str]] = {
    "pages a second": lambda figures: f"{figures.pages:.1f}",
    "ms of the workers' CPU a page": lambda figures: f"{figures.cpu:.1f}",
    "the same of PostgreSQL and Redis": lambda figures: f"{figures.servers_cpu:.1f}",
    "waiting, share of the time that hosts allow": lambda figures: f"{figures.waiting:.1%}",
    "late by, s: median": lambda figures: f"{figures.late:.3f}",
    "late by, s: 95th percentile": lambda figures: f"{figures.late_95:.3f}",
    "shortest time between two requests to a host, delays": lambda figures: f"{figures.closest:.2f}",
    "requests that were too close": lambda figures: f"{figures.too_close}",
}


def _page(host: str, number: int | None) -> Answer:
    """A list of the articles of a host, or one of these."""
    first = int(host.split(".")[2]) * 250 + int(host.split(".")[3])
    near = range(ARTICLES) if number is None else [(number + 7 * n) % ARTICLES for n in range(LINKS)]
    items = "".join(
        f'<li><a href="/2024/0501/1{n:05}.html">学校教育改革座谈会第{first * 1000 + n}场举行</a></li>' for n in near
    )
    if number is None:
        text, title = "", "教育新闻"
    else:
        title = f"学校教育改革座谈会第{first * 1000 + number % 100000}场举行"
        text = "".join(
            f"<p>第{first}-{number}-{line}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排，家长也谈了看法。</p>"
            for line in range(12)
        )
    html = f"<html><head><meta charset=utf-8><title>{title}</title></head><body><h1>{title}</h1>{text}<ul>{items}</ul></body></html>"
    return 200, html, {}


def _stock(arguments: Sequence[str]) -> None:
    from bench.fleet_spiders import main

    main(list(arguments))
