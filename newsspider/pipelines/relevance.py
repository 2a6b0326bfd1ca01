"""Keeps the articles about the topic."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter

from newsspider.core.judging.relevance import score
from newsspider.core.judging.topic import Document
from newsspider.core.model import Reason, Relevance
from newsspider.core.text.fingerprint import body_md5
from newsspider.runtime import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.promises import Promises


def document_of(record: Mapping[str, Any]) -> Document:
    """What of an article tells whether it is about a topic."""
    return Document(
        title=record["title"] or "",
        text=record["text"],
        meta_title=record["meta_title"] or "",
        headings=record["headings"],
        meta_keywords=record["meta_keywords"],
        meta_description=record["meta_description"] or "",
        anchor=record["anchor"],
        url=record["url"],
        site=record["site"],
        channel=record["channel"],
        media=record["media_class"],
        authors=record["authors"],
    )


class RelevancePipeline:
    """Scores the article of a page; one below the threshold leaves the item, and the URL is settled as ``off_topic``; both is remembered
    for links that say the like.

    Settings: ``TOPIC``, ``RELEVANCE_MODEL`` (empty: the profile's own). Stats: ``relevance/kept``, ``relevance/off_topic``.
    """

    def __init__(self, promises: Promises, model: str | None, stats: StatsCollector) -> None:
        self.promises = promises
        self.topic = promises.topic
        self.model = model
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        runtime = Runtime.of(crawler)
        return cls(runtime.promises, runtime.model, runtime.stats)

    def process_item(self, item: Any) -> Any:
        page = ItemAdapter(item)
        article = page.get("article")
        if article is None:
            return item
        record = ItemAdapter(article)
        found = score(self.topic, document_of(record), self.model)
        record["topic"], record["score"] = self.topic.name, found.score
        record["terms"], record["model"], record["subtopics"] = found.terms, found.model, found.subtopics
        self.promises.learn(record["anchor"], record["title"] or "", record["site"], on_topic=found.relevant)
        self.stats.inc_value("relevance/kept" if found.relevant else "relevance/off_topic")
        if not found.relevant:
            page["article"] = None
            if page.get("explored") is None:
                page["offers"] = ()  # the further pages of the article
            page["settlement"] = dataclasses.replace(
                page["settlement"],
                reason=Reason.OFF_TOPIC,
                topic=self.topic.name,
                body_hash=body_md5("", record["text"]),
                detail=f"{found.model} {found.score:.2f}: {', '.join(found.terms[:5])}{_by_rules(found)}",
            )
        return item


def _by_rules(found: Relevance) -> str:
    return f"; rules: {', '.join(found.rules[:3])}" if found.rules else ""
