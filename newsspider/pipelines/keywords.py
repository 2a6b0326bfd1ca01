"""Selects keywords for the articles that relevance has kept; off-topic articles are not segmented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter
from scrapy.exceptions import NotConfigured

from newsspider.core.extraction.keywords import keywords
from newsspider.core.text.words import NO_TERMS, Terms
from newsspider.crawl.crawl import Crawl
from newsspider.pipelines.store import is_article
from newsspider.topics.loader import load_topic

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class KeywordsPipeline:
    """Sets up to ten keywords: the page's own if they occur in it, else from title and body. The terms of the topic
    are whole words.

    Settings: ``TOPIC``, for a spider without leases.
    """

    def __init__(self, terms: Terms = NO_TERMS) -> None:
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
        record = ItemAdapter(item)
        if "keywords" not in record.get("named", ()):  # else the spider says them
            record["keywords"] = keywords(record["title"], record["text"], record["meta_keywords"], terms=self.terms)
        return item
