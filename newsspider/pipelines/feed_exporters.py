"""Scrapy's feed exporters for articles, and a serializer: items are written as the records of ``scrapy export``."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter
from scrapy.exporters import CsvItemExporter, JsonItemExporter, JsonLinesItemExporter, XmlItemExporter
from scrapy.utils.python import to_unicode
from scrapy.utils.serialize import ScrapyJSONEncoder

from newsspider.core.text.characters import as_cell
from newsspider.pipelines.store import FIELDS, article_of
from newsspider.store.articles.article_records import record_of


class ArticleRecords:
    """Writes the records of articles, whatever the format."""

    def export_item(self, item: Any) -> None:
        super().export_item(feed_record(item))  # type: ignore[misc] # of the exporter that stands behind it


class JsonArticles(ArticleRecords, JsonItemExporter):
    """One JSON list."""


class JsonLinesArticles(ArticleRecords, JsonLinesItemExporter):
    """One JSON object a line."""


class XmlArticles(ArticleRecords, XmlItemExporter):
    """One ``item`` element an article."""


class CsvArticles(ArticleRecords, CsvItemExporter):
    """One row an article; a text that a spreadsheet would take for a formula begins with an apostrophe."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        serialized = super().serialize_field(field, name, value)
        if isinstance(serialized, bytes):
            serialized = to_unicode(serialized, self.encoding)
        return as_cell(serialized) if isinstance(serialized, str) else serialized


def feed_record(item: Any) -> Any:
    """Return the record of an article, with the fields that a pipeline added; an item of another kind as it is."""
    fields = ItemAdapter(item)
    try:
        article = article_of(item)
    except ValueError:
        return item
    return record_of(article) | {name: value for name, value in fields.items() if name not in FIELDS}


def encoded(item: Any) -> str:
    """Return an item as one line of JSON, for ``scrapy_redis.pipelines.RedisPipeline``."""
    return ScrapyJSONEncoder(ensure_ascii=False).encode(feed_record(item))
