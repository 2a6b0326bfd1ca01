"""What the comments, posts and articles of a store criticise."""

from dataclasses import replace

import pytest

from bench.analysis import article_of
from bench.event_stream import Page
from newsspider.core.model import PageType
from newsspider.core.url import url_key
from newsspider.features.events.opinions import criticism_model, criticisms_in
from newsspider.features.events.rules.criticism import Voice
from newsspider.store.articles import articles_by_body
from newsspider.store.engine.database import writing

BLAME = "学校拒不道歉，实在令人失望。"
PRAISE = "老师非常负责，孩子进步很大，全家都很感激。"
REPORT = "教育局公布了优秀教师名单，公示期五天。"


@pytest.fixture
def ids(store):
    """A report and its reprint, and a thread with three replies."""
    page = Page("http://a.cn/1", "站", "local", 0, "报道", REPORT + BLAME, None, 1_780_000_000, 1_780_000_060)
    thread = replace(
        article_of(page._replace(url="http://c.cn/3", title="帖子", text=PRAISE)),
        kind=PageType.FORUM, comments=(BLAME, BLAME + "顶", REPORT),
    )  # fmt: skip
    texts = [
        article_of(page),
        article_of(page._replace(url="http://b.cn/2", title="转载", text=REPORT + BLAME + "编者补充了两句话。")),
        thread,
    ]
    with writing(store) as conn:
        return [articles_by_body.keep(conn, url_key(text.url), text, 0).article_id for text in texts]


def test_a_group_names_the_sentence_who_says_it_and_the_articles(store, ids):
    with store.connect() as conn:
        record = criticisms_in(conn, criticism_model(), ids).record(None)
    (group,) = record["criticism"]
    assert (group["sentence"], group["count"]) == (BLAME, 3)  # what the reprint repeats counts once
    assert group["voices"] == {Voice.COMMENT: 2, Voice.ARTICLE: 1}
    assert group["articles"] == [ids[0], ids[2]]
    assert record["complete"]


def test_more_sentences_than_are_judged_are_said(store, ids):
    with store.connect() as conn:
        found = criticisms_in(conn, criticism_model(), ids, 2)
    assert (found.sentences, found.is_complete) == (2, False)


def test_no_articles_have_no_criticism(store):
    with store.connect() as conn:
        assert criticisms_in(conn, criticism_model(), []).groups == ()
