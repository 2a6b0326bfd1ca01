"""Each pipeline alone, on plain items: itemadapter makes no difference between a dict and our own."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, ClassVar

import pytest
from scrapy.statscollectors import DummyStatsCollector
from scrapy.utils.test import get_crawler

from newsspider.core.crawling.visit import Lease, PageResult, Settlement
from newsspider.core.duplicates.reprints import Fingerprints, Method
from newsspider.core.fetching.validators import Ask
from newsspider.core.model import PageType, Reason, State, StoredArticle
from newsspider.core.relevance.rules import Rule, Verdict
from newsspider.core.text.fingerprint import body_md5, normalised
from newsspider.crawl.link_filter import LinkFilter
from newsspider.pipelines.fingerprint import LONG_TEXT, FingerprintPipeline
from newsspider.pipelines.keywords import KeywordsPipeline
from newsspider.pipelines.relevance import RelevancePipeline
from newsspider.pipelines.validators import ValidatorsPipeline
from newsspider.store.engine.clock import Clock
from newsspider.topics.loader import load_topic

LEASE = Lease(1, "http://a.example/1", "a.example", PageType.ARTICLE, "a", "home", 2, "锚文本", 50, "w", 1, 100.0, 0.0)
ON_TOPIC = "教育部公布今年的高考招生政策，各地学校和教师认真准备，考生和家长表示欢迎。" * 8
OFF_TOPIC = "球队昨晚客场以三比一取胜，前锋梅开二度，主教练赛后表示满意，球迷庆祝到深夜。" * 8


def page(title: str, text: str) -> PageResult:
    article = StoredArticle(
        url=LEASE.url, canonical_url=LEASE.url, site="a", channel="home", media_class="portal", anchor="锚文本", title=title,
        authors=(), source=None, published_at=None, crawled_at=datetime(2026, 1, 1, tzinfo=UTC), meta_keywords=(),
        meta_description=None, text=text, summary="", keywords=(), language="zh", charset="utf-8", kind=PageType.ARTICLE,
        link_count=0, priority=50, content=b"<html>",
    )  # fmt: skip
    return PageResult(LEASE, Settlement(State.DONE, Reason.STORED), article)


def as_dict(result: PageResult) -> dict[str, Any]:
    assert result.article is not None
    return {"settlement": result.settlement, "article": dataclasses.asdict(result.article)}


@pytest.fixture
def relevance() -> RelevancePipeline:
    return RelevancePipeline(LinkFilter(load_topic("education"), Clock()), None, DummyStatsCollector(get_crawler()))


def test_relevance_keeps_what_is_on_topic_and_says_which_terms_decided(relevance: RelevancePipeline) -> None:
    kept = relevance.process_item(page("教育部公布高考招生政策", ON_TOPIC))
    assert kept.article is not None
    assert kept.article.topic == "education"
    assert kept.article.score >= 0.5
    assert "高考" in kept.article.terms
    assert kept.article.model
    assert kept.article.subtopics == ("高考",)


def test_relevance_settles_the_rest_as_off_topic_with_score_and_topic(relevance: RelevancePipeline) -> None:
    refused = relevance.process_item(page("球队客场取胜", OFF_TOPIC))
    assert refused.article is None
    assert refused.settlement.reason is Reason.OFF_TOPIC
    assert refused.settlement.topic == "education"
    assert refused.settlement.state is State.DONE


def test_what_was_judged_is_remembered_for_links_that_say_the_like(relevance: RelevancePipeline) -> None:
    relevance.process_item(page("球队客场三比一取胜", OFF_TOPIC))
    relevance.process_item(page("教育部公布高考招生政策", ON_TOPIC))
    titles = ("球队客场二比一取胜", "教育局公布高考招生政策")
    assert [relevance.link_filter.precedents.against(title, "b") for title in titles] == ["球队客场三比一取胜", ""]
    relevance.link_filter.precedents.add("教育局公布高考招生政策", "b", on_topic=False)
    assert relevance.link_filter.precedents.against("教育局公布高考招生政策", "b") == ""


def test_the_rule_that_drops_an_article_is_told() -> None:
    topic = replace(load_topic("education"), rules=(Rule("高考", Verdict.DROP, name="no exams"),))
    refusing = RelevancePipeline(LinkFilter(topic, Clock()), None, DummyStatsCollector(get_crawler()))
    refused = refusing.process_item(page("教育部公布高考招生政策", ON_TOPIC))
    assert refused.settlement.reason is Reason.OFF_TOPIC
    assert refused.settlement.detail.endswith("; rules: no exams")


def test_any_topic_keeps_everything() -> None:
    keep_all = RelevancePipeline(LinkFilter(load_topic("any"), Clock()), None, DummyStatsCollector(get_crawler()))
    kept = keep_all.process_item(page("球队客场取胜", OFF_TOPIC)).article
    assert kept is not None
    assert kept.subtopics == ()


def test_a_page_without_an_article_passes_every_pipeline_as_it_is(relevance: RelevancePipeline) -> None:
    for pipeline in (relevance, KeywordsPipeline(), FingerprintPipeline(Method())):
        bare = PageResult(LEASE, Settlement(State.DONE, Reason.POLLED))
        assert pipeline.process_item(bare) is bare
        assert bare.settlement.reason is Reason.POLLED


def test_keywords_are_words_of_the_article_at_most_ten() -> None:
    found = KeywordsPipeline().process_item(page("教育部公布高考招生政策", ON_TOPIC)).article
    assert found is not None
    assert 1 <= len(found.keywords) <= 10
    assert all(word in found.title + found.text for word in found.keywords)


def test_fingerprints_do_not_depend_on_blanks_but_on_the_text() -> None:
    one, same, other = (
        FingerprintPipeline(Method()).process_item(page("t", text)).article for text in ("学 校\n教育", "学校教育", "学校教学")
    )
    assert one is not None
    assert same is not None
    assert other is not None
    assert one.body_md5 == same.body_md5 != other.body_md5
    assert one.snapshot == hashlib.sha256(b"<html>").hexdigest()


class Watch(Method):
    """A method that remembers in which thread it was asked."""

    threads: ClassVar[list[threading.Thread]] = []

    def of(self, letters: str) -> Fingerprints:
        self.threads.append(threading.current_thread())
        return super().of(letters)


def test_the_fingerprints_of_a_long_text_are_made_in_a_thread_and_are_those_of_any_thread() -> None:
    text = ON_TOPIC * (LONG_TEXT // len(ON_TOPIC) + 1)
    Watch.threads.clear()
    item = page("t", text)
    assert asyncio.run(FingerprintPipeline(Watch()).process_item(item)) is item
    assert isinstance(FingerprintPipeline(Watch()).process_item(page("t", ON_TOPIC)), PageResult)
    assert [thread is threading.main_thread() for thread in Watch.threads] == [False, True]
    assert item.article is not None
    assert item.article.body_md5 == item.settlement.body_hash == body_md5("t", text)
    assert item.article.fingerprints is not None
    assert item.article.fingerprints.values == Method().of(normalised(text)).values


def test_a_long_text_off_topic_is_named_in_a_thread(relevance: RelevancePipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def watched(title: str, text: str) -> str:
        threads.append(threading.current_thread())
        return body_md5(title, text)

    monkeypatch.setattr("newsspider.pipelines.relevance.body_md5", watched)
    text = "今天天气晴。" * (LONG_TEXT // 6 + 1)
    item = page("天气", text)
    assert asyncio.run(relevance.process_item(item)) is item
    assert item.settlement.body_hash == body_md5("", text)
    assert isinstance(relevance.process_item(page("天气", "今天天气晴。")), PageResult)
    assert [thread is threading.main_thread() for thread in threads] == [False, True]


def test_two_notices_that_say_no_more_than_see_the_list_are_two_articles() -> None:
    pages = [page(f"关于公布{whom}名单的通知", "现将名单予以公布，详见附件。") for whom in ("优秀教师", "优秀学生")]
    one, other = (FingerprintPipeline(Method()).process_item(each).article for each in pages)
    assert one.body_md5 != other.body_md5


def test_a_page_that_asks_not_to_be_archived_gets_no_snapshot() -> None:
    item = page("t", "学校")
    assert item.article is not None
    item.article.content = b""
    found = FingerprintPipeline(Method()).process_item(item).article
    assert found is not None
    assert found.snapshot == ""


@pytest.mark.parametrize(("status", "reason", "kept"), [(200, Reason.NOT_AN_ARTICLE, None), (304, Reason.UNCHANGED, '"now"')])
def test_the_validators_of_a_page_that_stands_where_an_article_stood_are_not_remembered(
    status: int, reason: Reason, kept: str | None
) -> None:
    lease = dataclasses.replace(LEASE, had_article=True, etag='"before"', body_hash="hash")
    settlement = Settlement(State.DONE, reason, status=status, etag='"now"', last_modified=None, body_hash="hash")
    item = PageResult(lease, settlement, asked=Ask.IF_CHANGED)
    found = ValidatorsPipeline(DummyStatsCollector(get_crawler())).process_item(item).settlement
    assert (found.etag, found.last_modified, found.body_hash) == (kept, None, "hash")


def test_every_pipeline_works_on_a_dict_as_well(relevance: RelevancePipeline) -> None:
    item = as_dict(page("教育部公布高考招生政策", ON_TOPIC))
    for pipeline in (relevance, KeywordsPipeline(), FingerprintPipeline(Method())):
        item = pipeline.process_item(item)
    assert item["article"]["score"] >= 0.5
    assert item["article"]["subtopics"] == ("高考",)
    assert item["article"]["keywords"]
    assert item["settlement"].body_hash == item["article"]["body_md5"]
