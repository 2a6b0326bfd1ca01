"""The parts of the topic's field that an article belongs to, in the store."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.url import url_key
from newsspider.store import pages
from newsspider.store.articles import articles_by_body, rewrites
from newsspider.store.articles.article_filters import Filters
from newsspider.store.articles.article_records import export_records
from tests.support.samples import NOW, STORED, URL, article, lease_on, save_article, statements_of

OTHER = "http://b.cn/2"


def named(conn, url=URL):
    """The sub-topics of the article with this main URL."""
    (names,) = [record["subtopics"] for record in export_records(conn) if record["url"] == url]
    return names


def test_they_are_stored_and_exported_in_the_order_of_the_profile(conn):
    save_article(conn, URL, subtopics=("留学", "高考", "教师"))
    save_article(conn, OTHER, "另一篇", subtopics=())
    assert (named(conn), named(conn, OTHER)) == (["留学", "高考", "教师"], [])


def test_they_change_with_the_text_of_the_page(conn):
    save_article(conn, URL, subtopics=("留学", "高考"))
    save_article(conn, URL, "新的正文", NOW + 9, subtopics=("高考",))
    assert named(conn) == ["高考"]
    save_article(conn, URL, "更新的正文", NOW + 18, subtopics=())
    assert named(conn) == []


def test_the_same_text_again_and_a_reprint_change_nothing(conn):
    save_article(conn, URL, subtopics=("高考",))
    save_article(conn, URL, now=NOW + 9, subtopics=("留学",))
    save_article(conn, OTHER, now=NOW + 18, subtopics=("教师",))
    assert named(conn) == ["高考"]


def test_they_go_with_their_article(conn):
    save_article(conn, URL)
    assert articles_by_body.drop_url(conn, url_key(URL))
    assert conn.execute(text("SELECT count(*) FROM subtopics")).scalar() == 0


@pytest.mark.parametrize("now", [(), ("高考",), ("教师", "高考"), ("高考", "教师", "留学")])
def test_an_article_that_is_rewritten_with_others_is_changed(conn, now):
    record = article(URL, subtopics=("高考", "教师"))
    saved = articles_by_body.keep(conn, url_key(URL), record, NOW)
    assert rewrites.rewrite_article(conn, saved.article_id, record.body_md5, record) is rewrites.Rewritten.UNCHANGED
    assert rewrites.rewrite_article(conn, saved.article_id, record.body_md5, replace(record, subtopics=now)) is rewrites.Rewritten.CHANGED
    assert named(conn) == list(now)


def test_an_article_that_becomes_one_with_another_leaves_that_one_its_own(conn):
    save_article(conn, URL, "同文", subtopics=("高考",))
    own = article(OTHER, "另一篇", subtopics=("留学",))
    saved = articles_by_body.keep(conn, url_key(OTHER), own, NOW)
    again = replace(article(OTHER, "同文", subtopics=("教师",)), snapshot=own.snapshot)
    assert rewrites.rewrite_article(conn, saved.article_id, own.body_md5, again) is rewrites.Rewritten.MERGED
    assert conn.execute(text("SELECT name FROM subtopics")).all() == [("高考",)]


@pytest.mark.parametrize(("site", "expected"), [("explore:甲", ["高考"]), ("站", ["网络"])])
def test_a_watched_site_overrides_the_subtopics_of_an_explore_crawl(conn, site, expected):
    conn.execute(
        text("INSERT INTO explore_crawls (site, strategy, began_at, resumed_at) VALUES ('explore:甲', 'bfs', :now, :now)"), {"now": NOW}
    )
    articles_by_body.keep(conn, url_key(URL), article(URL, site=site, topic="explored", subtopics=("网络",)), NOW)
    record = article(OTHER, subtopics=("高考",))
    pages.save(conn, PageResult(lease_on(conn, OTHER), STORED, record), NOW)
    assert named(conn) == expected


def test_sub_topics_cost_one_statement_an_article(store, monkeypatch):
    def statements(url, **values):
        return statements_of(store, monkeypatch, article(url, url, **values))

    plain = statements("http://a.cn/plain", subtopics=())
    assert statements("http://a.cn/with", subtopics=("高考", "留学", "教师")) == plain + 1


def test_the_articles_of_a_subtopic_are_found_by_an_index(conn):
    statement = Filters(subtopic="高考").following(7, 200)
    if conn.dialect.name == "postgresql":  # which reads small tables without this index if it has another way
        conn.execute(text("SET LOCAL enable_seqscan = off"))
        conn.execute(text("ALTER TABLE subtopics DROP CONSTRAINT subtopics_pkey"))
    explain = "EXPLAIN QUERY PLAN" if conn.dialect.name == "sqlite" else "EXPLAIN"
    sql = str(statement.compile(conn, compile_kwargs={"literal_binds": True}))
    plan = " ".join(str(step) for step in conn.exec_driver_sql(f"{explain} {sql}").all())
    assert "ix_subtopics_name" in plan
    assert "TEMP B-TREE" not in plan
