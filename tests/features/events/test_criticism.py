"""What the comments, posts and articles of a store criticise; the verdict of the shipped model, and how similar
sentences are grouped."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.analysis import article_of
from bench.event_stream import Page
from newsspider.core.model import PageType
from newsspider.core.url import url_key
from newsspider.features.events.criticism import COMMON_GROUPS, Criticism, Voice, alike, criticism_model, criticisms_in
from newsspider.store.articles import articles_by_body
from newsspider.store.engine.database import writing
from tests.support.tables import each

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
        some = criticisms_in(conn, criticism_model(), ids, 2)
    assert (some.sentences, some.is_complete) == (2, False)


def test_no_articles_have_no_criticism(store):
    with store.connect() as conn:
        assert criticisms_in(conn, criticism_model(), []).groups == ()


def criticises(sentence: str) -> bool:
    return criticism_model().odds(sentence) >= criticism_model().threshold


@each(
    "sentence", ["学校拒不道歉，实在令人失望。", "學校拒不道歉，實在令人失望。", "收费从来不公开，太不合理了。"]
)
def test_what_blames_criticises(sentence: str) -> None:
    assert criticises(sentence)


@each(
    "sentence",
    [
        "老师非常负责，孩子进步很大，全家都很感激。", "教育局公布了优秀教师名单，公示期五天。", "这段山路有77里，他走了多年。",
        "游戏就是幼儿的学习方式。", "考上云川科技大学的赵慧敏回忆道。", "涉嫌虐待学生的教师被刑事拘留。", "严禁以任何名义乱收费。",
    ],
)  # fmt: skip
def test_praise_and_facts_do_not(sentence: str) -> None:
    assert not criticises(sentence)


@given(st.text(max_size=300))
def test_any_text_gets_odds(text: str) -> None:
    assert abs(criticism_model().odds(text)) < 100


def criticism(sentence: str, odds: float = 1.0, article: int = 1) -> Criticism:
    return Criticism(sentence, odds, Voice.COMMENT, article)


def test_like_sentences_are_one_group_with_the_surest_first_and_the_largest_comes_first() -> None:
    others = [criticism("学校的饭真的太难吃了。", article=2), criticism("学校的饭太难吃了！", 2.0)]
    groups = alike([criticism("收费从来不公开。", 3.0), *others])
    assert [len(group) for group in groups] == [2, 1]
    assert [said.article for said in groups[0]] == [1, 2]
    assert groups[0][0].sentence == "学校的饭太难吃了！"


def test_a_pair_of_characters_in_too_many_groups_finds_none_of_them() -> None:
    different = [criticism(f"真是{chr(0x4E00 + number)}", 2.0) for number in range(COMMON_GROUPS + 1)]
    short = criticism("真是")
    assert len(alike([*different[:COMMON_GROUPS], short])) == COMMON_GROUPS
    assert len(alike([*different, short])) == COMMON_GROUPS + 2
