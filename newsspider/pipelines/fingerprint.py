"""Computes the content hashes and fingerprints of an article and its snapshot."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from newsspider.core.duplicates.reprints import fingerprints_of
from newsspider.core.text.comparison import md5_of, normalised
from newsspider.crawl.freed_memory import in_thread
from newsspider.pipelines.store import fields_of, is_article

if TYPE_CHECKING:
    from collections.abc import Coroutine

LONG_TEXT = 100_000  # characters; longer texts are processed in a thread: a million take 0.1 s


class FingerprintPipeline:
    """Sets the MD5 of the normalised body (exact reprints), the winnowing fingerprints (near reprints), and the
    SHA-256 of the snapshot.

    A page with ``noarchive`` has no content and gets no snapshot; a further page of an article keeps that of the
    first.
    """

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
        record["fingerprints"] = fingerprints_of(letters, record["title"])
        if record["content"] and not record["snapshot"]:
            record["snapshot"] = hashlib.sha256(record["content"]).hexdigest()
        return item
