"""A crawl that takes too much memory loses nothing: around the clock it restarts in its process, else it ends with a code of its own."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.events import until
from tests.support.news import News, news
from tests.support.portal import command, environment, rows
from tests.support.process import ROOT
from tests.support.serving import QUICK, Answer, article, listing, served, site

ARTICLES = 320
UNDER_WAY = 2  # pages that are asked for again where the machine takes longer for them than the end of a crawl waits


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[News]:
    with news(tmp_path / "portal", ARTICLES, delay=0.02) as running:
        running.latency = 0.0
        yield running


def crawl(database: Path, sites: Path, *arguments: str, hoards: bool = True) -> subprocess.CompletedProcess[str]:
    """A crawl to its end, in a process of its own from the start: that is what begins again."""
    settings = {"SCRAPY_SETTINGS_MODULE": "tests.crawl.hoarding", "PYTHONPATH": str(ROOT)} if hoards else {}
    line = command("crawl", "education", "-a", f"sites={sites}", "-a", "topic=any", *arguments)
    return subprocess.run(
        line, cwd=ROOT, env=environment(database) | settings, capture_output=True, text=True, encoding="utf-8", timeout=240, check=False
    )


def asked_again(portal: News) -> int:
    """How many requests for articles were not the first for their page."""
    return sum(count - 1 for url, count in portal.visits().items() if url in portal.articles)


def stored_once(database: Path, portal: News) -> bool:
    """Whether every article is stored, once."""
    stored_urls = [url for (url,) in rows(database, "SELECT url FROM urls WHERE reason = 'stored'")]
    return sorted(stored_urls) == sorted(portal.articles) and rows(database, "SELECT count(*) FROM articles") == [(ARTICLES,)]


def test_a_crawl_around_the_clock_restarts_within_its_limits_and_loses_nothing(portal: News, tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    limited = crawl(database, portal.sites, "-a", "forever=1", "-a", "pages=330")
    assert limited.returncode == 4, limited.stderr[-3000:]
    assert [reason for (reason,) in rows(database, "SELECT reason FROM runs ORDER BY started_at")] == [
        "memusage_exceeded", "memusage_exceeded", "pages_limit"
    ]  # fmt: skip
    assert rows(database, "SELECT count(DISTINCT substr(worker, 1, length(worker) - 20)) FROM runs") == [(1,)]
    assert rows(database, "SELECT count(*) FROM urls WHERE state = 'processing'") == [(0,)]
    assert rows(database, "SELECT sum(fetch_count) FROM urls WHERE kind <> 'robots'")[0][0] <= 330
    assert asked_again(portal) <= 2 * UNDER_WAY
    assert crawl(database, portal.sites, hoards=False).returncode == 0
    assert stored_once(database, portal)
    assert asked_again(portal) <= 2 * UNDER_WAY


def test_a_round_ends_with_a_code_of_its_own_and_the_same_command_goes_on(portal: News, tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    first = crawl(database, portal.sites)
    assert first.returncode == 12, first.stderr[-3000:]
    assert "MEMUSAGE_LIMIT_MB" in first.stderr.splitlines()[-1]
    assert rows(database, "SELECT reason FROM runs") == [("memusage_exceeded",)]
    assert rows(database, "SELECT count(*) FROM urls WHERE state = 'processing'") == [(0,)]
    assert crawl(database, portal.sites, hoards=False).returncode == 0
    assert stored_once(database, portal)
    assert asked_again(portal) <= UNDER_WAY


def test_a_limit_below_what_a_crawl_takes_at_its_start_refuses_it(portal: News, tmp_path: Path) -> None:
    done = crawl(tmp_path / "news.db", portal.sites, "-a", "forever=1", "-s", "MEMUSAGE_LIMIT_MB=64")
    assert done.returncode == 12, done.stderr[-3000:]
    assert "MEMUSAGE_LIMIT_MB=64: this crawl takes" in done.stderr
    assert "restarts" not in done.stderr
    assert not portal.visits()


def test_a_page_limit_reached_while_finishing_outranks_the_memory_limit(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        if path == "/robots.txt":
            return 404, "", {}
        if path == "/":
            return listing(1, 2)
        until(lambda: "it finishes its pages" in log.read_text("utf-8"))
        return article(1)

    log, database = tmp_path / "log", tmp_path / "news.db"
    with served("127.0.0.87", play) as (base, requests):
        sites, own = site(tmp_path, base, {"/": 5}), ("-s", "HOARD_AFTER_PAGES=1", "-s", f"LOG_FILE={log}")
        ended = crawl(database, sites, "-a", "forever=1", "-a", "pages=2", *own, *QUICK)
    assert ended.returncode == 4, ended.stderr[-3000:]
    assert rows(database, "SELECT reason FROM runs") == [("pages_limit",)]
    assert sorted(requests.values()) == [1, 1, 1]
