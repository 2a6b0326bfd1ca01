"""Names an article's body and its snapshot by what is in them."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter

from newsspider.core.matching.reprints import Method
from newsspider.core.text.fingerprint import md5_of, normalised

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings


def method_of(settings: BaseSettings) -> Method:
    """How texts are compared, as the settings say."""
    return Method(
        settings.getint("FINGERPRINT_GRAM_LETTERS"),
        settings.getint("FINGERPRINT_WINDOW_GRAMS"),
        settings.getfloat("REPRINT_CONTAINMENT"),
    )


class FingerprintPipeline:
    """Gives an article the MD5 of its normalised body, by which exact reprints are known, the fingerprints by which near ones are,
    and its snapshot's SHA-256.

    A page that asks not to be archived (``noarchive``) comes without content and gets no snapshot; the further page
    of an article brings that of its first. Settings: ``FINGERPRINT_GRAM_LETTERS``, ``FINGERPRINT_WINDOW_GRAMS``,
    ``REPRINT_CONTAINMENT``.
    """

    def __init__(self, method: Method) -> None:
        self.method = method

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(method_of(crawler.settings))

    def process_item(self, item: Any) -> Any:
        page = ItemAdapter(item)
        if page.get("article") is not None:
            record = ItemAdapter(page["article"])
            letters = normalised(record["text"])
            record["body_md5"] = md5_of(record["title"], letters)
            record["fingerprints"] = self.method.of(letters)
            if record["content"] and not record["snapshot"]:
                record["snapshot"] = hashlib.sha256(record["content"]).hexdigest()
            page["settlement"] = dataclasses.replace(page["settlement"], body_hash=record["body_md5"])
        return item
