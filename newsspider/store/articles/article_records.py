"""Reads stored articles as the records that search and export give."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.model import ARTICLE_FIELDS, Reason, StoredArticle, is_cut
from newsspider.core.url import url_key
from newsspider.store.articles import article_rows
from newsspider.store.articles.article_filters import NO_FILTERS, Filters
from newsspider.store.articles.article_rows import row_of
from newsspider.store.engine.statement import Statement, batched, rows_among

ARTICLES_AT_ONCE = 200  # articles read together: memory stays flat whatever is exported

_ARTICLES = "SELECT * FROM articles WHERE id IN ({keys})"
_ARTICLE_AT = Statement("SELECT article_id FROM article_urls WHERE key = :key AND url = :url")
_URLS = """
    SELECT u.article_id, u.url, u.noindex, a.vanished_at, a.absence, l.reason
    FROM article_urls u LEFT JOIN missing_articles a ON a.key = u.key LEFT JOIN urls l ON l.key = u.key
    WHERE u.article_id IN ({keys}) ORDER BY u.added_at, u.key
    """
_GROUPS = """
    SELECT r.article_id, r.group_id, r.is_first,
           (SELECT count(*) FROM reprints n WHERE n.group_id = r.group_id) AS articles,
           (SELECT a.url FROM reprints n JOIN articles a ON a.id = n.article_id
            WHERE n.group_id = r.group_id AND n.is_first) AS first
    FROM reprints r WHERE r.article_id IN ({keys})
    """


class DerivedField(NamedTuple):
    """A field of the export that is no column: its JSON Schema, and what it means."""

    schema: dict[str, Any]
    meaning: str


_TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_MAYBE: dict[str, Any] = {"type": ["string", "null"]}
DERIVED = {
    "truncated": DerivedField({"type": "boolean"}, "the title or the text was cut to its limit"),
    "urls": DerivedField(_TEXTS, "every URL that shows this text, in the order of storing"),
    "noindex": DerivedField(
        {"type": "boolean"}, "every page of it asks not to be indexed: `scrapy search` leaves it out"
    ),
    "vanished_at": DerivedField(_MAYBE, "when the last of its pages vanished; null while one is there"),
    "absence": DerivedField(_MAYBE, "what stands there instead, as in `missing_articles`"),
    "keywords": DerivedField(_TEXTS, "at most ten keywords, the strongest first"),
    "subtopics": DerivedField(_TEXTS, "the parts of the topic's field that it belongs to"),
    "reprint_of": DerivedField(_MAYBE, "the first source of which it is a near reprint"),
    "reprints": DerivedField({"type": "integer"}, "how many other articles are near reprints of each other with it"),
}


def export_records(
    conn: Connection, filters: Filters = NO_FILTERS, limit: int | None = None
) -> Iterator[dict[str, Any]]:
    """The records of all articles that match the filters, the first stored first."""
    last, remaining = 0, limit
    while remaining is None or remaining > 0:
        count = ARTICLES_AT_ONCE if remaining is None else min(ARTICLES_AT_ONCE, remaining)
        rows = conn.execute(filters.following(last, count)).mappings().all()
        yield from records(conn, rows)
        if len(rows) < count:
            return
        last, remaining = rows[-1]["id"], None if remaining is None else remaining - len(rows)


def article_of(conn: Connection, article_id: int) -> dict[str, Any] | None:
    """The record of the article with this number; ``None`` if there is none."""
    return next(articles_of(conn, [article_id]), None)


def articles_of(conn: Connection, ids: Iterable[int]) -> Iterator[dict[str, Any]]:
    """The records of the articles with these numbers, in no order."""
    for part in batched(list(ids), ARTICLES_AT_ONCE):
        yield from records(conn, [row._asdict() for row in rows_among(conn, _ARTICLES, part)])


def article_at(conn: Connection, url: str) -> int | None:
    """The number of the article that this canonical URL shows; ``None`` if it shows none."""
    number: int | None = _ARTICLE_AT.run(conn, {"key": url_key(url), "url": url}).scalar()
    return number


def records(conn: Connection, rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The rows of ``articles`` as records: with their URLs, keywords and sub-topics, lists as lists, ready for JSON."""
    ids = [row["id"] for row in rows]
    urls = rows_among(conn, _URLS, ids)
    addresses = _grouped([(row.article_id, row.url) for row in urls])
    pages: dict[int, list[Any]] = {}
    for row in urls:
        pages.setdefault(row.article_id, []).append(row)
    findable = {row.article_id for row in urls if not row.noindex}
    words, parts_of_topic = article_rows.keywords.of_articles(conn, ids), article_rows.subtopics.of_articles(conn, ids)
    groups = {row.article_id: row for row in rows_among(conn, _GROUPS, ids)}
    for row in rows:
        record = {"id": row["id"], **_record(row)}
        record["urls"] = addresses.get(row["id"], [])
        record["noindex"] = row["id"] not in findable
        record |= _vanished(pages.get(row["id"], []))
        record["keywords"] = list(words.get(row["id"], ()))
        record["subtopics"] = list(parts_of_topic.get(row["id"], ()))
        group = groups.get(row["id"])
        record["reprint_of"] = None if group is None or group.is_first else group.first
        record["reprints"] = 0 if group is None else group.articles - 1
        yield record


def record_of(article: StoredArticle) -> dict[str, Any]:
    """The record of an article without what only the store knows: its number, its other URLs, its reprints."""
    derived = {"noindex": article.noindex, "keywords": list(article.keywords), "subtopics": list(article.subtopics)}
    return _record(row_of(0, article)) | derived


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    record = {field.key: _list(row[name]) if field.is_list else row[name] for name, field in ARTICLE_FIELDS.items()}
    record["parts"] = [part["url"] for part in record["parts"]]
    record["truncated"] = is_cut(row["title"], row["text"])
    return record


def _list(written: str) -> list[Any]:
    return json.loads(written) if written != "[]" else []  # as most are


def _vanished(pages: Sequence[Any]) -> dict[str, str | None]:
    """When the last of an article's pages vanished, and what it shows instead; ``None`` while one is there, by the rule
    of :data:`~newsspider.store.articles.article_filters.IS_THERE`."""
    pages = [page for page in pages if page.reason != Reason.REDIRECT] or pages
    if not pages or any(page.vanished_at is None for page in pages):
        return {"vanished_at": None, "absence": None}
    last = max(pages, key=lambda page: page.vanished_at)
    return {
        "vanished_at": datetime.fromtimestamp(last.vanished_at, UTC).isoformat(timespec="seconds"),
        "absence": last.absence,
    }


def _grouped(rows: Sequence[Any]) -> dict[int, list[str]]:
    values_of_article: dict[int, list[str]] = {}
    for article_id, value in rows:
        values_of_article.setdefault(article_id, []).append(value)
    return values_of_article
