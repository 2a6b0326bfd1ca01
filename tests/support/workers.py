"""Workers that share one store: started, killed and started again, and the store looked at meanwhile."""

import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from newsspider.store.engine.database import open_store
from newsspider.store.tables import SUSPECT_DEATHS
from tests.support.news import HOSTS, News
from tests.support.portal import Database, environment, rows
from tests.support.process import Process
from tests.support.servers import Postgres

SAMPLE_SECONDS = 0.25
PATIENCE_SECONDS = 300.0  # for what must happen sooner or later: a busy machine is no bug
STATES = frozenset({"waiting", "processing", "error", "done"})
LEASE_SECONDS = 10.0
SETTINGS = (  # two workers share the hosts: neither may hold more than half of them
    "-a", "topic=any", "-s", "DELAY_FACTOR=0", "-s", f"LEASE_SECONDS={LEASE_SECONDS}", "-s", "DOWNLOAD_TIMEOUT=8",
    "-s", "RETRY_BASE_SECONDS=0.2", "-s", f"CONCURRENT_REQUESTS={HOSTS // 2}", "-s", "LEASES_AHEAD=1",
)  # fmt: skip
EVERYTHING = "SELECT url, kind, state, fetch_count FROM urls"
HELD = "SELECT url FROM urls WHERE state = 'processing' AND lease_worker LIKE '%:{pid}:%'"
DEATHS = "SELECT max(deaths) FROM urls WHERE state = 'processing' AND lease_worker LIKE '%:{pid}:%'"
OPEN = "SELECT count(*) FROM urls WHERE state IN ('waiting', 'processing')"
SETTLED = "SELECT count(*) FROM urls WHERE state IN ('done', 'error')"
ACTIVITY = """
    SELECT pid, state, wait_event_type, wait_event, now() - state_change AS since, pg_blocking_pids(pid), left(query, 120)
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@dataclass
class Store:
    """Where the workers keep what they find."""

    database: Database
    redis: str = ""
    more: dict[str, str] = field(default_factory=dict)  # of the environment of its workers

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows that a query of the store returns."""
        return rows(self.database, query)

    def settled(self) -> int:
        """How many URLs are done or given up."""
        return int(self.rows(SETTLED)[0][0])

    def lock_waits(self) -> str:
        """Who waits for whom in the server, for a test that failed."""
        if isinstance(self.database, Path):
            return ""
        return "\n".join(map(str, rows(self.database, ACTIVITY)))

    def environment(self) -> dict[str, str]:
        """The environment of a worker."""
        more = {"NEWSSPIDER_REDIS_URL": self.redis} if self.redis else {}
        return environment(self.database) | more | self.more


@dataclass
class Worker:
    """One process that crawls."""

    store: Store
    arguments: tuple[str, ...]
    log: Path
    process: Process = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Start it, or start it again."""
        self.process = Process(("crawl", *self.arguments), self.store.environment(), self.log)

    def kill(self) -> set[str]:
        """Kill it at this instant; the URLs that it held."""
        self.process.kill()
        return self.held()

    def held(self, store: Store | None = None) -> set[str]:
        """The URLs that are leased to this process, dead or alive; ``store``: how to ask, if its own way is cut."""
        return held_by(store or self.store, self.process.pid)

    def may_be_killed(self) -> bool:
        """Whether it holds pages, none of which is suspected of killing workers: that one would be given up, rightly."""
        deaths = self.store.rows(DEATHS.format(pid=self.process.pid))[0][0]
        return deaths is not None and deaths < SUSPECT_DEATHS

    def log_end(self) -> str:
        """The end of its log."""
        return self.log.read_text("utf-8", "replace")[-8000:]

    def end(self, seconds: float) -> int:
        """Wait until it ends by itself; the exit code."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the worker still runs after {seconds:g} s: {self.log_end()}\n{self.store.lock_waits()}") from None


def held_by(store: Store, pid: int) -> set[str]:
    """The URLs that are leased to a process, dead or alive."""
    return {url for (url,) in store.rows(HELD.format(pid=pid))}


def own_store(server: Postgres, name: str, redis: str = "") -> Store:
    """An empty store on this server."""
    url = server.create(name)
    open_store(url).dispose()
    return Store(url, redis)


@contextmanager
def workers(store: Store, folder: Path, count: int, *arguments: str, log: str = "log") -> Iterator[list[Worker]]:
    """So many workers; those that still run at the end are killed."""
    fleet = [Worker(store, arguments, folder / f"{log}{number}") for number in range(count)]
    try:
        yield fleet
    finally:
        for worker in fleet:
            worker.process.kill()


@contextmanager
def watched(store: Store, portal: News) -> Iterator[Counter[str]]:
    """Sample the ledger while the block runs; yields what was wrong at some moment, and the number of samples.

    At each moment the URLs of the four states are those that the lists read so far make known: none more, none fewer.
    """
    over = threading.Event()
    observed: Counter[str] = Counter()

    def look() -> None:
        for wrong in faults_of(store.rows(EVERYTHING), portal):
            observed[wrong] += 1
        observed["samples"] += 1

    def watch() -> None:
        while not over.wait(SAMPLE_SECONDS):
            try:
                look()
            except Exception as error:  # a store that is away tells nothing
                observed[f"unseen: {type(error).__name__}"] += 1

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield observed
    finally:
        over.set()
        thread.join()


def faults_of(everything: list[tuple[Any, ...]], portal: News) -> list[str]:
    """What is wrong with a ledger: its rows are URL, kind, state and how often it was fetched."""
    if not everything:
        return []  # nothing was offered yet
    urls = [url for url, *_ in everything]
    states = Counter(state for _, _, state, _ in everything)
    read = {url for url, *_, fetched in everything if fetched}
    robots = {url for url, kind, *_ in everything if kind == "robots"}
    expected = portal.made_known(read, robots & portal.robots)
    wrong = []
    if sum(states[state] for state in STATES) != len(expected):
        wrong.append(f"the states sum to {sum(states[state] for state in STATES)}, known are {len(expected)}")
    if set(urls) != expected or len(urls) != len(expected):
        wrong.append(f"lost {sorted(expected - set(urls))[:3]}, invented {sorted(set(urls) - expected)[:3]}")
    return wrong


def assert_stored_once(store: Store, portal: News) -> None:
    """Every article is in the store exactly once, every URL is done, and no host is held."""
    assert faults_of(store.rows(EVERYTHING), portal) == []
    assert {url for url, *_ in store.rows(EVERYTHING)} == portal.known_urls
    unsettled = store.rows("SELECT url, state, reason, detail, deaths, failures FROM urls WHERE state <> 'done'")
    assert not unsettled, unsettled
    stored = [url for (url,) in store.rows("SELECT canonical_url FROM article_urls")]
    assert sorted(stored) == sorted(portal.articles)
    articles, bodies = store.rows("SELECT count(*), count(DISTINCT body_md5) FROM articles")[0]
    assert articles == bodies == len(portal.articles)
    assert store.rows("SELECT count(*) FROM hosts WHERE busy_key IS NOT NULL") == [(0,)]


def assert_ends_well(fleet: list[Worker], seconds: float = PATIENCE_SECONDS) -> None:
    """Every worker ends by itself, with nothing left undone and nothing untoward in its log."""
    codes = [worker.end(seconds) for worker in fleet]
    logs = "\n".join(worker.log_end() for worker in fleet)
    assert set(codes) == {0}, logs
    assert "Traceback" not in logs, logs


def assert_asked_once(portal: News, in_flight: Mapping[str, int]) -> None:
    """No article was asked for again, except as often as it was in flight when its worker died."""
    visits = {url: times for url, times in portal.visits().items() if url in portal.articles}
    again = {url: times for url, times in visits.items() if times > 1 + in_flight.get(url, 0)}
    assert not again, f"asked for again, though not in flight: {again}"


def until(condition: Callable[[], bool], seconds: float, details: Callable[[], str] = str) -> float:
    """Wait for the condition; returns after how many seconds it held."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, f"did not happen within {seconds:g} s {details()}"
        time.sleep(0.02)
    return time.monotonic() - began


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Dice that fall the same way for a test of one name."""
    return random.Random(request.node.name)
