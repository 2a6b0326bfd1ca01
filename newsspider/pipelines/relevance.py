"""Drops articles that are not relevant to the topic, and selects keywords for the others."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Self

from scrapy.exceptions import DropItem, NotConfigured

from newsspider.core.crawling.visit import HeldArticle
from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.extraction.keywords import extract_keywords
from newsspider.core.model import Relevance
from newsspider.core.relevance.scoring import Model, score, threshold_of
from newsspider.core.text.regions import regions_named
from newsspider.core.text.tokenizer import NO_TERMS, JoinedTerms
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.freed_memory import in_thread
from newsspider.crawl.link_filter import LinkFilter
from newsspider.pages.read_page import document_of
from newsspider.pipelines.store import LONG_TEXT, article_of, fields_of, is_article, page_of
from newsspider.store.engine.clock import SteadyClock
from newsspider.topics.loader import load_topic

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector


class OffTopicError(DropItem):
    """An article is not about the topic; its URL ends as ``off_topic``."""

    def __init__(self, reason: str, topic: str, body_hash: str, held_article: HeldArticle | None = None) -> None:
        super().__init__(reason, log_level="DEBUG")
        self.topic = topic
        self.body_hash = body_hash
        self.held = held_article


class RelevancePipeline:
    """Scores an article and drops it (:exc:`OffTopicError`) below the threshold of the topic; the link filter learns
    from both. A stored article of which somebody said that it is on the topic is kept whatever its score.

    A topic with ``keep = "borderline"`` has articles just below the threshold held until somebody decides
    (``scrapy topics borderline``); of them the link filter learns nothing.

    Settings: ``TOPIC``, ``RELEVANCE_MODEL`` (empty: the profile's own), ``OFF_TOPIC_HELD``.
    """

    def __init__(
        self, link_filter: LinkFilter, model: str | None, stats: StatsCollector, *, off_topic_held: bool = False
    ) -> None:
        self.link_filter = link_filter
        self.topic = link_filter.topic
        self.model = model
        self.stats = stats
        self.off_topic_held = off_topic_held

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assert crawler.stats is not None
        try:
            link_filter = Crawl.of(crawler).claims.link_filter
        except NotConfigured:  # a spider without leases
            link_filter = LinkFilter(load_topic(crawler.settings["TOPIC"]), SteadyClock())
        model, off_topic_held = crawler.settings["RELEVANCE_MODEL"] or None, crawler.settings.getbool("OFF_TOPIC_HELD")
        return cls(link_filter, model, crawler.stats, off_topic_held=off_topic_held)

    def process_item(self, item: Any) -> Any:
        """Return the item with its score, or raise :exc:`OffTopicError`; for a long text in a coroutine."""
        if not is_article(item):
            return item
        record = fields_of(item)
        document = document_of(record)
        relevance = score(self.topic, document, self.model)
        record["topic"], record["score"] = self.topic.name, relevance.score
        record["terms"], record["model"], record["subtopics"] = relevance.terms, relevance.model, relevance.subtopics
        page = page_of(item)
        is_kept = relevance.relevant or (page is not None and page.lease.accepted_for == self.topic.name)
        borderline = self.topic.keeps_borderline and relevance.borderline and not is_kept
        # stat relevance/kept: articles on topic
        # stat relevance/off_topic: articles off topic
        # stat relevance/borderline: articles just below the threshold, held until somebody decides
        if borderline:
            self.stats.inc_value("relevance/borderline")
        else:
            self.stats.inc_value("relevance/kept" if is_kept else "relevance/off_topic")
            self.link_filter.learn(record["anchor"], record["title"] or "", record["site"], on_topic=is_kept)
        if is_kept:
            return item
        least = threshold_of(self.topic, document, Model(relevance.model))
        verdict = f"{relevance.model} {relevance.score:.2f} of {least:.2f}{', borderline' if borderline else ''}"
        reason = f"{verdict}: {', '.join(relevance.terms[:5])}{_by_rules(relevance)}"
        held_article = HeldArticle(article_of(item), borderline) if borderline or self.off_topic_held else None
        dropping = partial(self._drop, reason, held_article)
        return in_thread(dropping, record["text"]) if len(record["text"]) > LONG_TEXT else dropping(record["text"])

    def _drop(self, reason: str, held_article: HeldArticle | None, text: str) -> NoReturn:
        raise OffTopicError(reason, self.topic.name, body_md5("", text), held_article)


def _by_rules(relevance: Relevance) -> str:
    return f"; rules: {', '.join(relevance.rules[:3])}" if relevance.rules else ""


class KeywordsPipeline:
    """Sets up to ten keywords and the places that the article is about, but those fields that the spider named. The
    keywords are the page's own if they occur in it, else from title and body, the terms of the topic being whole words.

    Settings: ``TOPIC``, for a spider without leases.
    """

    def __init__(self, terms: JoinedTerms = NO_TERMS) -> None:
        self.terms = terms

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        try:
            topic = Crawl.of(crawler).claims.link_filter.topic
        except NotConfigured:  # a spider without leases
            topic = load_topic(crawler.settings["TOPIC"], trained=False)
        return cls(topic.words)

    def process_item(self, item: Any) -> Any:
        if not is_article(item):
            return item
        record = fields_of(item)
        named = record.get("named", ())  # what the spider says
        if "keywords" not in named:
            record["keywords"] = extract_keywords(
                record["title"], record["text"], record["meta_keywords"], terms=self.terms
            )
        if "places" not in named:
            record["places"] = regions_named(record["title"] or "", record["text"])
        return item
