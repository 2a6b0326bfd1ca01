"""Each way to end a crawl has its own reason, sentence and exit code."""

import signal
import sqlite3
from pathlib import Path

import pytest

from tests.support.events import until
from tests.support.portal import Portal, rows, scrapy, start, stop
from tests.support.serving import QUICK, Answer, article, listing, served, site


@pytest.mark.parametrize(
    ("argument", "reason", "code"),
    [("pages=20", "pages_limit", 4), ("articles=5", "articles_limit", 3), ("minutes=0.02", "minutes_limit", 5)],
)
def test_a_limit_ends_the_crawl_and_the_next_one_goes_on(
    quiet: Portal, tmp_path: Path, argument: str, reason: str, code: int
) -> None:
    database = tmp_path / "news.db"
    done = scrapy(database, "crawl", "education", "-a", f"sites={quiet.sites}", "-a", argument)
    assert done.returncode == code, done.stderr[-2000:]
    assert "limit" in done.stderr.splitlines()[-1]
    assert rows(database, "SELECT reason FROM runs") == [(reason,)]
    assert rows(database, "SELECT count(*) FROM urls WHERE state = 'processing'") == [(0,)]
    waiting = rows(database, "SELECT count(*) FROM urls WHERE state = 'waiting'")[0][0]
    assert waiting > 0
    fetched = rows(database, "SELECT sum(fetch_count) FROM urls WHERE kind <> 'robots'")[0][0] or 0
    assert argument != "pages=20" or fetched <= 20


def test_a_signal_stops_the_crawl_with_its_own_code_and_gives_every_lease_back(quiet: Portal, tmp_path: Path) -> None:
    database, log = tmp_path / "news.db", tmp_path / "log"
    process = start(database, "crawl", "education", "-a", f"sites={quiet.sites}", "-a", "forever=1", log=log)
    until(lambda: rows(database, "SELECT count(*) FROM articles")[0][0] > 5, process)
    assert stop(process, signal.SIGTERM, timeout=240) == 143
    assert rows(database, "SELECT count(*) FROM urls WHERE state = 'processing'") == [(0,)]
    assert rows(database, "SELECT reason FROM runs") == [("shutdown",)]


def test_a_crawl_that_could_not_read_some_lists_says_how_many_and_has_a_code_of_its_own(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        if path == "/robots.txt" or (path == "/gone/" and times == 1):
            return 404, "", {}
        return article(int(path[-9:-5])) if path.startswith("/2024/") else listing(1, 2)

    database = tmp_path / "n.db"
    with served("127.0.0.86", play) as (base, _):
        command = ("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5, '/gone/': 9, '/b/': 8})}", *QUICK)
        first, second = scrapy(database, *command), scrapy(database, *command)
    assert first.returncode == 9, first.stderr[-2000:]
    figures, end = first.stderr.splitlines()[-2:]
    assert figures == "scrapy crawl: 1 of 3 lists could not be read: `scrapy status` says why"
    assert "lists that could not be read" in end
    assert rows(database, "SELECT count(*) FROM articles") == [(2,)]
    assert second.returncode == 0, second.stderr[-2000:]
    assert "could not be read" not in second.stderr
    assert rows(database, "SELECT reason FROM runs ORDER BY id") == [("unread_lists",), ("finished",)]


def test_a_crawl_that_could_read_no_list_does_not_end_as_finished(tmp_path: Path) -> None:
    sites = site(tmp_path, "http://127.0.0.1:9", {"/": 5})
    done = scrapy(tmp_path / "news.db", "crawl", "education", "-a", f"sites={sites}", *QUICK, "-s", "ROUND_PATIENCE_SECONDS=1")
    assert done.returncode == 7, done.stderr[-2000:]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("crawl", "education", "-a", "page=3"), "unknown argument"),
        (("crawl", "education", "-a", "pages=many"), "pages"),
        (("crawl", "education", "-a", "forever=maybe"), "forever"),
        (("crawl", "education", "-a", "topic=nothing"), "nothing"),
        (("crawl", "education", "-a", "sites=/nowhere"), "/nowhere"),
        (("crawl", "education", "-s", "RELEVANCE_MODEL=magic"), "RELEVANCE_MODEL"),
        (("crawl", "education", "-s", "DATABASE_URL=no/url"), "DATABASE_URL"),
        (("crawl", "education", "-s", "DATABASE_URL=oracle://host/db"), "DATABASE_URL"),
        (("crawl", "education", "-s", "TOPIC=nothing"), "TOPIC=nothing: say a topic"),
        (("crawl", "education", "-s", "LEASE_SECONDS=0"), "LEASE_SECONDS=0: say seconds from 1"),
        (("crawl", "education", "-s", "HOLIDAYS=XX"), "HOLIDAYS=XX: "),
        (("crawl", "education", "-s", "ROBOTSTXT_OBEY=False"), "newsspider always obeys robots.txt"),
        (("crawl", "education", "-L", "LOUD"), "LOG_LEVEL=LOUD: there are"),
        (("crawl", "education", "--logfile", "/nowhere/log"), "--logfile /nowhere/log: No such file"),
        (("crawl", "education", "--pidfile", "/nowhere/pid"), "--pidfile /nowhere/pid: No such file"),
        (("crawl", "education", "--frob"), "--frob"),
        (("crawl", "nothing"), "education"),
        (("crawl",), "education"),
    ],
)
def test_wrong_use_is_refused_with_one_sentence(tmp_path: Path, arguments: tuple[str, ...], expected: str) -> None:
    done = scrapy(tmp_path / "news.db", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    usage, sentence = done.stderr.splitlines()
    assert usage == "usage: scrapy crawl [options] <spider>"
    assert ": error: " in sentence
    assert expected in sentence


def test_a_refusal_is_written_to_the_log_file_too(tmp_path: Path) -> None:
    log = tmp_path / "log"
    done = scrapy(tmp_path / "news.db", "crawl", "education", "-s", "LOG_LEVEL=LOUD", "-s", f"LOG_FILE={log}")
    assert done.returncode == 2
    assert "ERROR: scrapy crawl: LOG_LEVEL=LOUD" in log.read_text("utf-8")
    assert not (tmp_path / "news.db").exists()


def test_a_store_that_fails_at_the_start_is_one_sentence_and_the_code_of_a_failed_store(tmp_path: Path) -> None:
    database, log = tmp_path / "news.db", tmp_path / "log"
    assert scrapy(database, "status").returncode == 0
    database.write_bytes(database.read_bytes()[:4096] + b"broken" * 999)
    done = scrapy(database, "crawl", "education", "-s", f"LOG_FILE={log}")
    assert (done.returncode, done.stdout) == (8, "")
    assert done.stderr.startswith("scrapy crawl: the store ")
    assert done.stderr.count("\n") == 1
    assert done.stderr.strip() in log.read_text("utf-8")


def test_no_crawl_leaves_a_site_out_that_cannot_be_used(tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    assert scrapy(database, "sites", "add", "http://a.example/", "--name", "甲", "--weight", "5").returncode == 0
    with sqlite3.connect(database) as conn:
        conn.execute("UPDATE sites SET toml = replace(toml, 'weight = 5', 'weight = 50') WHERE name = '甲'")
    for words in (("education",), ("education", "-a", "workers=2"), ("explore", "-a", "strategy=worm", "-a", "seeds=http://127.0.0.1:9/")):
        done = scrapy(database, "crawl", *words)
        _, sentence = done.stderr.splitlines()
        assert "the stored site '甲' cannot be used: weight: " in sentence
        assert "scrapy sites remove '甲'" in sentence
    with sqlite3.connect(database) as conn:
        conn.execute("UPDATE sites SET origin_hash = '' WHERE origin <> ''")  # the crawl takes new texts over first
    done = scrapy(database, "crawl", "education")
    assert done.returncode == 2
    assert "refused: the stored site '甲' cannot be used: weight: " in done.stderr
    assert "Traceback" not in done.stderr
    assert scrapy(database, "sites", "disable", "甲").returncode == 0
    done = scrapy(database, "crawl", "education", "-a", "minutes=0.01", "-s", "DNS_SERVERS=127.0.0.1:9", *QUICK)
    assert done.returncode == 5, done.stderr[-2000:]


def test_a_run_that_cannot_be_begun_is_an_error_and_not_a_round_with_nothing_to_do(tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    assert scrapy(database, "status").returncode == 0
    with sqlite3.connect(database) as conn:
        conn.execute("ALTER TABLE channels RENAME TO others")
    for arguments in (("education",), ("explore", "-a", "strategy=worm", "-a", "seeds=http://127.0.0.1:9/")):
        done = scrapy(database, "crawl", *arguments)
        assert done.returncode == 1, done.stderr[-2000:]
        assert "the run could not be started" in done.stderr
        assert done.stderr.rstrip().endswith("an error of ours stopped the crawl; see the log")
