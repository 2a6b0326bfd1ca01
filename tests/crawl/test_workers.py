"""``-a workers=N``: processes that share one crawl, start and stop together, and survive each other."""

import json
import os
import pty
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from tests.support.events import until
from tests.support.hosts import Hosts, served
from tests.support.portal import ROOT, command, environment, rows

pytestmark = pytest.mark.slow
HOSTS = [f"127.0.6.{n}" for n in range(1, 5)]
ARTICLES = 25
DELAY = 1.0  # seconds: the work lasts until both workers are there, on a slow machine too
RUNS = "SELECT worker, reason, figures FROM runs ORDER BY id"
STORED = "SELECT count(*) FROM articles"


class Crawl:
    """A crawl by two workers of hosts with a delay, in a store of its own."""

    def __init__(self, folder: Path, hosts: Hosts, sites: Path) -> None:
        self.hosts, self.sites = hosts, sites
        self.database, self.log = folder / "news.db", folder / "log"
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str, stderr: int | None = None) -> subprocess.Popen[bytes]:
        """Start it; its log goes to a file, or all that it says to a descriptor."""
        line = command("crawl", "education", "-a", f"sites={self.sites}", "-a", "topic=any", "-a", "workers=2", *arguments)
        line += ["-s", "DELAY_FACTOR=0", "-s", "DELAY_MIN_SECONDS=0"]
        with self.log.open("ab") as log:
            process = subprocess.Popen(line, cwd=ROOT, env=environment(self.database), stderr=log if stderr is None else stderr)
        self.processes.append(process)
        return process

    def runs(self) -> dict[int, tuple[str | None, int]]:
        """The finish reason and the pages of each worker, by its process."""
        with suppress(Exception):  # the store is not there yet
            return {
                int(worker.split(":")[-2]): (reason, json.loads(figures).get("pages", 0))
                for worker, reason, figures in rows(self.database, RUNS)
            }
        return {}

    def both_work(self, process: subprocess.Popen[bytes]) -> list[int]:
        """The processes of the workers, when both say that they live."""
        until(lambda: rows(self.database, "SELECT count(*) FROM workers") == [(2,)], process, 120, self.log_text)
        return list(self.runs())

    def log_text(self) -> str:
        """The log so far."""
        return self.log.read_text("utf-8")

    def pages(self) -> Counter[tuple[str, str]]:
        """How often each article was asked for."""
        return Counter((hit.host, hit.path) for hit in self.hosts.hits if hit.path.startswith("/2024/"))


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    with served(Hosts(ARTICLES)) as hosts:
        hosts.open()
        crawl = Crawl(tmp_path, hosts, hosts.sites(tmp_path / "sites", HOSTS, DELAY))
        yield crawl
        for process in crawl.processes:
            process.kill()
            process.wait(240)


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal."""
    ends = pty.openpty()
    try:
        yield ends
    finally:
        for end in ends:
            with suppress(OSError):
                os.close(end)


def test_two_workers_share_a_crawl_with_one_progress_line(crawl: Crawl) -> None:
    with terminal() as (reading, writing):
        process = crawl.start("-s", "PROGRESS_SECONDS=0.2", "-s", "LOG_LEVEL=WARNING", stderr=writing)
        os.close(writing)
        output = b""
        with suppress(OSError):  # all have closed the terminal
            while part := os.read(reading, 1 << 16):
                output += part
    assert process.wait(240) == 0, output
    assert crawl.pages() == dict.fromkeys(crawl.pages(), 1)
    assert rows(crawl.database, STORED) == [(len(HOSTS) * ARTICLES,)]
    runs = crawl.runs().values()
    assert [reason for reason, _ in runs] == [Finish.FINISHED] * 2
    assert all(pages > 0 for _, pages in runs)
    pages = [int(number) for number in re.findall(rb"pages (\d+)", output)]
    assert pages == sorted(pages)  # one line for both, which counts what both did
    assert pages[-1] == sum(pages for _, pages in runs)


def test_a_signal_stops_all_workers(crawl: Crawl) -> None:
    process = crawl.start()
    crawl.both_work(process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(240) == ending_of_reason(Finish.SHUTDOWN).exit_code, crawl.log_text()
    assert [reason for reason, _ in crawl.runs().values()] == [Finish.SHUTDOWN] * 2
    assert rows(crawl.database, "SELECT count(*) FROM urls WHERE state = 'processing'") == [(0,)]
    assert re.search(r"worker 1: .*\n(.*\n)*.*worker 2: ", crawl.log_text())


def test_workers_stop_when_the_process_that_started_them_is_killed(crawl: Crawl) -> None:
    process = crawl.start()
    crawl.both_work(process)
    process.kill()
    until(lambda: [reason for reason, _ in crawl.runs().values()] == [Finish.SHUTDOWN] * 2, None, 120, crawl.log_text)


def test_a_worker_that_is_killed_is_started_again_and_a_job_under_way_starts_none(crawl: Crawl) -> None:
    first = crawl.start("-a", "job=night")
    os.kill(crawl.both_work(first)[1], signal.SIGKILL)
    second = crawl.start("-a", "job=night")
    assert second.wait(240) == ending_of_reason(Finish.ALREADY_RUNS).exit_code, crawl.log_text()
    assert first.wait(240) == 0, crawl.log_text()
    assert "worker 2 was ended by signal 9; it is started again" in crawl.log_text()
    assert rows(crawl.database, STORED) == [(len(HOSTS) * ARTICLES,)]
    assert sorted(str(reason) for reason, _ in crawl.runs().values()) == ["died", Finish.FINISHED, Finish.FINISHED]
