"""Computes the hashes and fingerprints of an article, hands it and its page to the writer, and waits until both are on
disk."""

from __future__ import annotations

import dataclasses
import hashlib
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem, NotConfigured

from newsspider.core.crawling.visit import PageResult
from newsspider.core.duplicates.content_hashes import md5_of
from newsspider.core.duplicates.reprints import Fingerprints, fingerprints_of
from newsspider.core.model import ArticlePart, Image, StoredArticle
from newsspider.core.text.text_comparison import normalise_text
from newsspider.core.url import canonical
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.freed_memory import in_thread
from newsspider.crawl.storage import Storage, worker_name
from newsspider.store.engine.clock import SteadyClock
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.pages import keep_unleased

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, MutableMapping

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.page_saver import PageSaver


FIELDS = {field.name: field for field in dataclasses.fields(StoredArticle)}
REQUIRED = [
    field.name
    for field in FIELDS.values()
    if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
]
TEXT_FIELDS = ("url", "title", "text")
TUPLES = [name for name, field in FIELDS.items() if "tuple[" in str(field.type)]
MOMENTS = [name for name, field in FIELDS.items() if "datetime" in str(field.type)]
LONG_TEXT = 100_000  # characters; longer texts are processed in a thread: a million take 0.1 s


class NotStoredError(DropItem):
    """The store failed, which is logged once for all pages. This page was not committed and will be fetched again."""


class NotNewError(DropItem):
    """The store already has the article unchanged; its lease has ended."""


class StorePipeline:
    """Commits the article, the links and the new state of its page in one transaction; only then is the lease settled.

    Waiting here is the back-pressure. The pool between download and reading is Scrapy's scraper, bounded by
    ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` bytes; the pool between reading and writer is what waits here, bounded by the
    leases that may be held (``CONCURRENT_REQUESTS`` x ``LEASES_AHEAD``); a full one pauses the claim loop. Stats:
    ``pool/leases_max``, ``pool/storing_max``, ``pool/leases_full_seconds``, ``writer/longest_wait_seconds``. A store
    that failed ends the crawl: :exc:`NotStoredError`. Articles that are new, changed or corrected (by a callback or an
    XPath) go on to feeds and later pipelines, others are dropped: :exc:`NotNewError`. An item that belongs to no page
    passes.
    """

    def __init__(self, saver: PageSaver) -> None:
        self.saver = saver

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler).saver)

    async def process_item(self, item: Any) -> Any:
        if (page := page_of(item)) is None:
            return item
        page.article = article_of(item)
        page.settlement = dataclasses.replace(page.settlement, body_hash=page.article.body_md5)
        try:
            self.saver.completion.complete(page)
            saved = await self.saver.save(page)
        except StoreFailedError as error:
            raise NotStoredError(str(error), log_level="DEBUG") from error
        finally:
            page.article = None  # no circle of references: the content of a page is large
        if not saved.settled:
            raise NotNewError("its lease had ended: another worker has its page", log_level="DEBUG")
        if not (saved.new_article or saved.changed or saved.corrected):
            raise NotNewError(f"stored before: {saved.duplicate_of or page.lease.url}", log_level="DEBUG")
        return item


def is_article(item: Any) -> bool:
    """Whether an item is an article, or what a pipeline made of one: it has the page of a lease, or ``page`` and
    ``canonical_url`` without a lease."""
    if isinstance(item, StoredArticle) or not ItemAdapter.is_item(item):
        return isinstance(item, StoredArticle)
    fields = ItemAdapter(item)
    page = fields.get("page", item)
    return isinstance(page, PageResult) or (page is None and "canonical_url" in fields)


def fields_of(item: Any) -> MutableMapping[str, Any]:
    """The fields of an item, to be read and set; an adapter takes as long as what is done with them."""
    return vars(item) if isinstance(item, StoredArticle) else ItemAdapter(item)


def page_of(item: Any) -> PageResult | None:
    """The page of an article; ``None`` for one of a spider without leases, and for other items."""
    page = fields_of(item).get("page") if ItemAdapter.is_item(item) else None
    return page if isinstance(page, PageResult) else None


def article_of(item: Any) -> StoredArticle:
    """Return the article that an item of any type holds; other fields are left out, a field that is missing or of the
    wrong type is a ``ValueError``."""
    article = item if isinstance(item, StoredArticle) else _from_fields(ItemAdapter(item))
    for name in TEXT_FIELDS:
        if not isinstance(value := getattr(article, name), str) or not value:
            raise ValueError(f"a pipeline left {name} as {value!r:.40}; an article needs a text there")
    for name in TUPLES:
        if not isinstance(value := getattr(article, name), list | tuple):
            raise ValueError(f"a pipeline left {name} as {value!r:.40}; an article needs a list there")
        setattr(article, name, tuple(value))
    for name in MOMENTS:
        value = getattr(article, name)
        if value is not None and not (isinstance(value, datetime) and value.tzinfo):
            raise ValueError(
                f"a pipeline left {name} as {value!r:.40}; an article needs a datetime with an offset there"
            )
    return article


def _from_fields(fields: Mapping[str, Any]) -> StoredArticle:
    missing = [name for name in REQUIRED if name not in fields]
    if missing:
        raise ValueError(f"a pipeline returned an item without {', '.join(missing)}; an article needs all its fields")
    values = {name: fields[name] for name in FIELDS if name in fields}
    nested = {"images": Image, "parts": ArticlePart}  # asdict() makes dicts of them
    for name, kind in nested.items():
        values[name] = tuple(kind(**part) if isinstance(part, dict) else part for part in values.get(name, ()))
    if isinstance(values.get("fingerprints"), dict):
        values["fingerprints"] = Fingerprints(**values["fingerprints"])
    return StoredArticle(**values)


class UnleasedStorePipeline:
    """Commits an article, and its URL as fetched, in one transaction: no crawl fetches the URL again.

    Articles that are new, changed or corrected (by a field that the spider names) go on, others are dropped
    (:exc:`NotNewError`); items of another kind pass. The store is opened for the first article. Without a ``channel``,
    an article gets the name of the spider.
    """

    def __init__(self, settings: BaseSettings, stats: StatsCollector, channel: str) -> None:
        self.settings = settings
        self.stats = stats
        self.channel = channel
        self.clock = SteadyClock()
        self.storage: Storage | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if crawler.spider is None or hasattr(crawler.spider, "scope"):
            raise NotConfigured
        assert crawler.stats is not None
        return cls(crawler.settings, crawler.stats, crawler.spider.name)

    async def process_item(self, item: Any) -> Any:
        if not is_article(item):
            return item
        article = article_of(item)
        url = canonical(article.url)
        if url is None:
            raise ValueError(f"an article needs an http or https URL, not {article.url!r:.200}")
        article.url, article.channel = url, article.channel or self.channel
        if self.storage is None:
            self.storage = Storage.open(self.settings, worker_name(), self.clock)
        saved = await self.storage.frontier.run(partial(keep_unleased, article=article, now=self.clock.now()))
        if not (saved.new or saved.change.is_new):
            raise NotNewError(f"stored before: {saved.duplicate_of or url}", log_level="DEBUG")
        # stat unleased/articles: articles of a spider without leases that were stored
        self.stats.inc_value("unleased/articles")
        return item

    async def close_spider(self) -> None:
        """Wait for the last commit."""
        if self.storage is not None:
            await self.storage.close(self.stats)


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
        letters = normalise_text(record["text"])
        record["body_md5"] = md5_of(record["title"], letters)
        record["fingerprints"] = fingerprints_of(letters, record["title"])
        if record["content"] and not record["snapshot"]:
            record["snapshot"] = hashlib.sha256(record["content"]).hexdigest()
        return item
