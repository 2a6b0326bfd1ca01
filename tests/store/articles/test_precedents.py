"""What was read last for a topic, and what it was about."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Reason
from newsspider.crawl.link_filter import LinkFilter
from newsspider.store import ledger, pages
from newsspider.store.articles.precedents import KEPT, REFUSED, JudgedLink, judged_articles
from newsspider.store.engine.clock import Clock
from newsspider.topics.loader import load_topic
from tests.support.samples import NOW, STORED, lease_on, offer, save_article

STORM = "台风“海鸥”登陆，平岭市发布红色预警"


def refuse(conn, url, anchor, now, topic="education"):
    lease = lease_on(conn, url, now, anchor=anchor)
    settlement = replace(STORED, reason=Reason.OFF_TOPIC, topic=topic, fetched_at=now)
    assert pages.save(conn, PageResult(lease, settlement), now).settled


def keep(conn, url, body, title, now):
    crawled_at = datetime.fromtimestamp(now, UTC)
    save_article(conn, url, body, now, title=title, anchor="锚", crawled_at=crawled_at)


def test_the_last_of_either_kind_are_told_from_the_oldest_to_the_newest(conn):
    for n in range(4):
        refuse(conn, f"http://a.cn/off/{n}", f"落选{n}", NOW + n)
        keep(conn, f"http://a.cn/on/{n}", f"正文{n}", f"入选{n}", NOW + n)
    assert judged_articles(conn, "education", 2) == [
        JudgedLink("落选2", "", "", on_topic=False), JudgedLink("落选3", "", "", on_topic=False),
        JudgedLink("锚", "入选2", "站", on_topic=True), JudgedLink("锚", "入选3", "站", on_topic=True),
    ]  # fmt: skip


def test_refusals_older_than_the_kept_articles_are_left_out(conn):
    for n in range(3):
        refuse(conn, f"http://a.cn/off/{n}", f"落选{n}", NOW + 10 * n)
        keep(conn, f"http://a.cn/on/{n}", f"正文{n}", f"入选{n}", NOW + 10 * n + 5)
    pairs = [(page.anchor, page.title) for page in judged_articles(conn, "education", 2)]
    assert pairs == [("落选2", ""), ("锚", "入选1"), ("锚", "入选2")]
    assert [page.anchor for page in judged_articles(conn, "education", 4) if not page.on_topic] == ["落选0", "落选1", "落选2"]


@pytest.mark.parametrize(("statement", "index"), [(KEPT, "ix_articles_topic"), (REFUSED, "ix_urls_off_topic")])
def test_an_index_tells_them_in_their_order_so_a_topic_of_few_articles_reads_no_others(conn, backend, statement, index):
    explain = "EXPLAIN QUERY PLAN"
    if backend == "postgresql":
        explain = "EXPLAIN"
        conn.execute(text("SET LOCAL enable_seqscan = off"))  # an empty table is read as it is, or by a bitmap
        conn.execute(text("SET LOCAL enable_bitmapscan = off"))
    values = {"topic": "education", "since": 0, "most": 9}
    plan = str(conn.execute(text(f"{explain} {statement}"), values).all())
    assert index in plan
    assert "ORDER BY" not in plan
    assert "Sort" not in plan


def test_verdicts_of_other_topics_and_unread_links_are_left_out(conn):
    refuse(conn, "http://a.cn/1", STORM, NOW, topic="sports")
    words = "education, links below 0.002"
    ledger.offer(conn, [replace(offer("http://a.cn/2", anchor=STORM), refused=Reason.OFF_TOPIC, topic=words)], NOW)
    keep(conn, "http://a.cn/3", "正文", "入选", NOW)
    assert judged_articles(conn, "education", 9) == [JudgedLink("锚", "入选", "站", on_topic=True)]
    assert judged_articles(conn, "flood", 9) == []


def test_a_crawl_remembers_what_earlier_ones_read(conn):
    refuse(conn, "http://a.cn/1", "“老师好”诈骗短信又来了 民警支招", NOW)
    keep(conn, "http://a.cn/2", "正文", "放学路上的“护苗岗”，站了22年", NOW)
    link_filter = LinkFilter(load_topic("education"), Clock())
    link_filter.recall(judged_articles(conn, "education"))
    assert link_filter.precedents.against("“老师好”诈骗短信又来了，专家支招", "s")
    link_filter.precedents.add("放学路上的“护苗岗”，站了9年", "s", on_topic=False)
    assert link_filter.precedents.against("放学路上的“护苗岗”，站了69年", "s") == ""
