"""Drops articles that are not relevant to the topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Self

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem, NotConfigured

from newsspider.core.model import Relevance
from newsspider.core.relevance.scoring import score
from newsspider.core.text.fingerprint import body_md5
from newsspider.core.text.words import use_words
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.link_filter import LinkFilter
from newsspider.extensions.memory import in_thread
from newsspider.pages.document import document_of
from newsspider.pipelines.fingerprint import LONG_TEXT
from newsspider.pipelines.manager import is_article
from newsspider.store.engine.clock import SteadyClock
from newsspider.topics.loader import load_topic

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector


class OffTopic(DropItem):
    """An article is not about the topic; its URL ends as ``off_topic``."""

    def __init__(self, reason: str, topic: str, body_hash: str) -> None:
        super().__init__(reason, log_level="DEBUG")
        self.topic = topic
        self.body_hash = body_hash


class RelevancePipeline:
    """Scores an article and drops it (:exc:`OffTopic`) below the threshold of the topic; the link filter learns from
    both.

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
        try:
            link_filter = Crawl.of(crawler).claims.link_filter
        except NotConfigured:  # a spider without leases
            link_filter = LinkFilter(load_topic(crawler.settings["TOPIC"]), SteadyClock())
            use_words(link_filter.topic.spellings())
        return cls(link_filter, crawler.settings["RELEVANCE_MODEL"] or None, crawler.stats)

    def process_item(self, item: Any) -> Any:
        """Return the item with its score, or raise :exc:`OffTopic`; where the text of such an item is long, in a
        coroutine."""
        if not is_article(item):
            return item
        record = ItemAdapter(item)
        relevance = score(self.topic, document_of(record), self.model)
        record["topic"], record["score"] = self.topic.name, relevance.score
        record["terms"], record["model"], record["subtopics"] = relevance.terms, relevance.model, relevance.subtopics
        self.link_filter.learn(record["anchor"], record["title"] or "", record["site"], on_topic=relevance.relevant)
        # stat relevance/kept: articles on topic
        # stat relevance/off_topic: articles off topic
        self.stats.inc_value("relevance/kept" if relevance.relevant else "relevance/off_topic")
        if relevance.relevant:
            return item
        reason = f"{relevance.model} {relevance.score:.2f}: {', '.join(relevance.terms[:5])}{_by_rules(relevance)}"
        dropping = partial(self._drop, reason)
        return in_thread(dropping, record["text"]) if len(record["text"]) > LONG_TEXT else dropping(record["text"])

    def _drop(self, reason: str, text: str) -> NoReturn:
        raise OffTopic(reason, self.topic.name, body_md5("", text))


def _by_rules(relevance: Relevance) -> str:
    return f"; rules: {', '.join(relevance.rules[:3])}" if relevance.rules else ""
