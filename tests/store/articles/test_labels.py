"""What people said of stored articles."""

import pytest

from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.url import url_key
from newsspider.store.articles.articles_by_body import drop_url
from newsspider.store.articles.labels import Label, label_articles, labelled_articles, of_article, remove_labels
from newsspider.store.url_history import forget_url
from tests.support.samples import NOW, save_article

ONE, TWO, UNKNOWN = "http://a.cn/1", "http://b.cn/2", "http://c.cn/3"


def test_a_label_is_given_back_with_the_article_in_the_order_in_which_it_was_said(conn):
    save_article(conn, ONE, "高考开考。", title="高考")
    save_article(conn, TWO, "股市收涨。", title="股市")
    assert label_articles(conn, "education", [url_key(TWO)], NOW, relevant=False) == 1
    assert label_articles(conn, "education", [url_key(ONE)], NOW + 1, relevant=True) == 1
    assert labelled_articles(conn, "education") == [
        Label(TWO, "股市", "股市收涨。", False),
        Label(ONE, "高考", "高考开考。", True),
    ]


def test_each_topic_has_labels_of_its_own(conn):
    save_article(conn, ONE)
    label_articles(conn, "education", [url_key(ONE)], NOW, relevant=True)
    label_articles(conn, "flood", [url_key(ONE)], NOW, relevant=False)
    assert [row.relevant for row in labelled_articles(conn, "education")] == [True]
    assert [row.relevant for row in labelled_articles(conn, "flood")] == [False]


def test_a_repeated_label_replaces_the_earlier_one(conn):
    save_article(conn, ONE)
    label_articles(conn, "education", [url_key(ONE)], NOW, relevant=True)
    assert label_articles(conn, "education", [url_key(ONE)], NOW + 9, relevant=False) == 1
    assert [row.relevant for row in labelled_articles(conn, "education")] == [False]


def test_an_article_that_several_urls_show_teaches_once_what_was_said_last(conn):
    save_article(conn, ONE, "同一篇正文")
    save_article(conn, TWO, "同一篇正文", NOW + 1)
    label_articles(conn, "education", [url_key(ONE)], NOW, relevant=True)
    label_articles(conn, "education", [url_key(TWO)], NOW + 1, relevant=False)
    assert [row.relevant for row in labelled_articles(conn, "education")] == [False]


def test_the_latest_label_by_any_url_of_an_article_holds(conn):
    number = save_article(conn, ONE).article_id
    assert save_article(conn, TWO).article_id == number
    assert of_article(conn, "education", number) is None
    label_articles(conn, "education", [url_key(TWO)], NOW, relevant=True)
    assert of_article(conn, "education", number) is True
    label_articles(conn, "education", [url_key(ONE)], NOW + 1, relevant=False)
    assert of_article(conn, "education", number) is False
    assert of_article(conn, "flood", number) is None


def test_a_url_without_an_article_cannot_be_labelled(conn):
    assert label_articles(conn, "education", [url_key(UNKNOWN)], NOW, relevant=True) == 0
    assert labelled_articles(conn, "education") == []


def test_a_label_tells_the_text_as_it_is_now_and_nothing_of_what_is_forgotten(conn):
    save_article(conn, ONE, "旧的正文")
    label_articles(conn, "education", [url_key(ONE)], NOW, relevant=True)
    save_article(conn, ONE, "新的正文", NOW + 9)
    assert [row.text for row in labelled_articles(conn, "education")] == ["新的正文"]
    forget_url(conn, url_key(ONE))
    assert labelled_articles(conn, "education") == []


def test_a_removed_label_no_longer_counts_for_its_topic(conn):
    save_article(conn, ONE)
    for topic in ("education", "flood"):
        label_articles(conn, topic, [url_key(ONE)], NOW, relevant=True)
    assert remove_labels(conn, "education", [url_key(ONE)]) == 1
    assert labelled_articles(conn, "education") == []
    assert len(labelled_articles(conn, "flood")) == 1
    assert remove_labels(conn, "education", [url_key(ONE)]) == 0


def test_removing_a_label_also_removes_those_by_other_urls_of_the_article(conn):
    for url in (ONE, TWO):
        save_article(conn, url, "同一篇正文")
        label_articles(conn, "education", [url_key(url)], NOW, relevant=True)
    save_article(conn, UNKNOWN, "另一篇正文")
    label_articles(conn, "education", [url_key(UNKNOWN)], NOW, relevant=False)
    assert remove_labels(conn, "education", [url_key(ONE)]) == 2
    assert [row.url for row in labelled_articles(conn, "education")] == [UNKNOWN]


def test_a_label_of_an_article_that_has_gone_can_be_taken_back(conn):
    save_article(conn, ONE, "正文")
    label_articles(conn, "education", [url_key(ONE)], NOW, relevant=True)
    forget_url(conn, url_key(ONE))
    remove_labels(conn, "education", [url_key(ONE)])
    save_article(conn, ONE, "正文", NOW + 9)
    assert labelled_articles(conn, "education") == []


def test_what_was_said_of_an_article_that_left_the_store_is_learned_from_all_the_same(conn):
    save_article(conn, ONE, "一篇正文", title="标题")
    label_articles(conn, "education", [url_key(ONE)], NOW, relevant=False)
    drop_url(conn, url_key(ONE))
    assert labelled_articles(conn, "education") == [Label(ONE, "标题", "一篇正文", False)]
    assert label_articles(conn, "education", [url_key(ONE)], NOW + 1, relevant=True) == 1
    assert labelled_articles(conn, "education") == [Label(ONE, "标题", "一篇正文", True)]
    assert remove_labels(conn, "education", [url_key(ONE)]) == 1
    assert labelled_articles(conn, "education") == []


def test_what_was_said_of_an_article_that_left_the_store_by_two_urls_is_learned_once(conn):
    for moment, url in enumerate((ONE, TWO)):
        save_article(conn, url, "同一篇正文")
        label_articles(conn, "education", [url_key(url)], NOW + moment, relevant=bool(moment))
    for url in (ONE, TWO):
        drop_url(conn, url_key(url))
    assert [row.relevant for row in labelled_articles(conn, "education")] == [True]


def test_nothing_is_said_of_what_stands_at_a_forgotten_url_later(conn):
    save_article(conn, ONE, "一篇正文")
    label_articles(conn, "education", [url_key(ONE)], NOW, relevant=False)
    forget_url(conn, url_key(ONE))
    save_article(conn, ONE, "另一篇正文", NOW + 1)
    assert labelled_articles(conn, "education") == []


def test_an_article_of_which_one_of_two_labelled_urls_is_left_teaches_once_what_was_said_last(conn):
    save_article(conn, ONE, "同一篇正文")
    save_article(conn, TWO, "同一篇正文", NOW + 1)
    label_articles(conn, "education", [url_key(ONE)], NOW, relevant=True)
    label_articles(conn, "education", [url_key(TWO)], NOW + 1, relevant=False)
    drop_url(conn, url_key(ONE))
    assert [row.relevant for row in labelled_articles(conn, "education")] == [False]


@pytest.mark.parametrize("dropped_urls", [(ONE,), (ONE, TWO)])
def test_what_is_taken_back_of_an_article_is_taken_back_by_urls_that_have_left_it_too(conn, dropped_urls):
    for moment, url in enumerate((ONE, TWO)):
        save_article(conn, url, "同一篇正文", NOW + moment)
        label_articles(conn, "education", [url_key(url)], NOW + moment, relevant=True)
    for url in dropped_urls:
        drop_url(conn, url_key(url))
    assert remove_labels(conn, "education", [url_key(TWO)]) == 2
    assert labelled_articles(conn, "education") == []


def test_notices_in_the_same_words_below_other_titles_are_labelled_apart(conn):
    notice = "现将名单予以公布，详见附件。"
    for url, title in ((ONE, "优秀教师"), (TWO, "优秀学生")):
        save_article(conn, url, notice, title=title, body_md5=body_md5(title, notice))
    label_articles(conn, "education", [url_key(ONE)], NOW, relevant=True)
    label_articles(conn, "education", [url_key(TWO)], NOW, relevant=False)
    assert {row.title: row.relevant for row in labelled_articles(conn, "education")} == {"优秀教师": True, "优秀学生": False}
    assert remove_labels(conn, "education", [url_key(ONE)]) == 1
    assert [row.title for row in labelled_articles(conn, "education")] == ["优秀学生"]
