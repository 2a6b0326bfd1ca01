"""A worker of a fleet on PostgreSQL and Redis: it takes what is pushed, and does without a Redis that is not there."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from tests.support.events import until
from tests.support.portal import environment, rows
from tests.support.process import Process, completed
from tests.support.servers import MIGRATED, Postgres, RedisServer, redis_server
from tests.support.serving import Answer, article, listing, served, site
from tests.support.workers import SETTLED

QUICK = ("-s", "LEASE_SECONDS=10", "-s", "DOWNLOAD_TIMEOUT=8")


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


def started(url: str, redis: str, log: Path, *arguments: str) -> Process:
    return Process(("crawl", "education", *QUICK, *arguments), environment(url) | {"NEWSSPIDER_REDIS_URL": redis}, log)


def small(path: str, _: int) -> Answer:
    """A site of 60 articles."""
    if path == "/robots.txt":
        return 404, "", {}
    return article(int(path[-9:-5])) if path.startswith("/2024/") else listing(*range(60))


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
        assert code == ending_of_reason(Finish.SHUTDOWN).exit_code, (tmp_path / "log").read_text("utf-8")[-3000:]


def test_a_crawl_whose_redis_was_never_there_finishes_all_the_same(tmp_path: Path) -> None:
    environ = environment(tmp_path / "news.db") | {"NEWSSPIDER_REDIS_URL": "redis://127.0.0.1:9/0"}
    with served("127.0.2.88", small) as (base, _):
        sites = site(tmp_path, base, {"/": 5})
        done = completed(("crawl", "education", "-a", f"sites={sites}", "-a", "pages=40", *QUICK), environ, 120)
    assert done.returncode == ending_of_reason(Finish.PAGES).exit_code, done.stderr[-3000:]
    assert done.stderr.count("so the ledger is") == 1
