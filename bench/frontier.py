"""``python -m bench.frontier``: claims and offers a second of the frontier with a million URLs known, on each database.

A step is what a crawl does: 16 leases claimed, then settled with 60 links a page, nine of ten of them known. Every
transaction is committed as in a crawl.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, Engine, text

from bench.others import accepted, lossy
from newsspider.core.crawling.visit import Lease, Offer, Settlement
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.model import PageType, Reason, State
from newsspider.core.url import host_of, url_key
from newsspider.frontier.sql_frontier import claim
from newsspider.store import ledger
from newsspider.store.engine.database import open_store
from newsspider.store.engine.writer import Writer
from tests.support.servers import postgres

KNOWN = 1_000_000
HOSTS = 2000
AT_ONCE = 16
LINKS = 60
NEW_LINKS = 6
SECONDS = 8.0  # of each figure
START = 1_800_000_000.0
COLUMNS = (
    "key",
    "url",
    "host",
    "site",
    "channel",
    "kind",
    "state",
    "reason",
    "depth",
    "anchor",
    "priority",
    "found_at",
    "due_at",
)
QUEUES = """
    INSERT INTO queues (host, site, queue, due_at, top_priority)
    SELECT host, site, queue, min(due_at), max(priority) FROM urls WHERE queue IN (0, 1, 3) GROUP BY host, site, queue
"""
LINE = "{:<12}{:>12}{:>12}{:>12}{:>12}{:>12}"


@dataclass(frozen=True, slots=True)
class Figures:
    """What one database did: URLs a second while it was filled, claims and offers a second then, bytes a URL on disk."""

    filled: float
    claims: float
    offers: float
    steps: float
    url_bytes: float


def main() -> int:
    """Measure both databases and print their figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.frontier", description=__doc__)
    parser.add_argument("--urls", type=int, default=KNOWN, help="that are known before anything is measured")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="that each figure is measured for")
    parser.add_argument(
        "--others", type=int, default=0, metavar="N", help="instead: offer so many URLs that are not known"
    )
    options = parser.parse_args()
    if options.others:
        return print_others(options.urls, options.others)
    print_figures(options.urls, options.seconds)
    return 0


def print_others(urls: int, others: int) -> int:
    """One line a database, one for the lossy memory; the exit code is 1 if an offer was refused, or the memory errs too often."""
    print(f"{urls} URLs known, {others} others offered, {LINKS} at once")
    print(LINE.format("", "accepted", "stored", "offers/s", "bytes/URL", ""))
    good = True
    for name, opened in DATABASES.items():
        with opened() as (url, size):
            engine = open_store(url)
            fill(engine, urls)
            engine.dispose()
            result = accepted(url, size, urls, others, offer_of, LINKS)
        good = good and result.accepted == result.stored == others
        print(
            LINE.format(name, result.accepted, result.stored, f"{result.offers:.0f}", f"{result.url_bytes:.0f}", ""),
            flush=True,
        )
    chance = random.Random(1)
    memory = lossy(iter(lambda: chance.getrandbits(64) - 2**63, None), urls, others)
    print(
        f"bloom memory: stated error rate {memory.stated:g}, measured {memory.measured:.6f}; {memory.url_bytes:.1f} bytes a URL,"
        f" {memory.microseconds:.1f} us a question"
    )
    return int(not good or memory.measured > memory.stated)


def print_figures(urls: int = KNOWN, seconds: float = SECONDS) -> None:
    """One line a database."""
    print(
        f"{urls} URLs known on {HOSTS} hosts; {AT_ONCE} leases a claim, {LINKS} links a page of which {NEW_LINKS} are new"
    )
    print(LINE.format("", "filled/s", "claims/s", "offers/s", "pages/s", "bytes/URL"))
    for name, opened in DATABASES.items():
        with opened() as (url, size):
            figures = measured(url, size, urls, seconds)
        rates = (
            f"{value:.0f}"
            for value in (figures.filled, figures.claims, figures.offers, figures.steps, figures.url_bytes)
        )
        print(LINE.format(name, *rates), flush=True)


def measured(url: str, size: Callable[[], float], urls: int, seconds: float) -> Figures:
    """The figures of one empty database."""
    engine = open_store(url)
    writer = Writer(engine, 64, 60.0)
    try:
        began = time.monotonic()
        fill(engine, urls)
        filled = urls / (time.monotonic() - began)
        url_bytes = size() / urls
        return Figures(
            filled, claims(writer, seconds), offers(writer, urls, seconds), steps(writer, urls, seconds), url_bytes
        )
    finally:
        writer.close()
        engine.dispose()


def fill(engine: Engine, urls: int) -> None:
    """Make so many URLs known, on hosts whose robots.txt was read; every tenth waits, the others are done."""
    with engine.begin() as conn:
        cursor = conn.connection.cursor()
        if engine.dialect.name == "postgresql":
            with cursor.copy(f"COPY urls ({', '.join(COLUMNS)}) FROM STDIN") as copy:
                for row in _rows(urls):
                    copy.write_row(row)
        else:
            cursor.executemany(
                f"INSERT INTO urls ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})",
                _rows(urls),  # type: ignore[arg-type] # SQLite takes an iterator
            )
        conn.execute(text("INSERT INTO hosts (host) SELECT DISTINCT host FROM urls"))
        conn.execute(text(QUEUES))
        for number in range(HOSTS):
            ledger.keep_robots(conn, f"h{number}.example", RobotsText(200, b"", START))
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
            conn.execute(text("VACUUM ANALYZE"))  # what its daemon does a minute later


def claims(writer: Writer, seconds: float) -> float:
    """Claimed and released leases a second."""
    return _rate(seconds, lambda: writer.submit(_claim_and_release).result())


def offers(writer: Writer, urls: int, seconds: float) -> float:
    """Offered links a second, a page's links at once."""
    return _rate(seconds, lambda: writer.submit(partial(_offer_links, urls=urls)).result())


def steps(writer: Writer, urls: int, seconds: float) -> float:
    """Pages a second that are claimed, settled and whose links are offered."""

    def step() -> int:
        leases = writer.submit(_claim).result()
        saved = [writer.submit(partial(_save, lease=lease, urls=urls)) for lease in leases]
        return sum(future.result() for future in saved)

    return _rate(seconds, step)


def _rate(seconds: float, step: Callable[[], int]) -> float:
    step()
    done, began = 0, time.monotonic()
    while (spent := time.monotonic() - began) < seconds:
        done += step()
    return done / spent


def _claim(conn: Connection) -> list[Lease]:
    return claim(conn, "bench", AT_ONCE, START + 100, 600.0)


def _claim_and_release(conn: Connection) -> int:
    leases = _claim(conn)
    ledger.release_worker(conn, "bench")
    return len(leases)


def _save(conn: Connection, lease: Lease, urls: int) -> int:
    done = Settlement(State.DONE, Reason.STORED, status=200, fetched_at=START + 100, host_next_at=START + 100)
    _offer_links(conn, urls)
    return int(ledger.settle(conn, lease, done))


def _offer_links(conn: Connection, urls: int) -> int:
    known_offers = [offer_of(random.randrange(urls)) for _ in range(LINKS - NEW_LINKS)]
    new_offers = [offer_of(random.randrange(urls, 2**60)) for _ in range(NEW_LINKS)]
    ledger.offer(conn, known_offers + new_offers, START + 100)
    return LINKS


def _rows(urls: int) -> Iterator[tuple[object, ...]]:
    for number in range(urls):
        offer, waits = offer_of(number), number // HOSTS % 10 == 0
        state, reason, due_at = ("waiting", "found", START) if waits else ("done", "stored", None)
        yield (
            offer.key,
            offer.url,
            offer.host,
            offer.site,
            offer.channel,
            "article",
            state,
            reason,
            offer.depth,
            offer.anchor,
            offer.priority,
            START,
            due_at,
        )


def offer_of(number: int) -> Offer:
    """The URL of this number, as a list page offers it."""
    url = f"http://h{number % HOSTS}.example/news/2026/0501/t2026_{number}.html"
    return Offer(
        url_key(url),
        url,
        host_of(url),
        PageType.ARTICLE,
        "site",
        "news",
        2,
        anchor="教育部发布通知",
        priority=number % 50,
    )


@contextmanager
def _sqlite() -> Iterator[tuple[str, Callable[[], float]]]:
    with TemporaryDirectory(prefix="newsspider-bench-") as folder:
        file = Path(folder) / "news.db"

        def size() -> float:
            return float(sum(part.stat().st_size for part in Path(folder).iterdir()))

        yield f"sqlite:///{file}", size


@contextmanager
def _postgresql() -> Iterator[tuple[str, Callable[[], float]]]:
    with postgres(fsync=True) as server:
        url = server.create("bench")
        yield url, lambda: float(server.execute("SELECT pg_database_size('bench')")[0][0])


DATABASES = {"SQLite": _sqlite, "PostgreSQL": _postgresql}

if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main())
