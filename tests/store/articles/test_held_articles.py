"""Articles that their topic did not keep, and how they are stored, refused and forgotten."""

from sqlalchemy import text

from newsspider.core.crawling.visit import HeldArticle, PageResult
from newsspider.core.model import ARTICLE_FIELDS, ArticlePart, Image, Reason, State
from newsspider.core.url import url_key
from newsspider.store import pages
from newsspider.store.articles import article_rows, held_articles, labels
from newsspider.store.articles.article_records import export_records
from newsspider.store.overview import store_overview
from newsspider.store.url_history import forget_url
from tests.support.samples import NOW, OFF_TOPIC, URL, article, lease_on, row, save_article, save_held


def test_an_article_is_read_from_its_row_as_it_was_stored(conn):
    images, parts = (Image("http://a.cn/1.jpg", "图"),), (ArticlePart("http://a.cn/1_2", "s2"),)
    written = article(URL, images=images, parts=parts, comments=("好",), headings=("标题",))
    read = article_rows.article_of(article_rows.row_of(url_key(URL), written))
    assert {name: getattr(read, name) for name in ARTICLE_FIELDS} == {name: getattr(written, name) for name in ARTICLE_FIELDS}


def test_a_held_article_is_no_stored_one_and_waits_for_a_decision(conn):
    save_held(conn)
    save_held(conn, "http://a.cn/2", borderline=False)
    assert list(export_records(conn)) == []
    assert row(conn).reason == Reason.OFF_TOPIC
    (held_article,) = held_articles.borderline_articles(conn, "education", 10)
    assert (held_article.key, held_article.article.title, held_article.article.headings) == (url_key(URL), "校服", ())
    assert held_articles.borderline_articles(conn, "flood", 10) == []
    figures = store_overview(conn, NOW)
    assert (figures["articles_held"], figures["articles_borderline"]) == (2, 1)


def test_an_accepted_article_is_stored_and_its_url_is_due_for_a_revisit(conn):
    save_held(conn)
    held_article = held_articles.of_key(conn, url_key(URL))
    assert held_articles.accept(conn, held_article.key, held_article.article, NOW + 9, NOW + 99)
    (record,) = export_records(conn)
    assert (record["url"], record["title"], record["topic"]) == (URL, "校服", "education")
    url = row(conn)
    assert (url.state, url.reason, url.due_at, url.topic) == (State.DONE, Reason.STORED, NOW + 99, None)
    assert held_articles.count(conn) == 0


def test_an_article_that_a_further_page_made_off_topic_is_held_for_the_url_where_it_begins(conn):
    save_article(conn, URL, "教育部公布招生方案。", body_md5="1" * 32)
    further = "http://a.cn/1_2.html"
    whole = article(URL, "教育部公布招生方案。\n另有别的长篇内容。", body_md5="2" * 32, parts=(ArticlePart(further, ""),))
    pages.save(conn, PageResult(lease_on(conn, further, NOW + 1), OFF_TOPIC, effects=(HeldArticle(whole, True),)), NOW + 1)
    (held_article,) = held_articles.borderline_articles(conn, "education", 10)
    assert held_article.key == url_key(URL)
    assert held_articles.accept(conn, held_article.key, held_article.article, NOW + 2, None)
    assert [(record["url"], record["urls"], record["text"]) for record in export_records(conn)] == [(URL, [URL], whole.text)]


def test_an_article_whose_page_is_being_fetched_is_not_accepted(conn):
    save_held(conn)
    lease_on(conn, URL, NOW + 99)
    held_article = held_articles.of_key(conn, url_key(URL))
    assert not held_articles.accept(conn, held_article.key, held_article.article, NOW + 99, None)
    assert held_articles.count(conn) == 1


def test_a_page_that_is_stored_later_is_held_no_longer(conn):
    save_held(conn)
    save_article(conn, URL, "正文", NOW + 99)
    assert held_articles.count(conn) == 0


def test_a_rejected_article_leaves_all_its_urls_and_stays_as_a_revision(conn):
    save_article(conn, URL, "同一篇正文")
    save_article(conn, "http://b.cn/2", "同一篇正文", NOW + 1)
    stored = conn.execute(text("SELECT * FROM articles")).mappings().one()
    held_articles.reject(conn, stored["id"], article_rows.article_of(stored), NOW + 9, "judged again", borderline=False)
    assert list(export_records(conn)) == []
    for url in (URL, "http://b.cn/2"):
        assert (row(conn, url).reason, row(conn, url).topic, row(conn, url).detail) == ("off_topic", "education", "judged again")
        assert held_articles.of_key(conn, url_key(url)).article.url == url
    assert conn.execute(text("SELECT count(*) FROM revisions")).scalar() == 2


def test_a_held_article_can_be_labelled(conn):
    save_held(conn)
    assert labels.label_articles(conn, "education", [url_key(URL)], NOW, relevant=False) == 1
    assert [(label.title, label.relevant) for label in labels.labelled_articles(conn, "education")] == [("校服", False)]
    assert labels.of_key(conn, "education", url_key(URL)) is False


def test_a_lease_says_for_which_topic_somebody_accepted_its_article(conn):
    save_article(conn, URL)
    assert lease_on(conn, URL, NOW + 99).accepted_for is None
    conn.execute(text("UPDATE urls SET state = 'done', lease_worker = NULL, lease_ends_at = NULL"))
    conn.execute(text("UPDATE hosts SET busy_key = NULL, busy_until = NULL"))
    labels.label_articles(conn, "flood", [url_key(URL)], NOW, relevant=True)
    labels.label_articles(conn, "education", [url_key(URL)], NOW, relevant=True)
    assert lease_on(conn, URL, NOW + 999).accepted_for == "education"


def test_nothing_is_held_of_a_forgotten_url(conn):
    save_held(conn)
    assert forget_url(conn, url_key(URL))
    assert held_articles.count(conn) == 0
