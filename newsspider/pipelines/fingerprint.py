"""Computes the content hashes and fingerprints of an article and its snapshot."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Self

from newsspider.core.duplicates.reprints import Method
from newsspider.core.text.content_hash import md5_of, normalised
from newsspider.crawl.freed_memory import in_thread
from newsspider.pipelines.store import fields_of, is_article

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings


LONG_TEXT = 100_000  # characters; longer texts are processed in a thread: a million take 0.1 s


def method_of(settings: BaseSettings) -> Method:
    """The parameters of reprint detection from the settings."""
    return Method(
        settings.getint("FINGERPRINT_GRAM_LETTERS"),
        settings.getint("FINGERPRINT_WINDOW_GRAMS"),
        settings.getfloat("REPRINT_CONTAINMENT"),
    )


class FingerprintPipeline:
    """Sets the MD5 of the normalised body (exact reprints), the winnowing fingerprints (near reprints), and the
    SHA-256 of the snapshot.

    A page with ``noarchive`` has no content and gets no snapshot; a further page of an article keeps that of the
    first. Settings: ``FINGERPRINT_GRAM_LETTERS``, ``FINGERPRINT_WINDOW_GRAMS``, ``REPRINT_CONTAINMENT``.
    """

    def __init__(self, method: Method) -> None:
        self.method = method

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(method_of(crawler.settings))

    def process_item(self, item: Any) -> Any | Coroutine[None, None, Any]:
        """Return the item; for a long text a coroutine, which a thread works on."""
        if not is_article(item):
            return item
        is_long = len(fields_of(item).get("text", "")) > LONG_TEXT
        return in_thread(self._named, item) if is_long else self._named(item)

    def _named(self, item: Any) -> Any:
        record = fields_of(item)
        letters = normalised(record["text"])
        record["body_md5"] = md5_of(record["title"], letters)
        record["fingerprints"] = self.method.of(letters, record["title"])
        if record["content"] and not record["snapshot"]:
            record["snapshot"] = hashlib.sha256(record["content"]).hexdigest()
        return item
