"""What the comments, posts and articles of a store think."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.analysis import article_of
from bench.event_stream import Page
from newsspider.analysis.opinions import opinions_of
from newsspider.core.model import PageType
from newsspider.core.opinions.key_sentences import Voice
from newsspider.core.opinions.tendency import Tendency
from newsspider.core.url import url_key
from newsspider.store.articles import bodies
from newsspider.store.engine.database import writing
from newsspider.topics.opinions import tendency_model

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
        return [bodies.keep(conn, url_key(text.url), text, 0).article_id for text in texts]


def test_sentences_are_counted_by_who_says_them(store, ids):
    with store.connect() as conn:
        shares = opinions_of(conn, tendency_model(), ids).shares()
    assert (shares[Voice.COMMENT][Tendency.NEGATIVE], shares[Voice.COMMENT][Tendency.NEUTRAL]) == (2, 1)
    assert shares[Voice.POST][Tendency.POSITIVE] == 1
    assert sum(shares[Voice.ARTICLE].values()) == 3  # what the reprint repeats counts once


def test_groups_name_the_sentence_the_words_and_the_articles(store, ids):
    model = tendency_model()
    with store.connect() as conn:
        record = opinions_of(conn, model, ids).record(model, 1)
    (group,) = record["clusters"]
    assert (group["sentence"], group["tendency"], group["count"]) == (BLAME, "negative", 3)
    assert group["articles"] == [ids[0], ids[2]]
    assert group["words"]
    assert record["complete"]


def test_no_articles_have_no_opinions(store):
    with store.connect() as conn:
        opinions = opinions_of(conn, tendency_model(), [])
    assert (opinions.judged, opinions.clusters, opinions.shares()) == ((), (), {})
