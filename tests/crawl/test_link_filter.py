"""What the words of a link say about the article behind it."""

import re
from dataclasses import replace
from typing import Any

import pytest

from newsspider.core.crawling.visit import Lease
from newsspider.core.model import PageType, Reason
from newsspider.core.relevance.document import Document
from newsspider.core.relevance.model_names import Model
from newsspider.core.relevance.rule_language import RuleVerdict, TopicRule
from newsspider.core.relevance.scoring import score
from newsspider.core.relevance.topic import Threshold
from newsspider.core.scheduling.priorities import STEPS_OF_WORDS
from newsspider.core.url import url_key
from newsspider.crawl.link_filter import TRIED_ONE_IN, LinkFilter
from newsspider.store.engine.clock import Clock
from newsspider.topics.loader import load_topic
from tests.support.tables import each

URL = "http://a.cn/1"
EDUCATION = load_topic("education")
PROMISES = LinkFilter(EDUCATION, Clock())


@each("words", ["两市成交额双双回落 券商股领跌", "主队加时赛逆转取胜 晋级八强", "新款手机发布 续航提升三成"])
def test_a_link_that_is_clearly_about_something_else_is_refused_with_what_it_says(words: str) -> None:
    refusal = PROMISES.of(words, "s", "c", URL).refusal
    assert words in refusal
    assert refusal.endswith(" for education, below 0.0020")


@each("words", ["高考改革方案公布", "教育部：中小学减负", "", "详细", "图集", "Kindergarten fees capped"])
def test_a_link_that_is_about_the_topic_or_says_too_little_is_followed(words: str) -> None:
    assert PROMISES.of(words, "s", "c", URL).refusal == ""


def test_more_promising_links_come_first_among_links_of_equal_weight() -> None:
    steps = [PROMISES.of(words, "s", "c", URL).steps for words in ("高考改革方案公布", "主队加时赛逆转取胜 晋级八强", "详细")]
    assert steps == [STEPS_OF_WORDS - 1, 0, 0]


def test_a_profile_without_a_threshold_follows_every_link_alike() -> None:
    for topic in (load_topic("any"), load_topic("flood"), replace(EDUCATION, link_threshold=0.0)):
        link_filter = LinkFilter(topic, Clock())
        assert link_filter.of("两市成交额双双回落 券商股领跌", "s", "c", URL).refusal == ""
        assert link_filter.of("高考改革方案公布", "s", "c", URL).steps == 0


def test_a_waiting_page_is_skipped_for_its_link_text_unless_it_is_more_than_a_new_article() -> None:
    lease = Lease(1, "http://a.cn/1", "a.cn", PageType.ARTICLE, "s", "c", 2, "主队加时赛逆转取胜 晋级八强", 50, 1, 0.0, 0.0)
    skipped = PROMISES.skip(lease)
    assert skipped is not None
    assert (skipped.settlement.reason, skipped.settlement.topic) == (Reason.OFF_TOPIC, "education, links below 0.002")
    more: tuple[dict[str, Any], ...] = (
        {"anchor": "高考改革方案公布"}, {"channel": "submitted"}, {"fetch_count": 1}, {"partial_article": "{}"},
        {"hops": 1}, {"kind": PageType.LIST},
    )  # fmt: skip
    assert [PROMISES.skip(replace(lease, **changes)) for changes in more] == [None] * len(more)


@pytest.mark.parametrize(
    ("rule", "url", "fetched"),
    [
        ("site:kept.cn", "http://www.kept.cn/1", True),
        ("site:kept.cn", URL, False),
        ("url:/kept/", "http://a.cn/kept/1", True),
        ("channel:c", URL, True),
        ("author:张三", URL, True),  # only the article tells
        ("author:张三 AND channel:d", URL, False),
        ("NOT author:张三", URL, True),
        ("NOT (author:张三 OR channel:c)", URL, False),
        ("NOT NOT author:张三", URL, True),
        ("title:主队", URL, True),
        ("title:客队", URL, False),
    ],
)
def test_a_link_to_an_article_that_a_rule_may_keep_is_followed_whatever_its_text(rule: str, url: str, *, fetched: bool) -> None:
    link_filter = LinkFilter(replace(EDUCATION, rules=(TopicRule(rule, RuleVerdict.KEEP),)), Clock())
    assert (link_filter.of("主队加时赛逆转取胜 晋级八强", "s", "c", url).refusal == "") is fetched
    dropped = LinkFilter(replace(EDUCATION, rules=(TopicRule(rule, RuleVerdict.DROP),)), Clock())
    assert dropped.of("主队加时赛逆转取胜 晋级八强", "s", "c", url).refusal


@each("rule", ["url:/kept/", "ＵＲＬ：/kept/", "site:kept.cn"])
def test_links_with_the_same_words_are_told_apart_where_a_rule_asks_their_url(rule: str) -> None:
    link_filter = LinkFilter(replace(EDUCATION, rules=(TopicRule(rule, RuleVerdict.KEEP),)), Clock())
    refusals = [link_filter.of("主队加时赛逆转取胜 晋级八强", "s", "c", url).refusal for url in (URL, "http://kept.cn/kept/1")]
    assert refusals[0]
    assert not refusals[1]


VAGUE = "这个夏天，他们一起去了海边"
CLEAR = ("高考改革方案公布", "教育部：中小学减负", "义务教育学校划片招生", "高校毕业生就业座谈会")
OTHER = ("两市成交额双双回落 券商股领跌", "主队加时赛逆转取胜 晋级八强", "新款手机发布 续航提升三成", "湖区螃蟹丰收 亩产增加五成")


@pytest.mark.parametrize(("beside", "fetched"), [(CLEAR * 3, True), ((), True), (OTHER * 3, False), (OTHER * 12 + CLEAR, False)])
def test_vague_words_are_followed_in_a_list_about_the_topic_and_not_in_one_of_all_sorts(beside: tuple[str, ...], *, fetched: bool) -> None:
    link_filter = LinkFilter(EDUCATION, Clock())
    link_filter.observe("s", "c", [(words, URL) for words in (VAGUE, *beside)])
    refusal = link_filter.of(VAGUE, "s", "c", URL).refusal
    assert (refusal == "") is fetched
    if refusal:
        assert re.search(r" for education, below 0\.00\d\d, in a list of which \d+% is about it$", refusal)
    assert link_filter.of(VAGUE, "s", "another", URL).refusal == ""


def test_a_channel_is_judged_by_its_best_page_without_links_that_say_nothing() -> None:
    link_filter = LinkFilter(EDUCATION, Clock())
    link_filter.observe("s", "c", [(words, URL) for words in OTHER * 3])
    assert link_filter.of(VAGUE, "s", "c", URL).refusal
    link_filter.observe("s", "c", [*((words, URL) for words in CLEAR * 3), *[("详细", URL)] * 50])
    link_filter.observe("s", "c", [(words, URL) for words in OTHER * 3])
    assert link_filter.of(VAGUE, "s", "c", URL).refusal == ""


HOAX, AGAIN = "“老师好”诈骗短信又来了 民警支招", "“老师好”诈骗短信又来了，专家支招"
READ = next(url for n in range(1000) if url_key(url := f"http://a.cn/{n}") % TRIED_ONE_IN == 0)  # whatever precedents say


def test_a_link_that_reads_like_an_off_topic_article_is_refused_and_the_precedent_is_named() -> None:
    link_filter = LinkFilter(EDUCATION, Clock())
    assert link_filter.of(AGAIN, "s", "c", URL).refusal == ""
    link_filter.learn(HOAX, "", "s", on_topic=False)
    assert HOAX in link_filter.of(AGAIN, "s", "c", URL).refusal
    lease = Lease(1, URL, "a.cn", PageType.ARTICLE, "s", "c", 2, AGAIN, 50, 1, 0.0, 0.0)
    skipped = link_filter.skip(lease)
    assert skipped is not None
    assert HOAX in skipped.settlement.detail


def test_a_precedent_yields_to_one_on_topic_to_clear_words_to_a_rule_and_to_a_regular_trial() -> None:
    link_filter = LinkFilter(EDUCATION, Clock())
    link_filter.learn(HOAX, "", "s", on_topic=False)
    assert link_filter.of(AGAIN, "s", "c", URL).refusal
    assert link_filter.of(AGAIN, "s", "c", READ).refusal == ""
    link_filter.learn("“老师好”诈骗短信又来了，各校提醒学生", "", "s", on_topic=True)
    assert link_filter.of(AGAIN, "s", "c", URL).refusal == ""
    link_filter.learn("教育部公布高考招生改革方案", "", "s", on_topic=False)
    assert link_filter.of("教育部公布高考招生改革方案", "s", "c", URL).refusal == ""
    with_rule = LinkFilter(replace(EDUCATION, rules=(TopicRule("title:诈骗", RuleVerdict.KEEP),)), Clock())
    with_rule.learn(HOAX, "", "s", on_topic=False)
    assert with_rule.of(AGAIN, "s", "c", URL).refusal == ""


@each(
    ("off_topic", "words"),
    [
        ("全市消防工作座谈会召开", "全市教育工作座谈会召开"),
        ("市领导到企业调研", "市领导到学校调研"),
        ("县文化局2026年部门预算公开", "县教育局2026年部门预算公开"),
    ],
)
def test_a_link_that_says_much_more_than_its_precedent_is_followed(off_topic: str, words: str) -> None:
    link_filter = LinkFilter(EDUCATION, Clock())
    link_filter.learn(off_topic, "", "another", on_topic=False)
    assert link_filter.precedents.against(words, "s") == off_topic
    assert link_filter.of(words, "s", "c", URL).refusal == ""
    assert off_topic in link_filter.of(off_topic, "s", "c", URL).refusal


def test_a_regular_column_of_a_site_is_fetched_again_whatever_it_was_about() -> None:
    link_filter = LinkFilter(EDUCATION, Clock())
    link_filter.learn("早间新闻精选（11月2日）", "", "s", on_topic=False)
    assert link_filter.of("早间新闻精选（11月3日）", "s", "c", URL).refusal == ""
    assert link_filter.of("早间新闻精选（11月3日）", "another", "c", URL).refusal


def test_a_page_of_few_links_or_none_does_not_make_a_list_of_all_sorts_better() -> None:
    link_filter = LinkFilter(EDUCATION, Clock())
    link_filter.observe("s", "c", [(words, URL) for words in OTHER * 3])
    for few in ([], [("首页", URL)], [(OTHER[0], URL)]):
        link_filter.observe("s", "c", few)
        assert link_filter.of(VAGUE, "s", "c", URL).refusal
    link_filter.observe("s", "c", [(words, URL) for words in CLEAR * 3])
    assert link_filter.of(VAGUE, "s", "c", URL).refusal == ""


@each("model", [Model.BOOLEAN, Model.TAGS, Model.VECTOR])
def test_scores_that_are_no_shares_are_compared_with_the_threshold_alone_and_are_sure_from_that_of_headlines(model: Model) -> None:
    topic = replace(EDUCATION, model=model, link_threshold=0.001)
    link_filter = LinkFilter(topic, Clock())
    headline_score = score(topic, Document(title=AGAIN)).score
    at_it = LinkFilter(replace(topic, link_threshold=headline_score, thresholds={model: Threshold(1.0, headline_score)}), Clock())
    at_it.observe("s", "c", [(words, URL) for words in OTHER * 3])
    at_it.learn(HOAX, "", "another", on_topic=False)
    assert headline_score > 0
    assert at_it.of(AGAIN, "s", "c", URL).refusal == ""
    link_filter.learn(HOAX, "", "another", on_topic=False)
    below = LinkFilter(replace(topic, thresholds={model: Threshold(1.0, headline_score + 0.01)}), Clock())
    below.learn(HOAX, "", "another", on_topic=False)
    assert HOAX in below.of(AGAIN, "s", "c", URL).refusal


def test_an_article_is_remembered_by_its_title_where_the_link_said_too_little() -> None:
    link_filter = LinkFilter(EDUCATION, Clock())
    link_filter.learn("详细", HOAX, "s", on_topic=False)
    link_filter.learn("", "图集", "s", on_topic=False)
    assert link_filter.of(AGAIN, "s", "c", URL).refusal
    follows_all = LinkFilter(load_topic("any"), Clock())
    follows_all.learn(HOAX, "", "s", on_topic=False)
    assert follows_all.of(AGAIN, "s", "c", URL).refusal == ""
