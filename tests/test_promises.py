"""What the words of a link say of the article behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from newsspider.core.crawling.visit import Lease
from newsspider.core.judging.rules import Rule, Verdict
from newsspider.core.model import Kind, Reason
from newsspider.core.strategies.polling import STEPS_OF_WORDS
from newsspider.promises import Promises
from newsspider.topics.loader import load_topic

URL = "http://a.cn/1"
EDUCATION = load_topic("education")
PROMISES = Promises(EDUCATION)


@pytest.mark.parametrize("said", ["两市成交额双双回落 券商股领跌", "主队加时赛逆转取胜 晋级八强", "新款手机发布 续航提升三成"])
def test_a_link_that_is_clearly_about_something_else_is_refused_with_what_it_says(said: str) -> None:
    told = PROMISES.of(said, "s", "c", URL).refusal
    assert said in told
    assert "for education" in told


@pytest.mark.parametrize("said", ["高考改革方案公布", "教育部：中小学减负", "", "详细", "图集", "Kindergarten fees capped"])
def test_a_link_that_is_about_the_topic_or_says_too_little_is_followed(said: str) -> None:
    assert PROMISES.of(said, "s", "c", URL).refusal == ""


def test_what_promises_more_comes_sooner_among_links_of_one_weight() -> None:
    steps = [PROMISES.of(said, "s", "c", URL).steps for said in ("高考改革方案公布", "主队加时赛逆转取胜 晋级八强", "详细")]
    assert steps == [STEPS_OF_WORDS - 1, 0, 0]


def test_a_profile_without_a_threshold_follows_every_link_alike() -> None:
    for topic in (load_topic("any"), load_topic("flood"), replace(EDUCATION, link_threshold=0.0)):
        promises = Promises(topic)
        assert promises.of("两市成交额双双回落 券商股领跌", "s", "c", URL).refusal == ""
        assert promises.of("高考改革方案公布", "s", "c", URL).steps == 0


def test_a_page_that_waits_is_set_aside_for_what_its_link_says_unless_it_is_more_than_that() -> None:
    lease = Lease(1, "http://a.cn/1", "a.cn", Kind.ARTICLE, "s", "c", 2, "主队加时赛逆转取胜 晋级八强", 50, "w", 1, 0.0, 0.0)
    found = PROMISES.set_aside(lease)
    assert found is not None
    assert (found.settlement.reason, found.settlement.topic) == (Reason.OFF_TOPIC, "education, links below 0.002")
    more: tuple[dict[str, Any], ...] = (
        {"anchor": "高考改革方案公布"}, {"channel": "submitted"}, {"fetch_count": 1}, {"carried": "{}"},
        {"hops": 1}, {"kind": Kind.LIST},
    )  # fmt: skip
    assert [PROMISES.set_aside(replace(lease, **each)) for each in more] == [None] * len(more)


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
def test_a_link_to_what_a_rule_may_keep_is_followed_whatever_it_says(rule: str, url: str, *, fetched: bool) -> None:
    promises = Promises(replace(EDUCATION, rules=(Rule(rule, Verdict.KEEP),)))
    assert (promises.of("主队加时赛逆转取胜 晋级八强", "s", "c", url).refusal == "") is fetched
    dropped = Promises(replace(EDUCATION, rules=(Rule(rule, Verdict.DROP),)))
    assert dropped.of("主队加时赛逆转取胜 晋级八强", "s", "c", url).refusal


@pytest.mark.parametrize("rule", ["url:/kept/", "ＵＲＬ：/kept/", "site:kept.cn"])
def test_links_with_the_same_words_are_told_apart_where_a_rule_asks_their_url(rule: str) -> None:
    promises = Promises(replace(EDUCATION, rules=(Rule(rule, Verdict.KEEP),)))
    refusals = [promises.of("主队加时赛逆转取胜 晋级八强", "s", "c", url).refusal for url in (URL, "http://kept.cn/kept/1")]
    assert refusals[0]
    assert not refusals[1]
