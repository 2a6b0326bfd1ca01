"""``scrapy changes``, and what the other commands say of articles that changed or vanished."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import Missed, PageResult, Settlement
from newsspider.core.model import Reason, State
from newsspider.core.scheduling.vanished import Absence, ConfirmationThreshold
from newsspider.core.text.terminal_columns import column_count
from newsspider.store import pages
from newsspider.store.engine.database import open_store
from tests.support.commands import Ran, scrapy
from tests.support.explored import Crawl
from tests.support.samples import NOW, URL, lease_on, save_article
from tests.support.servers import new_file

__all__ = ["scrapy"]

OTHER, THIRD = "http://a.cn/2", "http://b.cn/3"
LONG = "高考改革的第一段说了很多事情，说得很长很长，长到一行八十列无论如何也放不下它，所以要被截断。"
HOUR = 3600.0
MISSED = Settlement(State.DONE, Reason.MISSED, None, status=404)


def missed(conn, url, now):
    """A visit that does not find the article, while the host still serves other pages."""
    conn.execute(text("UPDATE hosts SET page_at = :at, article_at = :at"), {"at": now - 1})
    lease = lease_on(conn, url, now)
    missed = Missed(Absence.NOT_FOUND, ConfirmationThreshold(3, 2 * HOUR))
    return pages.save(conn, PageResult(lease, replace(MISSED, fetched_at=now), effects=(missed,)), now)


@pytest.fixture
def database(tmp_path):
    url = new_file(tmp_path / "store" / "newsspider.db")
    engine = open_store(url)
    with engine.begin() as conn:
        for where in (URL, OTHER, THIRD):
            save_article(conn, where, f"{where}\n{LONG}\n第二段。", title=f"题{where}", published_at=datetime(2026, 11, 1, tzinfo=UTC))
        save_article(conn, URL, f"{URL}\n{LONG}\n第二段改了。", NOW + 60, title=f"题{URL}")
        save_article(conn, OTHER, f"{OTHER}\n{LONG}\n第二段。", NOW + 70, title="新题", published_at=datetime(2026, 11, 2, tzinfo=UTC))
        for n in range(4):
            missed(conn, THIRD, NOW + (n + 1) * HOUR)
    engine.dispose()
    return url


def test_what_changed_and_what_vanished_is_listed_the_latest_first(scrapy):
    ran = scrapy("changes", "--json")
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, ran.err) == (0, "3 changes\n")
    assert [(event["event"], event["url"]) for event in events] == [("vanished", THIRD), ("changed", OTHER), ("changed", URL)]
    assert events[0]["absence"] == "not_found"
    assert events[1]["parts"] == ["title", "time"]
    assert (events[1]["title"], events[1]["before"]["title"]) == ("新题", f"题{OTHER}")
    assert events[2]["edits"] == [{"before": ["第二段。"], "after": ["第二段改了。"]}]
    assert events[2]["before"]["text"].endswith("第二段。")
    assert events[2]["before"]["snapshot"]


def test_for_people_no_line_is_longer_than_80_columns(scrapy):
    ran = scrapy("changes")
    assert all(column_count(line) <= 80 for line in ran.out.splitlines())
    assert "vanished: 404" in ran.out
    assert "  - 第二段。" in ran.out
    assert "  + 第二段改了。" in ran.out
    assert f"  title before: 题{OTHER}" in ran.out


def test_one_url_one_site_or_a_time_narrow_the_list(scrapy):
    assert scrapy("changes", URL).err == "1 changes\n"
    assert scrapy("changes", "--site", "站").err == "3 changes\n"
    assert scrapy("changes", "--site", "教育部").err == "0 changes\n"
    since = datetime.fromtimestamp(NOW + 60 * 60, UTC).isoformat()
    assert scrapy("changes", "--since", since).err == "1 changes\n"
    assert scrapy("changes", "--limit", "2").err == "2 changes\n"


def test_an_article_of_an_explore_crawl_that_has_not_changed_is_known(scrapy, database):
    engine = open_store(database)
    with engine.begin() as conn:
        Crawl(conn).keep("http://explored.cn/1")
    engine.dispose()
    assert scrapy("changes", "http://explored.cn/1") == Ran(0, "", "0 changes\n")


@pytest.mark.parametrize("arguments", [["x"], [URL, OTHER], ["--since", "soon"], ["--limit", "0"]])
def test_what_cannot_be_asked_is_refused(scrapy, arguments):
    ran = scrapy("changes", *arguments)
    assert (ran.code, ran.out) == (2, "")


def test_a_vanished_article_is_found_with_vanished_only_and_marked_in_export(scrapy):
    assert THIRD not in scrapy("search", "高考", "--json", "--reprints").out
    assert THIRD in scrapy("search", "高考", "--json", "--reprints", "--vanished").out
    assert "vanished (not_found)" in scrapy("search", "高考", "--reprints", "--vanished").out
    records = {record["url"]: record for record in map(json.loads, scrapy("export").out.splitlines())}
    assert records[THIRD]["vanished_at"]
    assert records[THIRD]["absence"] == "not_found"
    assert (records[URL]["vanished_at"], records[URL]["absence"]) == (None, None)
    assert records[URL]["text"].endswith("第二段改了。")


def test_explain_and_status_tell_of_changes_and_of_what_vanished(scrapy):
    assert "changed    2027-01-15 16:01:00: text" in scrapy("explain", URL).out
    assert "vanished   " in scrapy("explain", THIRD).out
    assert "visited again: 2 changed, 1 vanished" in scrapy("status").out


def test_the_page_before_a_change_is_read_again_and_shown(scrapy):
    ran = scrapy("extract", "--snapshot", URL, "--revision", "1", "--content")
    assert ran.out.endswith(f"<p>{URL}\n{LONG}\n第二段。</p>")
    ran = scrapy("extract", "--snapshot", URL, "--revision", "2")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"scrapy extract: no page is stored of {URL} as it was 2 changes ago\n"


def test_what_is_forgotten_takes_its_revisions_with_it(scrapy):
    assert scrapy("forget", URL).code == 0
    assert scrapy("changes", URL) == Ran(1, "", f"scrapy changes: {URL} is not known\n")
