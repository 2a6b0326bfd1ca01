"""No command, no error and no log line holds what a terminal obeys, wherever it came from."""

import json
import logging
import re
from pathlib import Path

import pytest

from newsspider.core.model import PageType
from newsspider.logformatter import EscapedRecords, escape_logs
from newsspider.store import ledger
from newsspider.store.engine.database import open_store
from tests.support.commands import database, scrapy
from tests.support.samples import NOW, lease_on, offer, save_article

__all__ = ["database", "scrapy"]

HOSTILE = "开\x1b[31m学\x07\x9b2J\u202e典\x7f礼\r\u2066"
OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
URL, OTHER, WAITING = "http://h.cn/1", "http://i.cn/2", "http://j.cn/3"


@pytest.fixture
def hostile(database):
    """The same store, with articles of which every text holds escape sequences, as an earlier newsspider stored them."""
    engine = open_store(database)
    with engine.begin() as conn:
        lease = lease_on(conn, "http://k.cn/list", kind=PageType.LIST, site=HOSTILE, channel=HOSTILE)
        for url in (URL, OTHER):
            save_article(
                conn, url, f"{HOSTILE}高考改革方案。" * 20 + url, title=HOSTILE, site=HOSTILE, source=HOSTILE, authors=(HOSTILE,),
                subtopics=(HOSTILE,),
            )  # fmt: skip
        ledger.offer(conn, [offer(WAITING, parent=lease.key, anchor=HOSTILE)], NOW)
    engine.dispose()


@pytest.mark.parametrize(
    "words",
    [
        "search 高考", "search 高考 --json", "search 高考 --reprints", "export", "explain http://h.cn/1", "explain http://j.cn/3",
        "reprints", "reprints http://h.cn/1", "reprints --json", "status", "status --json", "changes", "graph top",
        "news 2026-11-01", "news 2026-11-01 --json", f"show {URL}", f"show {URL} --html", f"show {URL} --json",
        "topics drift education", "topics labels education", f"export --site {HOSTILE}",
        f"search 高考 --site {HOSTILE}",
    ],
)  # fmt: skip
def test_what_stands_in_the_store_is_printed_without_control_characters(scrapy, hostile, words):
    ran = scrapy(*words.split(" "))
    assert ran.code in (0, 1)
    assert not OBEYED.search(ran.out + ran.err)


def test_json_lines_mean_what_stands_in_the_store(scrapy, hostile):
    records = [json.loads(line) for line in scrapy("export", "--site", HOSTILE).out.splitlines()]
    assert [record["title"] for record in records] == [HOSTILE, HOSTILE]


def test_a_line_feed_in_a_title_makes_no_line_of_its_own(scrapy, database):
    engine = open_store(database)
    with engine.begin() as conn:
        save_article(conn, URL, "高考改革方案", title="真标题\n2027-01-01 00:00  假标题")
    engine.dispose()
    assert not [line for line in scrapy("search", "高考").out.splitlines() if line.startswith("2027-01-01 00:00  假")]


@pytest.mark.parametrize(
    "words",
    [
        ["explain", f"ftp://{HOSTILE}"], ["submit", HOSTILE], ["forget", HOSTILE], ["search", f"since:{HOSTILE}"],
            ["search", "a", "--since", HOSTILE],
        ["search", "a", "--sort", HOSTILE],
        ["news", HOSTILE], ["show", HOSTILE], ["export", "--limit", HOSTILE], ["sites", "show", HOSTILE], ["sites", HOSTILE],
        ["sites", "test", HOSTILE], ["topics", "show", HOSTILE], ["score", "--topic", HOSTILE], ["score", "--model", HOSTILE],
        ["extract", HOSTILE, "--url", "http://a.cn/"], ["links", HOSTILE, "--url", "http://a.cn/"], ["status", f"--{HOSTILE}"],
        ["topics", "drift", "education", "--weeks", HOSTILE], ["status", f"--se={HOSTILE}"], ["export", f"--s={HOSTILE}"],
        ["crawl", HOSTILE], ["crawl", "education", "-a", f"{HOSTILE}=1"], ["crawl", "education", "-a", f"sites={HOSTILE}"],
        ["crawl", "education", "-s", f"LOG_LEVEL={HOSTILE}"], ["status", "-s", f"DATABASE_URL={HOSTILE}"],
        ["crawl", "education", "--pidfile", f"/nowhere/{HOSTILE}"], ["export", "--pidfile", f"/nowhere/{HOSTILE}"],
    ],
)  # fmt: skip
def test_what_the_user_said_is_repeated_without_control_characters(scrapy, words):
    ran = scrapy(*words)
    assert ran.code in (1, 2)
    assert not OBEYED.search(ran.out + ran.err)


def test_the_bytes_of_a_page_are_not_written_to_a_terminal(scrapy, database, monkeypatch):
    import sys

    engine = open_store(database)
    with engine.begin() as conn:
        save_article(conn, URL, "正文", content=b"\x1b[31m", snapshot="a" * 64)
    engine.dispose()
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True)
    ran = scrapy("extract", "--snapshot", URL, "--content")
    assert (ran.code, ran.out) == (2, "")


def test_log_lines_and_tracebacks_are_escaped_and_keep_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "log"
    handler = logging.FileHandler(file, encoding="utf-8")
    logging.root.addHandler(handler)
    try:
        escape_logs()
        escape_logs()
        assert sum(isinstance(log_filter, EscapedRecords) for log_filter in handler.filters) == 1
        log = logging.getLogger("tests.terminal")
        log.warning("page %s", HOSTILE)
        try:
            raise ValueError(HOSTILE)
        except ValueError:
            log.exception("failed over %(url)s", {"url": HOSTILE})
    finally:
        logging.root.removeHandler(handler)
        handler.close()
    written = file.read_text("utf-8")
    assert not OBEYED.search(written)
    assert "\\u001b[31m" in written
    assert "Traceback (most recent call last):\n" in written
