"""Drops articles that are not relevant to the topic."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter

from newsspider.core.model import Reason, Relevance
from newsspider.core.relevance.scoring import score
from newsspider.core.text.fingerprint import body_md5
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.memory import in_thread
from newsspider.pages.document import document_of
from newsspider.pipelines.fingerprint import LONG_TEXT

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.link_filter import LinkFilter


class RelevancePipeline:
    """Scores the article of a page. Below the threshold the article is removed, and the URL is settled as
    ``off_topic``. The link filter learns from both.

    Settings: ``TOPIC``, ``RELEVANCE_MODEL`` (empty: the profile's own).
    """

    def __init__(self, link_filter: LinkFilter, model: str | None, stats: StatsCollector) -> None:
        self.link_filter = link_filter
        self.topic = link_filter.topic
        self.model = model
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assert crawler.stats is not None
        link_filter = Crawl.of(crawler).selection.link_filter
        return cls(link_filter, crawler.settings["RELEVANCE_MODEL"] or None, crawler.stats)

    def process_item(self, item: Any) -> Any | Coroutine[None, None, Any]:
        """The item, or an awaitable if the text is long and off topic."""
        page = ItemAdapter(item)
        article = page.get("article")
        if article is None:
            return item
        record = ItemAdapter(article)
        relevance = score(self.topic, document_of(record), self.model)
        record["topic"], record["score"] = self.topic.name, relevance.score
        record["terms"], record["model"], record["subtopics"] = relevance.terms, relevance.model, relevance.subtopics
        self.link_filter.learn(record["anchor"], record["title"] or "", record["site"], on_topic=relevance.relevant)
        # stat relevance/kept: articles on topic
        # stat relevance/off_topic: articles off topic
        self.stats.inc_value("relevance/kept" if relevance.relevant else "relevance/off_topic")
        if relevance.relevant:
            return item
        page["article"] = None
        if page.get("explored") is None:
            page["offers"] = ()  # the further pages of the article
        page["settlement"] = dataclasses.replace(
            page["settlement"],
            reason=Reason.OFF_TOPIC,
            topic=self.topic.name,
            detail=f"{relevance.model} {relevance.score:.2f}: {', '.join(relevance.terms[:5])}{_by_rules(relevance)}",
        )
        text = record["text"]
        with_hash = partial(_with_body_hash, text)
        return in_thread(with_hash, item) if len(text) > LONG_TEXT else with_hash(item)


def _with_body_hash(text: str, item: Any) -> Any:
    page = ItemAdapter(item)
    page["settlement"] = dataclasses.replace(page["settlement"], body_hash=body_md5("", text))
    return item


def _by_rules(relevance: Relevance) -> str:
    return f"; rules: {', '.join(relevance.rules[:3])}" if relevance.rules else ""
