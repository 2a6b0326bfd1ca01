"""Each pipeline alone, on articles and on dicts: itemadapter makes no difference between them."""

import asyncio
import dataclasses
import hashlib
import re
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem
from scrapy.statscollectors import DummyStatsCollector
from scrapy.utils.test import get_crawler

from newsspider.core.crawling.visit import Lease, PageResult, Settlement
from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.duplicates.reprints import Fingerprints, fingerprints_of
from newsspider.core.fetching.politeness import Ask, KnownResponse
from newsspider.core.model import Image, PageType, Reason, State, StoredArticle
from newsspider.core.relevance.rule_language import RuleVerdict, TopicRule
from newsspider.core.text.text_comparison import normalise_text
from newsspider.crawl.link_filter import LinkFilter
from newsspider.crawl.page_saver import note_validators
from newsspider.pipelines.relevance import KeywordsPipeline, OffTopicError, RelevancePipeline
from newsspider.pipelines.store import LONG_TEXT, FingerprintPipeline, article_of, is_article
from newsspider.store.engine.clock import Clock
from newsspider.topics.loader import load_topic

LEASE = Lease(1, "http://a.example/1", "a.example", PageType.ARTICLE, "a", "home", 2, "锚文本", 50, 1, 100.0, 0.0)
ON_TOPIC = "教育部公布今年的高考招生政策，各地学校和教师认真准备，考生和家长表示欢迎。" * 8
OFF_TOPIC = "球队昨晚客场以三比一取胜，前锋梅开二度，主教练赛后表示满意，球迷庆祝到深夜。" * 8


def item_of(title: str, text: str) -> StoredArticle:
    return StoredArticle(
        url=LEASE.url, canonical_url=LEASE.url, site="a", channel="home", media_class="portal", anchor="锚文本", title=title,
        authors=(), source=None, published_at=None, crawled_at=datetime(2026, 1, 1, tzinfo=UTC), meta_keywords=(),
        meta_description=None, text=text, summary="", keywords=(), language="zh", charset="utf-8", kind=PageType.ARTICLE,
        link_count=0, priority=50, images=(Image("http://a.example/1.png", "图"),), content=b"<html>",
    )  # fmt: skip


@pytest.fixture
def relevance() -> RelevancePipeline:
    return RelevancePipeline(LinkFilter(load_topic("education"), Clock()), None, DummyStatsCollector(get_crawler()))


def dropped(relevance: RelevancePipeline, item: StoredArticle) -> OffTopicError:
    with pytest.raises(OffTopicError) as raised:
        relevance.process_item(item)
    return raised.value


def test_relevance_keeps_what_is_on_topic_and_says_which_terms_decided(relevance: RelevancePipeline) -> None:
    item = relevance.process_item(item_of("教育部公布高考招生政策", ON_TOPIC))
    assert item.topic == "education"
    assert item.score >= 0.5
    assert "高考" in item.terms
    assert item.model
    assert item.subtopics == ("高考",)


def test_relevance_drops_the_rest_with_score_and_topic(relevance: RelevancePipeline) -> None:
    reason = dropped(relevance, item_of("球队客场取胜", OFF_TOPIC))
    assert isinstance(reason, DropItem)
    assert (reason.topic, reason.body_hash) == ("education", body_md5("", OFF_TOPIC))
    assert re.match(r"\w+ 0\.\d\d of 0\.\d\d: ", str(reason))


def test_earlier_verdicts_count_for_links_with_similar_titles(relevance: RelevancePipeline) -> None:
    dropped(relevance, item_of("球队客场三比一取胜", OFF_TOPIC))
    relevance.process_item(item_of("教育部公布高考招生政策", ON_TOPIC))
    titles = ("球队客场二比一取胜", "教育局公布高考招生政策")
    assert [relevance.link_filter.precedents.against(title, "b") for title in titles] == ["球队客场三比一取胜", ""]
    relevance.link_filter.precedents.add("教育局公布高考招生政策", "b", on_topic=False)
    assert relevance.link_filter.precedents.against("教育局公布高考招生政策", "b") == ""


def test_the_rule_that_drops_an_article_is_told() -> None:
    topic = replace(load_topic("education"), rules=(TopicRule("高考", RuleVerdict.DROP, name="no exams"),))
    refusing = RelevancePipeline(LinkFilter(topic, Clock()), None, DummyStatsCollector(get_crawler()))
    assert str(dropped(refusing, item_of("教育部公布高考招生政策", ON_TOPIC))).endswith("; rules: no exams")


def test_any_topic_keeps_everything() -> None:
    keep_all = RelevancePipeline(LinkFilter(load_topic("any"), Clock()), None, DummyStatsCollector(get_crawler()))
    assert keep_all.process_item(item_of("球队客场取胜", OFF_TOPIC)).subtopics == ()


def test_keywords_are_words_of_the_article_at_most_ten() -> None:
    item = KeywordsPipeline().process_item(item_of("教育部公布高考招生政策", ON_TOPIC))
    assert 1 <= len(item.keywords) <= 10
    assert all(word in item.title + item.text for word in item.keywords)


def test_fingerprints_do_not_depend_on_blanks_but_on_the_text() -> None:
    spaced, same, other = (
        FingerprintPipeline().process_item(item_of("t", text)) for text in ("学 校\n教育", "学校教育", "学校教学")
    )
    assert spaced.body_md5 == same.body_md5 != other.body_md5
    assert spaced.snapshot == hashlib.sha256(b"<html>").hexdigest()


def test_the_fingerprints_of_a_long_text_are_made_in_a_thread_and_are_those_of_any_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[threading.Thread] = []

    def watched(letters: str, title: str) -> Fingerprints:
        threads.append(threading.current_thread())
        return fingerprints_of(letters, title)

    monkeypatch.setattr("newsspider.pipelines.store.fingerprints_of", watched)
    text = ON_TOPIC * (LONG_TEXT // len(ON_TOPIC) + 1)
    item = item_of("t", text)
    assert asyncio.run(FingerprintPipeline().process_item(item)) is item
    assert isinstance(FingerprintPipeline().process_item(item_of("t", ON_TOPIC)), StoredArticle)
    assert [thread is threading.main_thread() for thread in threads] == [False, True]
    assert item.body_md5 == body_md5("t", text)
    assert item.fingerprints is not None
    assert item.fingerprints.values == fingerprints_of(normalise_text(text)).values


def test_a_long_text_off_topic_is_named_in_a_thread(relevance: RelevancePipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def watched(title: str, text: str) -> str:
        threads.append(threading.current_thread())
        return body_md5(title, text)

    monkeypatch.setattr("newsspider.pipelines.relevance.body_md5", watched)
    text = "今天天气晴。" * (LONG_TEXT // 6 + 1)
    with pytest.raises(OffTopicError) as raised:
        asyncio.run(relevance.process_item(item_of("天气", text)))
    assert raised.value.body_hash == body_md5("", text)
    dropped(relevance, item_of("天气", "今天天气晴。"))
    assert [thread is threading.main_thread() for thread in threads] == [False, True]


def test_two_notices_that_say_no_more_than_see_the_list_are_two_articles() -> None:
    items = [item_of(f"关于公布{whom}名单的通知", "现将名单予以公布，详见附件。") for whom in ("优秀教师", "优秀学生")]
    first, second = (FingerprintPipeline().process_item(item) for item in items)
    assert first.body_md5 != second.body_md5


def test_a_page_that_asks_not_to_be_archived_gets_no_snapshot() -> None:
    item = item_of("t", "学校")
    item.content = b""
    assert FingerprintPipeline().process_item(item).snapshot == ""


@pytest.mark.parametrize(("status", "reason", "etag"), [(200, Reason.NOT_AN_ARTICLE, None), (304, Reason.UNCHANGED, '"now"')])
def test_the_validators_of_a_page_that_stands_where_an_article_stood_are_not_remembered(
    status: int, reason: Reason, etag: str | None
) -> None:
    lease = dataclasses.replace(LEASE, stored_at=0.0, known=KnownResponse('"before"', content="hash"))
    settlement = Settlement(State.DONE, reason, status=status, etag='"now"', last_modified=None, body_hash="hash")
    page = PageResult(lease, settlement, asked=Ask.IF_CHANGED)
    note_validators(page, DummyStatsCollector(get_crawler()))
    completed = page.settlement
    assert (completed.etag, completed.last_modified, completed.body_hash) == (etag, None, "hash")


def test_every_pipeline_works_on_a_dict_and_the_store_makes_an_article_of_it(relevance: RelevancePipeline) -> None:
    class ToDict:
        def process_item(self, item: Any) -> dict[str, Any]:
            return ItemAdapter(item).asdict() | {"added": "by a user"}

    ours = (relevance, KeywordsPipeline(), FingerprintPipeline())
    pipelines = [step for pipeline in ours for step in (ToDict(), pipeline)]
    item: Any = item_of("教育部公布高考招生政策", ON_TOPIC)
    for pipeline in pipelines:
        item = pipeline.process_item(item)
    assert item["added"] == "by a user"
    article = article_of(item)
    assert article.score >= 0.5
    assert article.subtopics == ("高考",)
    assert article.keywords
    assert article.images == (Image("http://a.example/1.png", "图"),)
    assert article.body_md5 == body_md5(article.title, ON_TOPIC)
    assert article.fingerprints is not None
    assert article.fingerprints.values == fingerprints_of(normalise_text(ON_TOPIC)).values


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"title": "t"}, "an item without url, canonical_url, site"),
        (replace(item_of("t", "x"), title=""), "left title as ''; an article needs a text there"),
        (replace(item_of("t", "x"), text=cast("str", None)), "left text as None"),
        (replace(item_of("t", "x"), authors=cast("Any", "李明")), "left authors as '李明'; an article needs a list there"),
        (replace(item_of("t", "x"), published_at=cast("Any", "2024-05-01")), "left published_at as '2024-05-01'"),
        (replace(item_of("t", "x"), modified_at=datetime(2024, 5, 1)), "needs a datetime with an offset there"),  # noqa: DTZ001
    ],
)
def test_an_item_that_is_no_article_is_refused_with_the_reason(item: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        article_of(item)


def test_lists_of_a_pipeline_are_stored_as_tuples() -> None:
    article = article_of(replace(item_of("t", "x"), authors=cast("Any", ["李明"]), attachments=cast("Any", [])))
    assert (article.authors, article.attachments) == (("李明",), ())


def test_an_item_that_is_no_article_passes_a_pipeline_that_is_used_alone(relevance: RelevancePipeline) -> None:
    assert not is_article({"title": "a"})
    assert is_article(item_of("高考", ON_TOPIC))
    assert relevance.process_item({"title": "a"}) == {"title": "a"}
