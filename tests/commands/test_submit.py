"""``scrapy submit``."""

import io

import pytest
from sqlalchemy import text

from newsspider.core.url import url_key
from newsspider.store.engine.database import open_store
from tests.support.commands import FIRST, database, locked, scrapy

__all__ = ["database", "locked", "scrapy"]

NEW = "http://edu.example.cn/2026/1121/c1a2.html"


def row(database, url):
    engine = open_store(database)
    with engine.connect() as conn:
        entry = conn.execute(text("SELECT * FROM urls WHERE key = :key"), {"key": url_key(url)}).first()
    engine.dispose()
    return entry


def test_a_url_is_submitted_in_its_canonical_form_and_counted_once(scrapy, database):
    ran = scrapy("submit", NEW, NEW.replace("http://edu", "HTTP://EDU") + "#top")
    assert (ran.code, ran.out, ran.err) == (0, "", "1 submitted, 1 URLs were new\n")
    entry = row(database, NEW)
    assert (entry.state, entry.reason, entry.channel, entry.kind) == ("waiting", "submitted", "submitted", "article")


def test_a_known_url_is_fetched_again(scrapy, database):
    assert row(database, FIRST).state == "done"
    ran = scrapy("submit", FIRST)
    assert (ran.code, ran.err) == (0, "1 submitted, 0 URLs were new\n")
    assert (row(database, FIRST).state, row(database, FIRST).fetch_count) == ("waiting", 1)
    assert "somebody submitted it" in scrapy("explain", FIRST).out


def test_urls_are_read_from_standard_input(scrapy, database, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{NEW}\n\n  http://b.cn/9\n"))
    assert scrapy("submit", "-").err == "2 submitted, 2 URLs were new\n"
    assert row(database, "http://b.cn/9") is not None


def test_a_file_that_is_no_page_is_named_and_never_fetched(scrapy, database):
    ran = scrapy("submit", "http://b.cn/notice.zip", NEW)
    assert ran.code == 0
    assert ran.err.splitlines()[0].startswith("http://b.cn/notice.zip is not fetched")
    assert ran.err.splitlines()[1].startswith("1 submitted")
    assert (row(database, "http://b.cn/notice.zip").reason, row(database, "http://b.cn/notice.zip").due_at) == ("suffix", None)


def test_where_nothing_that_was_submitted_is_ever_fetched_the_exit_code_is_1(scrapy, database):
    ran = scrapy("submit", "http://10.0.0.1/")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "its address is not public" in ran.err
    assert row(database, "http://10.0.0.1/").reason == "address"


def test_no_url_on_standard_input_is_no_failure(scrapy, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    ran = scrapy("submit", "-")
    assert (ran.code, ran.err) == (0, "0 submitted, 0 URLs were new\n")


def channels(scrapy, site):
    return [line for line in scrapy("sites", "show", site).out.splitlines() if line.startswith("url = ")]


def test_a_watched_list_is_a_channel_of_its_site_or_of_a_new_one(scrapy, database):
    ran = scrapy("submit", "--watch", "http://www.x.cn/news/", "http://edu.x.cn/list.html")
    assert (ran.code, ran.err.count("is watched from now on, as a channel of www.x.cn")) == (0, 2)
    assert channels(scrapy, "www.x.cn") == ['url = "http://www.x.cn/news/"', 'url = "http://edu.x.cn/list.html"']
    again = scrapy("submit", "--watch", "http://www.x.cn/news/")
    assert (again.code, "is watched already" in again.err) == (0, True)
    scrapy("sites", "disable", "www.x.cn")
    refused = scrapy("submit", "--watch", "http://www.x.cn/more/")
    assert (refused.code, "is disabled" in refused.err) == (2, True)
    private = scrapy("submit", "--watch", "http://10.0.0.1/")
    assert (private.code, "is never fetched" in private.err) == (2, True)


@pytest.mark.parametrize("words", [(), ("",), (NEW, ""), ("nonsense",), (NEW, "mailto:a@b.cn"), (NEW, "--now")])
def test_wrong_use_is_exit_code_2_and_submits_nothing(scrapy, database, words):
    ran = scrapy("submit", *words)
    assert (ran.code, ran.out) == (2, "")
    assert row(database, NEW) is None


def test_a_store_that_stays_locked_is_one_sentence_and_exit_code_1(scrapy, locked):
    ran = scrapy("submit", NEW)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)
    assert "database is locked" in ran.err
