"""Workers of a fleet on PostgreSQL and Redis: killed, and Redis wiped and restarted, while they crawl the whole portal."""

import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from newsspider.core.crawling.finish import Finish, ending
from newsspider.store.tables import SUSPECT_DEATHS
from tests.support.events import until
from tests.support.portal import Portal, environment, known_urls, lost, rows, scrapy
from tests.support.process import Process, completed
from tests.support.servers import MIGRATED, Postgres, RedisServer, redis_server
from tests.support.serving import Answer, article, listing, served, site
from tests.support.workers import DEATHS, OPEN, SETTLED

KILLS = 6
QUICK = ("-s", "LEASE_SECONDS=10", "-s", "DOWNLOAD_TIMEOUT=8", "-s", "SEEN_FILTER=redis")
COUNTS = "SELECT count(*), count(*) FILTER (WHERE state IN ('waiting', 'processing', 'error', 'done')), count(DISTINCT key) FROM urls"
TWICE = "SELECT host, count(*) FROM urls WHERE state = 'processing' GROUP BY host HAVING count(*) > 1"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@contextmanager
def store(server: Postgres, name: str) -> Iterator[str]:
    url = server.create(name, MIGRATED)
    try:
        yield url
    finally:
        server.drop(name)


@contextmanager
def sampled(url: str) -> Iterator[list[tuple[int, int, int]]]:
    """The counts of the ledger, again and again while the block runs."""
    over, samples = threading.Event(), []

    def sample() -> None:
        while not over.wait(0.2):
            samples.append(rows(url, COUNTS)[0])
            assert rows(url, TWICE) == []

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples  # type: ignore[misc]
    finally:
        over.set()
        thread.join()


def started(url: str, redis: str, log: Path, *arguments: str) -> Process:
    return Process(("crawl", "education", *QUICK, *arguments), environment(url) | {"NEWSSPIDER_REDIS_URL": redis}, log)


def small(path: str, _: int) -> Answer:
    """A site of 60 articles."""
    if path == "/robots.txt":
        return 404, "", {}
    return article(int(path[-9:-5])) if path.startswith("/2024/") else listing(*range(60))


def _harmless(url: str, workers: list[Process]) -> list[int]:
    """The numbers of the workers that may be killed: a page that kills its workers again and again would be given up, rightly."""
    harmless: list[int] = []

    def look() -> bool:
        deaths = [rows(url, DEATHS.format(pid=worker.pid))[0][0] for worker in workers]
        harmless.extend(n for n, most in enumerate(deaths) if (most or 0) < SUSPECT_DEATHS)
        return bool(harmless)

    until(look)
    return harmless


def test_kills_of_workers_and_the_loss_of_redis_change_nothing_in_what_is_stored(
    quiet: Portal, tmp_path: Path, migrated: Postgres, redis: RedisServer
) -> None:
    alone = tmp_path / "alone.db"
    sites = ("-a", f"sites={quiet.sites}")
    assert scrapy(alone, "crawl", "education", *sites).returncode == 0
    pages = rows(alone, SETTLED)[0][0]
    moments = sorted(random.sample(range(5, pages * 4 // 5), KILLS + 2))
    wiped, restarted = random.sample(moments, 2)
    with store(migrated, "killed_fleet") as url, sampled(url) as samples:
        workers = [started(url, redis.url, tmp_path / f"log{n}", *sites) for n in range(2)]
        for moment in moments:
            until(lambda moment=moment: rows(url, SETTLED)[0][0] >= moment, seconds=240)  # type: ignore[misc]
            if moment == wiped:
                with Redis.from_url(redis.url) as client:
                    client.flushall()
            elif moment == restarted:
                redis.restart()
            else:
                n = random.choice(_harmless(url, workers))
                workers[n].send_signal(signal.SIGKILL)
                workers[n].wait(240)
                workers[n] = started(url, redis.url, tmp_path / f"log{n}", *sites)
        codes = [worker.wait(240) for worker in workers]
        logs = "\n".join((tmp_path / f"log{n}").read_text("utf-8")[-3000:] for n in range(2))
        details = f"killed at {moments}, wiped at {wiped}, restarted at {restarted}\n{logs}"
        assert codes == [0, 0], details
        assert "Traceback" not in logs, details
        assert rows(url, OPEN) == [(0,)], details
        assert {urls for urls, in_states, keys in samples if urls != in_states or urls != keys} == set()
        assert len(samples) > 5
        ours, theirs = ({address for (address,) in rows(base, "SELECT canonical_url FROM article_urls")} for base in (url, alone))
        assert ours == theirs, details
        bodies = [body_md5 for (body_md5,) in rows(url, "SELECT body_md5 FROM articles")]
        assert len(bodies) == len(set(bodies)) > 50
        assert lost(known_urls(url), known_urls(alone)) == lost(known_urls(alone), known_urls(url)) == set()


def test_a_url_pushed_to_the_list_of_start_urls_is_fetched_by_a_running_fleet(
    tmp_path: Path, migrated: Postgres, redis: RedisServer
) -> None:
    with (
        served("127.0.2.88", small) as (base, _), store(migrated, "submitted_to_fleet") as url, Redis.from_url(redis.url) as client
    ):  # fmt: skip
        client.flushall()
        page, sites = f"{base}/not/in/any/list.html", site(tmp_path, base, {"/": 5})
        worker = started(url, redis.url, tmp_path / "log", "-a", f"sites={sites}", "-a", "forever=1")
        try:
            until(lambda: rows(url, SETTLED)[0][0] >= 5, worker)
            client.rpush("education:start_urls", f'{{"url": "{page}", "version": 1}}', "no url")
            fetched = f"SELECT count(*) FROM urls WHERE url = '{page}' AND last_fetched_at IS NOT NULL"
            until(lambda: rows(url, fetched) == [(1,)], worker, 240)
            assert client.llen("education:start_urls") == 0
            assert client.llen("education:dead_letters") == 1
        finally:
            worker.send_signal(signal.SIGTERM)
            code = worker.wait(240)
        assert code == ending(Finish.SHUTDOWN).exit_code, (tmp_path / "log").read_text("utf-8")[-3000:]


def test_a_crawl_whose_redis_was_never_there_finishes_all_the_same(tmp_path: Path) -> None:
    environ = environment(tmp_path / "news.db") | {"NEWSSPIDER_REDIS_URL": "redis://127.0.0.1:9/0"}
    with served("127.0.2.88", small) as (base, _):
        sites = site(tmp_path, base, {"/": 5})
        done = completed(("crawl", "education", "-a", f"sites={sites}", "-a", "pages=40", *QUICK), environ, 120)
    assert done.returncode == ending(Finish.PAGES).exit_code, done.stderr[-3000:]
    assert done.stderr.count("so the ledger is") == 1
