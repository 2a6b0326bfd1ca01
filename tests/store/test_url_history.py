"""What is known of a URL, and how it is forgotten."""

from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType
from newsspider.core.url import url_key
from newsspider.store import ledger, pages
from newsspider.store.articles.article_records import export_records
from newsspider.store.url_history import explain, forget_url
from tests.support.samples import NOW, POLLED, STORED, article, claimed, lease_on, links, offer, save_article

URL, OTHER, LIST = "http://a.cn/1", "http://b.cn/22", "http://a.cn/list"


def test_an_unknown_url_has_no_history_and_cannot_be_forgotten(conn):
    assert explain(conn, url_key(URL)) is None
    assert not forget_url(conn, url_key(URL))


def test_a_url_is_explained_with_its_host_parent_article_and_lists(conn):
    lease = lease_on(conn, LIST, kind=PageType.LIST, site="站", channel="要闻")
    pages.save(conn, PageResult(lease, POLLED, links=links([URL]), offers=(offer(URL, parent=lease.key),)), NOW)
    save_article(conn, URL)
    history = explain(conn, url_key(URL))
    assert history is not None
    assert (history.url["state"], history.host["host"], history.parent) == ("done", "a.cn", LIST)
    assert history.article["title"] == "标题"
    assert [tuple(page) for page in history.shown_by] == [(LIST, "锚文字", "站/要闻")]


def test_an_article_goes_with_its_only_url(conn):
    lease = lease_on(conn, URL)
    pages.save(conn, PageResult(lease, STORED, article(URL), links([OTHER])), NOW)
    assert forget_url(conn, url_key(URL))
    tables = ("urls", "articles", "article_urls", "keywords", "fingerprints", "snapshots", "page_links")
    assert {table: conn.execute(text(f"SELECT count(*) FROM {table}")).scalar() for table in tables} == dict.fromkeys(tables, 0)


def test_an_article_stays_with_its_other_url(conn):
    save_article(conn, URL)
    save_article(conn, OTHER, now=NOW + 1)
    assert forget_url(conn, url_key(URL))
    (record,) = export_records(conn)
    assert (record["url"], record["canonical_url"], record["urls"]) == (OTHER, OTHER, [OTHER])


def test_a_forgotten_fetch_is_not_taken_and_its_host_rests_until_the_lease_would_have_ended(conn):
    lease = lease_on(conn, URL)
    forget_url(conn, lease.key)
    assert not ledger.settle(conn, lease, STORED)
    ledger.offer(conn, [offer("http://a.cn/2")], NOW)
    assert claimed(conn, now=lease.ends_at - 1) == []  # the worker may be asking the host still
    assert len(claimed(conn, now=lease.ends_at)) == 1
