"""What else a page tells of its article, and its further pages, in the store."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import ArticlePart, Image, Reason
from newsspider.core.url import url_key
from newsspider.store import pages
from newsspider.store.articles import articles_by_body
from newsspider.store.articles.article_records import export_records
from newsspider.store.articles.snapshots import USED
from newsspider.store.engine.statement import Statement
from tests.support.samples import NOW, STORED, URL, article, in_parts, lease_on, named, save_article, statements_of

CHANGED = datetime(2026, 11, 1, 9, 45, tzinfo=UTC)
PICTURES = (Image("http://a.cn/1.jpg", "校园一角"), Image("http://a.cn/2.jpg"))
TOLD = {"editors": ("李责编",), "modified_at": CHANGED, "images": PICTURES, "comments": ("说得好。", "再议。")}


def snapshots(conn):
    return {row.name for row in conn.execute(text("SELECT name FROM snapshots"))}


def test_editors_changes_pictures_and_comments_are_stored_and_exported(conn):
    save_article(conn, URL, **TOLD)
    (record,) = export_records(conn)
    assert (record["editors"], record["modified_at"], record["comments"]) == (["李责编"], CHANGED.isoformat(), ["说得好。", "再议。"])
    assert record["images"] == [{"url": "http://a.cn/1.jpg", "caption": "校园一角"}, {"url": "http://a.cn/2.jpg", "caption": ""}]
    assert record["parts"] == []


def test_they_change_with_the_text_of_the_page(conn):
    save_article(conn, URL, **TOLD)
    save_article(conn, URL, "新的正文", NOW + 9, editors=("王责编",))
    (record,) = export_records(conn)
    assert (record["editors"], record["modified_at"], record["images"], record["comments"]) == (["王责编"], None, [], [])


def test_they_cost_no_statement(store, monkeypatch):
    def statements(url, **values):
        return statements_of(store, monkeypatch, article(url, url, **values))

    assert statements("http://a.cn/plain") == statements("http://a.cn/with", **TOLD)


def test_every_page_of_an_article_keeps_its_snapshot_until_the_article_goes(conn):
    save_article(conn, URL, "第一页")
    first = named("<p>第一页</p>")
    parts = ()
    for number in (2, 3):
        content = f"<p>第{number}页</p>"
        parts = (*parts, ArticlePart(f"http://a.cn/1_{number}", named(content)))
        text_ = "第一页" + "".join(f"\n第{page}页" for page in range(2, number + 1))
        record = article(URL, text_, snapshot=first, parts=parts, content=content.encode())
        articles_by_body.keep(conn, url_key(URL), record, NOW + number)
    assert snapshots(conn) == {first, *(part.snapshot for part in parts)}
    (exported,) = export_records(conn)
    assert exported["parts"] == ["http://a.cn/1_2", "http://a.cn/1_3"]
    save_article(conn, URL, "只有一页", NOW + 20)
    assert snapshots(conn) == {named("<p>只有一页</p>"), first, *(part.snapshot for part in parts)}
    assert articles_by_body.drop_url(conn, url_key(URL))
    assert snapshots(conn) == set()


def test_a_further_page_does_not_name_a_snapshot_that_is_not_there(conn):
    """The first page of a reprint was no new text, so nothing of it was kept."""
    save_article(conn, URL, "第一页")
    other = "http://b.cn/1"
    save_article(conn, other, "第一页", NOW + 1, snapshot="never kept")
    for number in (2, 3):
        parts = tuple(ArticlePart(f"http://b.cn/1_{n}", f"part {n}") for n in range(2, number + 1))
        record = article(other, f"第一页，乙的第{number}页", snapshot="never kept", parts=parts)
        articles_by_body.keep(conn, url_key(other), record, NOW + number)
    rows = conn.execute(text("SELECT snapshot, parts FROM articles WHERE url = :url"), {"url": other}).one()
    assert (rows.snapshot, "part" in rows.parts.replace('"parts"', "")) == ("", False)
    assert snapshots(conn) == {named("<p>第一页</p>")}


def test_a_further_page_that_is_joined_is_no_article_of_its_own_any_more(conn):
    save_article(conn, URL, "第一页")
    save_article(conn, "http://a.cn/1_2", "第二页", NOW + 1)
    lease = lease_on(conn, "http://a.cn/1_2", NOW + 2)
    whole = article(URL, "第一页\n第二页", parts=(ArticlePart("http://a.cn/1_2"),))
    saved = pages.save(conn, PageResult(lease, replace(STORED, reason=Reason.JOINED, fetched_at=NOW + 2), whole), NOW + 2)
    assert (saved.settled, saved.reason) == (True, Reason.JOINED)
    assert [(record["url"], record["text"]) for record in export_records(conn)] == [(URL, "第一页\n第二页")]


def test_the_uses_of_a_snapshot_are_found_by_an_index(conn):
    if conn.dialect.name != "sqlite":
        pytest.skip("PostgreSQL scans small tables all the same")
    plan = [row.detail for row in Statement(f"EXPLAIN QUERY PLAN {USED}").run(conn, {"name": "a" * 64})]
    lookups = [step for step in plan if step.startswith(("SEARCH", "SCAN"))]
    assert len(lookups) == 4
    assert all(step.startswith("SEARCH") and "(snapshot=?" in step for step in lookups)


def named_further(conn):
    tables = "article_part_snapshots", "revision_part_snapshots"
    return [{row.snapshot for row in conn.execute(text(f"SELECT snapshot FROM {table}"))} for table in tables]


def test_a_page_that_another_article_or_a_revision_has_among_its_further_ones_is_kept_with_them(conn):
    other, second, both, new = "http://b.cn/1", *(named(page) for page in ("甲的第二页", "两篇都有的一页", "甲的新第二页"))
    in_parts(conn, URL, "甲的第一页", "甲的第二页", "两篇都有的一页")
    in_parts(conn, other, "乙的第一页", "两篇都有的一页")
    assert named_further(conn) == [{second, both}, set()]
    in_parts(conn, URL, "甲的新第一页", "甲的新第二页", "又一页")
    assert named_further(conn) == [{new, both, named("又一页")}, {second, both}]
    assert snapshots(conn) >= {second, both, new}
    assert articles_by_body.drop_url(conn, url_key(URL))
    assert snapshots(conn) & {second, both, new} == {both}
    assert named_further(conn) == [{both}, set()]
    assert articles_by_body.drop_url(conn, url_key(other))
    assert (snapshots(conn), named_further(conn)) == (set(), [set(), set()])
