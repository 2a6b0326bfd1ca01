"""``python -m bench.growth``: what each step of a crawl costs on stores of 10,000 to a million URLs, on each database.

A store of N URLs has N / 10 articles with their search index, 500 hosts, and URLs in all states
(``bench/growth_world.py``). Figures are milliseconds of CPU of this process and of the database server. The last
column is the figure of the largest store by that of the smallest. A page is claimed, stored as a new article with 60
links of which 6 are new, and settled, 16 pages in a transaction; what its statements, commit and claim take is measured
in the thread of the writer. Pages a commit are those of 100 hosts with delays of 1 to 10 s. ``--plot FILE`` draws how the
figures grow.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import math
import os
import random
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Engine

from bench.growth_plot import drawn
from bench.growth_world import HOSTS, SITES, START, fate_of, fill, offer_of, url_of
from bench.search_world import FIELD, generated
from bench.web import megabytes
from newsspider.core.crawling.visit import Lease, PageResult, Settlement
from newsspider.core.duplicates.reprints import fingerprints_of
from newsspider.core.model import Link, LinkKind, PageType, Reason, State, StoredArticle
from newsspider.core.query.query_language import parse_query
from newsspider.core.text.text_comparison import normalise_text
from newsspider.core.url import url_key
from newsspider.crawl.page_saver import LONGEST_PATIENCE_SECONDS
from newsspider.features.explore import ranks
from newsspider.frontier.sql_frontier import claim
from newsspider.search.hits import Sort, search
from newsspider.store import ledger, pages
from newsspider.store.engine.batch import GroupedJob, OvertakingJob
from newsspider.store.engine.database import open_store, reading
from newsspider.store.engine.statement import Statement
from newsspider.store.engine.writer import Writer
from newsspider.store.ledger import polls
from newsspider.store.overview import store_overview
from newsspider.store.url_history import explain
from tests.support.servers import postgres

URLS = (10_000, 100_000, 1_000_000)
AT_ONCE, LINKS, NEW_LINKS, RECENT = 16, 60, 6, 100_000
BATCHES = 40  # of pages that are measured
NOW = START + 100
TICKS = os.sysconf("SC_CLK_TCK")
CHARACTERS = 800
QUERIES = 40
DELAYS = [1 + 9 * host / 99 for host in range(100)]  # seconds
SHARING_SECONDS = 15.0
MAIN = ("page", "claim", "offer", "settle", "search")  # what is drawn

Cpu = Callable[[], float]  # seconds so far
Store = tuple[str, Callable[[], float], Cpu]  # its URL, its bytes, the CPU of its server


def main() -> int:
    """Print a table a database."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument(
        "--urls", type=int, nargs="+", default=URLS, metavar="N", help="sizes of the stores: 10000 100000 1000000"
    )
    parser.add_argument("--database", choices=("SQLite", "PostgreSQL"), help="only this one")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="an SVG file to write")
    options = parser.parse_args()
    curves: dict[str, dict[int, float]] = {}
    for name, opened in DATABASES.items():
        if options.database in {None, name}:
            figures: dict[int, dict[str, float]] = {}
            for urls in sorted(options.urls):  # those of a small store are there before the large one is filled
                figures[urls] = figures_of(opened, urls)
                print_table(name, figures)
            curves |= {f"{name} {what}": {n: row[what] for n, row in figures.items()} for what in MAIN}
    if options.plot:
        options.plot.write_text(drawn(curves, "URLs known", "CPU ms"), "utf-8")
    return 0


def print_table(name: str, figures: dict[int, dict[str, float]]) -> None:
    """A line a figure, a column a size."""
    sizes = list(figures)
    print(f"\n{name:24}" + "".join(f"{size:>12,}" for size in sizes) + f"{'ratio':>8}")
    for what in figures[sizes[0]]:
        row = [figures[size][what] for size in sizes]
        print(
            f"{what:24}" + "".join(f"{value:>12.2f}" for value in row) + f"{row[-1] / row[0] if row[0] else 0:>8.2f}",
            flush=True,
        )


def figures_of(
    opened: Callable[[], AbstractContextManager[Store]], urls: int, batches: int = BATCHES
) -> dict[str, float]:
    """All figures of a store of so many URLs, those of the writer measured over ``batches`` of pages."""
    with opened() as (url, size, server):
        engine = open_store(url)
        fill(engine, urls)
        figures: dict[str, float] = {"MB": size() / 1e6}
        figures |= written(engine, urls, server, batches) | read(engine, urls, server)
        engine.dispose()
        return figures | fresh(url, server)


def cost(act: Callable[[], object], server: Cpu, per: float = 1, times: int = 1) -> float:
    """Milliseconds of CPU, of this process and the server, after one call that warms up."""
    act()
    cpu_before, served = time.process_time(), server()
    for _ in range(times):
        act()
    return (time.process_time() - cpu_before + server() - served) * 1000 / per / times


def written(engine: Engine, urls: int, server: Cpu, batches: int) -> dict[str, float]:
    """What the steps of a page cost in the writer, as a crawl runs them."""
    writer = Writer(engine, 64, 60.0)
    world, meter = World(urls), Meter()
    save, claim_some = meter.timed("statements", pages.save_all), meter.timed("claims", world.claim)
    writer._write = meter.timed("all", writer._write)  # type: ignore[method-assign]

    def whole_pages() -> None:
        leases = writer.submit(claim_some).result()
        results = [GroupedJob(save, (world.result(lease), NOW)) for lease in leases]
        assert all(saved.result().settled for saved in [writer.submit(job) for job in results])

    def claims() -> None:
        writer.submit(world.claim_and_release).result()

    def settled() -> None:
        leases = writer.submit(world.claim).result()
        writer.submit(partial(ledger.settle_all, settlements=[(lease, DONE) for lease in leases])).result()

    try:
        whole_pages()
        meter.seconds.clear()  # statements are compiled once
        bytes_before = _bytes(engine)
        with meter.counting():
            page = cost(whole_pages, server, AT_ONCE, batches)
        moved = [(n - m) / 1000 / AT_ONCE / (batches + 1) for n, m in zip(_bytes(engine), bytes_before, strict=True)]
        cpu_began = time.process_time()
        for _ in range(batches):
            world.result(LEASE)
        page -= (time.process_time() - cpu_began) * 1000 / batches
        parts = meter.figures(AT_ONCE * (batches + 1))
        claimed = cost(claims, server, AT_ONCE, batches)
        return {
            "page": page,
            "page: kB read": moved[0],
            "page: kB written": moved[1],
            **parts,
            **shared(writer, "pages a commit", LONGEST_PATIENCE_SECONDS),
            **shared(writer, "the same, none waits", 0.0),
            "claim": claimed,
            "offer": cost(lambda: writer.submit(world.offer).result(), server, 1, 8 * batches),
            "settle": cost(settled, server, AT_ONCE, batches) - claimed / 2,
            "next due": cost(lambda: writer.submit(partial(ledger.remaining, worker="w")).result(), server, 1, batches),
            "counts": cost(lambda: writer.submit(ledger.counts).result(), server, 1, 3),
            "poll planner's lists": cost(
                lambda: writer.submit(partial(polls.lists, sites=SITE_NAMES)).result(), server, 1, 3
            ),
        }
    finally:
        writer.close()


class Meter:
    """Counts statements, and the CPU seconds of steps in their own threads."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.statements = 0

    def timed(self, name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        """The step, its time added under this name."""

        def act(*args: Any) -> Any:
            began = time.thread_time()
            try:
                return step(*args)
            finally:
                self.seconds[name] += time.thread_time() - began

        return act

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Counts the executions of statements inside the block; one for many rows is one."""
        compiled = Statement._compiled_for

        def count(statement: Statement, conn: Connection) -> Any:
            self.statements += 1
            return compiled(statement, conn)

        with patch.object(Statement, "_compiled_for", count):
            yield

    def figures(self, count: int) -> dict[str, float]:
        """Of one of so many pages."""
        ms = {name: seconds * 1000 / count for name, seconds in self.seconds.items()}
        return {
            "page: statements": self.statements / count,
            "page: ms of them": ms["statements"],
            "page: ms of its commit": ms["all"] - ms["statements"] - ms["claims"],
            "page: ms of its claim": ms["claims"],
        }


def shared(writer: Writer, name: str, patience: float) -> dict[str, float]:
    """How many pages share a commit if each may wait half the delay of its host, and so many seconds at most, and the
    share of the visits that the delays allow. Each page is claimed by a job of its own."""
    sizes: list[int] = []
    allowed: list[int] = []

    def save(_: Connection, values: Sequence[int]) -> Sequence[int]:
        sizes.append(len(values))
        return values

    async def visit(host: int, until: float) -> None:
        delay, first = DELAYS[host], random.Random(host).random() * DELAYS[host]
        allowed.append(math.ceil((SHARING_SECONDS - first) / delay))
        await asyncio.sleep(first)
        while time.monotonic() < until:
            next_at = time.monotonic() + delay
            await writer.run(OvertakingJob(lambda conn: None))
            await writer.run(GroupedJob(save, host, min(patience, delay / 2)))
            await asyncio.sleep(max(0.0, next_at - time.monotonic()))

    async def visit_all() -> None:
        until = time.monotonic() + SHARING_SECONDS
        await asyncio.gather(*(visit(host, until) for host in range(len(DELAYS))))

    asyncio.run(visit_all())
    return {name: sum(sizes) / len(sizes), f"{name}: share of visits": sum(sizes) / sum(allowed)}


def read(engine: Engine, urls: int, server: Cpu) -> dict[str, float]:
    """What people ask."""
    numbers = [number for number in random.Random(3).sample(range(urls), QUERIES) if fate_of(number) == "stored"] or [0]
    texts = random.Random(4)
    queries = [
        parse_query(" ".join(texts.sample(FIELD, 1 + n % 2)), datetime.fromtimestamp(NOW, UTC)) for n in range(QUERIES)
    ]
    with reading(engine) as conn:
        return {
            "explain": cost(
                lambda: [explain(conn, url_key(url_of(number))) for number in numbers], server, len(numbers)
            ),
            "search": cost(lambda: [search(conn, query, now=NOW) for query in queries], server, QUERIES),
            "search by relevance": cost(
                lambda: [search(conn, query, sort=Sort.RELEVANCE, now=NOW) for query in queries], server, QUERIES
            ),
            "status": cost(lambda: store_overview(conn, NOW), server),
            "ranks": cost(lambda: ranks.rank(engine), server),
        }


def fresh(url: str, server: Cpu) -> dict[str, float]:
    """What a process costs that starts a crawl of one list, which ends every connection, and stops it; when it asked
    for the first page, and the most memory that it held."""
    moments: list[float] = []
    with TemporaryDirectory(prefix="newsspider-bench-") as folder, socket.create_server(("127.0.0.1", 0)) as host:
        address = f"http://127.0.0.1:{host.getsockname()[1]}/"
        Thread(target=_hang_up, args=(host, moments), daemon=True).start()
        site = f'name = "none"\nhome = "{address}"\nweight = 1\nmedia_class = "portal"\n[[channels]]\nname = "c"\n'
        Path(folder, "none.toml").write_text(f'{site}url = "{address}"\nweight = 1\nkind = "list"\n', "utf-8")
        command = [sys.executable, "-m", "scrapy", "crawl", "education", "-a", f"sites={folder}", "-a", "pages=1"]
        command += ["-s", "LOG_LEVEL=ERROR", "-s", "RETRY_ENABLED=0"]
        environment = os.environ | {"NEWSSPIDER_DATABASE_URL": url, "NEWSSPIDER_DATA_DIR": folder}
        environment["NEWSSPIDER_ALLOWED_ADDRESSES"] = "127.0.0.0/8"
        served, began = server(), time.monotonic()
        process = subprocess.Popen(command, cwd=Path(__file__).parents[1], env=environment)
        peak = 0.0  # ru_maxrss would count what this process held at the fork
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            peak = max(peak, megabytes(process.pid, "VmHWM"))
            time.sleep(0.02)
        seconds = time.monotonic() - began
        _, status, used = os.wait4(process.pid, 0)
        if not moments:
            print(f"the crawl ended with exit code {os.waitstatus_to_exitcode(status)} before its first request")
            moments.append(float("nan"))
        cpu = used.ru_utime + used.ru_stime + server() - served
        first = {"first request, clock": (moments[0] - began) * 1000, "stopped, clock": seconds * 1000}
        return {"start and stop": cpu * 1000, **first, "its memory, MB": peak}


def _hang_up(host: socket.socket, moments: list[float]) -> None:
    """Note when each connection came, and end it."""
    with suppress(OSError):  # the benchmark ended it
        while True:
            host.accept()[0].close()
            moments.append(time.monotonic())


class World:
    """What comes to a ledger of so many URLs: pages with links to what is known, mostly lately, and to some that are new."""

    def __init__(self, urls: int) -> None:
        self.urls = urls
        self.chance = random.Random(5)
        self.texts = list(generated(1_000, CHARACTERS))
        self.made = self.found = 0

    def numbers(self, host: int) -> list[int]:
        """Those of the links of a page of this host: in ten of them one to another host, one to whatever is known, else
        to the latest of the host, which are known but for the last ones."""
        newest = max(0, self.urls - RECENT)
        numbers = [self.chance.randrange(0 if n % 10 == 0 else newest, self.urls) for n in range(LINKS - NEW_LINKS)]
        numbers += [self.urls + HOSTS * (self.found + n) + self.chance.randrange(HOSTS) for n in range(NEW_LINKS)]
        self.found += NEW_LINKS
        return [number if n % 10 == 5 else number - number % HOSTS + host for n, number in enumerate(numbers)]

    def offer(self, conn: Connection) -> None:
        """The links of a page are made known."""
        ledger.offer(conn, [offer_of(number) for number in self.numbers(self.chance.randrange(HOSTS))], NOW)

    def claim(self, conn: Connection) -> list[Lease]:
        """Leases on so many pages at once."""
        leases = claim(conn, "bench", AT_ONCE, NOW, 600.0)
        assert len(leases) == AT_ONCE
        return leases

    def claim_and_release(self, conn: Connection) -> None:
        """Leases that are given back."""
        self.claim(conn)
        ledger.release_worker(conn, "bench")

    def result(self, lease: Lease) -> PageResult:
        """The page is a new article with links."""
        self.made += 1
        title, body = self.texts[self.made % len(self.texts)]
        body = f"{body[self.made % 400 :]}，第{self.made}号，{body[: self.made % 400]}"
        digest = hashlib.sha256(body.encode()).hexdigest()
        offers = tuple(offer_of(number) for number in self.numbers(int(lease.host[1:].partition(".")[0])))
        links = tuple(Link(offered.url, offered.anchor, LinkKind.ARTICLE) for offered in offers)
        article = StoredArticle(
            url=lease.url,
            canonical_url=lease.url,
            site=lease.site,
            channel=lease.channel,
            media_class="trade",
            anchor="锚",
            title=title,
            authors=("张三",),
            source="新华网",
            published_at=datetime.fromtimestamp(NOW + self.made, UTC),
            crawled_at=datetime.fromtimestamp(NOW, UTC),
            meta_keywords=("教育",),
            meta_description=None,
            text=body,
            summary=body[:80],
            keywords=("高考", "改革"),
            language="zh",
            charset="utf-8",
            kind=PageType.ARTICLE,
            link_count=LINKS,
            priority=5,
            topic="education",
            score=0.8,
            terms=("高考",),
            model="boolean",
            subtopics=("高考",),
            body_md5=digest[:32],
            fingerprints=fingerprints_of(normalise_text(body), title),
            snapshot=digest,
            content=body.encode() * 8,
        )
        return PageResult(lease, replace(DONE, body_hash=digest[:32]), article, links, offers)


DONE = Settlement(State.DONE, Reason.STORED, status=200, fetched_at=NOW, host_next_at=NOW)
LEASE = Lease(0, "http://h0.example/", "h0.example", PageType.ARTICLE, "s0", "c0", 2, "", 5, 1, NOW, NOW)
SITE_NAMES = {f"s{site}" for site in range(SITES)}


@contextmanager
def _sqlite() -> Iterator[Store]:
    with TemporaryDirectory(prefix="newsspider-bench-") as folder:
        yield (
            f"sqlite:///{folder}/news.db",
            lambda: float(sum(part.stat().st_size for part in Path(folder).iterdir())),
            lambda: 0.0,
        )


@contextmanager
def _postgresql() -> Iterator[Store]:
    with postgres(fsync=True) as server:
        url = server.create("bench")
        master = int((server.data / "postmaster.pid").read_text("utf-8").split()[0])
        yield url, lambda: float(server.execute("SELECT pg_database_size('bench')")[0][0]), partial(_seconds_of, master)


_PROCESSES = "SELECT pid FROM pg_stat_activity WHERE backend_type <> 'autovacuum worker'"


def _bytes(engine: Engine) -> tuple[int, int]:
    """Which the database has read from the system and written so far; of PostgreSQL, without those of ended processes."""
    pids = ["self"]
    if engine.dialect.name == "postgresql":
        with engine.connect() as conn:
            pids = [str(pid) for pid in conn.exec_driver_sql(_PROCESSES).scalars()]
    total = [0, 0]
    for pid in pids:
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/io").read_text("utf-8").splitlines()
            total = [sum_ + int(line.split()[1]) for sum_, line in zip(total, lines[:2], strict=True)]  # rchar, wchar
    return total[0], total[1]


def _seconds_of(master: int) -> float:
    """Of CPU that a process and its children have used."""
    children = Path(f"/proc/{master}/task/{master}/children").read_text("utf-8").split()
    ticks = 0
    for pid in (str(master), *children):
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
            ticks += sum(int(field) for field in (fields[11:15] if pid == str(master) else fields[11:13]))
    return ticks / TICKS


DATABASES = {"SQLite": _sqlite, "PostgreSQL": _postgresql}

if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main())
