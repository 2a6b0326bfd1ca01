"""``scrapy status``."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from sqlalchemy import make_url, text

from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import Layout, PageType, Reason, Standing, State
from newsspider.core.text.terminal_columns import column_count
from newsspider.sites.model import from_home
from newsspider.store import ledger, runs, sites
from newsspider.store.engine.database import open_store
from newsspider.store.ledger import site_knowledge
from tests.support.commands import database, locked, scrapy
from tests.support.process import ROOT
from tests.support.samples import NOW, blocked_for_ten_hours, lease_on, offer, save_article

__all__ = ["database", "locked", "scrapy"]


def test_the_states_sum_to_the_urls_known(scrapy):
    ran = scrapy("status", "--json")
    assert (ran.code, ran.err) == (0, "")
    status = json.loads(ran.out)
    assert status["states"] == {"waiting": 1, "processing": 0, "error": 0, "done": 3}
    assert status["urls"] == sum(status["states"].values()) == sum(row["urls"] for row in status["reasons"])
    assert (status["articles"], status["articles_by_site"]) == (2, {"站": 1, "乙": 1})
    assert list(status["articles_by_subtopic"].items()) == [("中小学", 2), ("留学", 1), ("高考", 1)]
    assert {row["reason"]: row["urls"] for row in status["reasons"]} == {"found": 1, "stored": 2, "polled": 1}


def test_hosts_are_told_with_their_delay_and_its_reason(scrapy):
    hosts = {row["host"]: row for row in json.loads(scrapy("status", "--json").out)["hosts"]}
    assert (hosts["a.cn"]["delay"], hosts["a.cn"]["delay_reason"], hosts["a.cn"]["pages"]) == (2.5, "crawl_delay", 2)


def test_hosts_that_share_an_address_say_so_and_wait_for_its_clock(scrapy, database):
    engine, now = open_store(database), time.time()
    with engine.begin() as conn:
        for name in ("c.cn", "d.cn"):
            lease = lease_on(conn, f"http://{name}/", now)
            settlement = Settlement(State.DONE, Reason.STORED, status=200, fetched_at=now, host_next_at=now + 5)
            delayed = replace(settlement, host_delay=5.0, host_delay_reason="site", address="192.0.2.7", address_next_at=now + 300)
            assert ledger.settle(conn, lease, delayed)
            conn.execute(text("UPDATE addresses SET next_at = :at"), {"at": now + 300})
    engine.dispose()
    hosts = {row["host"]: row for row in json.loads(scrapy("status", "--json").out)["hosts"]}
    assert [hosts[name]["shared_address"] for name in ("a.cn", "c.cn", "d.cn")] == [None, "192.0.2.7", "192.0.2.7"]
    assert 200 < hosts["c.cn"]["wait"] <= 300
    assert hosts["a.cn"]["wait"] == 0
    (line,) = [line for line in scrapy("status").out.splitlines() if line.startswith("d.cn")]
    assert "site, address" in line


def test_hosts_are_listed_by_the_time_since_their_last_visit(scrapy, database):
    engine = open_store(database)
    with engine.begin() as conn:
        lease = lease_on(conn, "http://c.cn/", NOW - 7200)
        assert ledger.settle(conn, lease, Settlement(State.DONE, Reason.STORED, status=200, fetched_at=NOW - 7200))
        ledger.offer(conn, [offer("http://never.cn/")], NOW)
    engine.dispose()
    rows = [json.loads(line) for line in scrapy("status", "--hosts", "--json").out.splitlines()]
    assert [(row["host"], row["waiting"]) for row in rows] == [("never.cn", 1), ("c.cn", 0), ("a.cn", 1), ("b.cn", 0)]
    assert [row["last_visit_at"] for row in rows] == [None, NOW - 7200, NOW, NOW]
    lines = scrapy("status", "--hosts", "--limit", "2").out.splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["host", "never.cn", "c.cn"]
    assert lines[2].startswith("never")
    assert scrapy("status", "--limit", "2").code == 2


def test_lines_for_people_are_at_most_80_columns_wide(scrapy, database):
    engine = open_store(database)
    with engine.begin() as conn:
        runs.start_run(conn, "education", "w", {}, NOW)
        runs.finish_run(conn, "w", "finished", NOW + 65, {"pages": 7, "articles": 2})
        lease = lease_on(conn, "http://c.cn/" + "long/" * 30, kind=PageType.LIST, site="丙")
        ledger.settle(conn, lease, Settlement(State.WAITING, Reason.RETRY, NOW + 9, failures=2, status=500))
    engine.dispose()
    lines = scrapy("status").out.splitlines()
    assert lines[0] == "5 URLs known: waiting 2   processing 0   error 0   done 3"
    assert lines[1] == "2 articles stored"
    assert any(line.startswith("  丙: retry 500 x2 http://c.cn/") for line in lines)
    assert any("finished" in line and "65 s" in line and line.endswith("7 pages, 2 new") for line in lines)
    assert max(map(column_count, lines)) <= 80


def test_articles_are_counted_by_sub_topic(scrapy, database):
    lines = scrapy("status").out.splitlines()
    at = lines.index("sub-topic                    articles")
    assert [line.split() for line in lines[at + 1 : at + 5]] == [["中小学", "2"], ["留学", "1"], ["高考", "1"], []]
    assert {column_count(line) for line in lines[at : at + 4]} == {37}
    engine = open_store(database)
    with engine.begin() as conn:
        save_article(conn, "http://c.cn/1", "另一篇", subtopics=("某某教育新闻" * 6,))
    engine.dispose()
    lines = scrapy("status").out.splitlines()
    assert any(line.startswith("某某教育") and line.endswith(" 1") for line in lines)
    assert max(map(column_count, lines)) <= 80


def test_where_no_article_has_a_sub_topic_nothing_is_said_of_them(scrapy, database):
    engine = open_store(database)
    with engine.begin() as conn:
        conn.execute(text("DELETE FROM subtopics"))
    engine.dispose()
    assert json.loads(scrapy("status", "--json").out)["articles_by_subtopic"] == {}
    assert "sub-topic" not in scrapy("status").out


def test_lists_that_moved_or_were_lost_are_shown(scrapy, database):
    assert json.loads(scrapy("status", "--json").out)["lists_that_moved"] == []
    engine, site = open_store(database), from_home("http://a.cn/")
    with engine.begin() as conn:
        sites.put(conn, replace(site, name="某某教育新闻网" * 6), NOW)
        lease = replace(lease_on(conn, "http://a.cn/", kind=PageType.LIST), site="某某教育新闻网" * 6, channel=site.channels[0].name)
        for paths in ("//ul/li/a", "//dl/dd/a"):
            site_knowledge.note_list_position(conn, lease, Layout(Standing.MOVED if "dl" in paths else Standing.LEARNED, (paths,)), NOW)
    engine.dispose()
    (row,) = json.loads(scrapy("status", "--json").out)["lists_that_moved"]
    assert (row["list_paths"], row["list_moves"], row["list_lost_at"]) == (["//dl/dd/a"], 1, None)
    lines = scrapy("status").out.splitlines()
    assert lines[lines.index("lists moved or lost") + 1].startswith("  2027-01-15 16:00 moved x1      某某教育")
    assert max(map(column_count, lines)) <= 80


def test_a_store_that_is_being_written_can_be_looked_at(scrapy, locked):
    assert scrapy("status").code == 0


def test_a_store_that_is_broken_is_one_sentence_and_exit_code_1(scrapy, database):
    broken = sqlite3.connect(make_url(database).database)
    broken.execute("DROP TABLE runs")
    broken.close()
    ran = scrapy("status")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)
    assert "no such table" in ran.err


@pytest.mark.parametrize("words", [("all",), ("--jason",)])
def test_wrong_use_is_exit_code_2(scrapy, words):
    assert scrapy("status", *words).code == 2


def test_lists_are_counted_by_their_health(scrapy, database):
    with open_store(database).begin() as conn:
        blocked_for_ten_hours(conn, time.time())
    assert json.loads(scrapy("status", "--json").out)["health"] == {"live": 1, "blocked": 1}
    assert "lists: 1 blocked, 1 live; see scrapy health" in scrapy("status").out


HEAVY = (
    "alembic", "holidays", "newsspider.core.extraction", "newsspider.crawl.crawl", "newsspider.setting_types", "newsspider.spiders",
    "numpy", "rjieba", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "module", "heavy"),
    [("status", "store.overview", HEAVY), ("changes", "store.url_history", ("newsspider.core.extraction.body",))],
)
def test_a_command_that_only_reads_loads_nothing_of_a_crawl(tmp_path, command, module, heavy):
    script = f"import sys; from scrapy.cmdline import execute\ntry: execute(['scrapy', '{command}'])\nfinally: print(*sys.modules)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NEWSSPIDER_")}
    environment["NEWSSPIDER_DATA_DIR"] = str(tmp_path)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert f"newsspider.{module}" in done.stdout.split()
    assert [name for name in done.stdout.split() if name.startswith(heavy)] == []
