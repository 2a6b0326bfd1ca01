"""Converts articles to rows and back, and writes them with the rows of their URLs, keywords and sub-topics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import NoneType
from typing import Any

from sqlalchemy import Connection, Table

from newsspider.core.model import ARTICLE_FIELDS, ArticleField, StoredArticle, json_value
from newsspider.store import tables
from newsspider.store.articles import snapshots
from newsspider.store.engine.statement import Inserts, Statement, rows_among

COLUMNS = (*ARTICLE_FIELDS, "key", "published_ts", "crawled_ts")
_PLAIN = frozenset({str, int, float, bool, NoneType})  # types that a column stores as they are
_INSERT = Statement(
    f"INSERT INTO articles ({', '.join(COLUMNS)}) VALUES ({', '.join(f':{name}' for name in COLUMNS)})"
    " ON CONFLICT (body_md5) DO NOTHING RETURNING id"
)
_UPDATE = Statement(f"UPDATE articles SET {', '.join(f'{name} = :{name}' for name in COLUMNS)} WHERE id = :id")
_BY_ID = Statement(f"SELECT {', '.join(COLUMNS)} FROM articles WHERE id = :id [FOR UPDATE]")
_ADD_URL = Inserts(
    """
    INSERT INTO article_urls (key, article_id, url, canonical_url, site, channel, noindex, added_at, title, source,
                              published_ts, priority)
    VALUES (:key, :article_id, :url, :canonical_url, :site, :channel, :noindex, :added_at, :title, :source,
            :published_ts, :priority)
    ON CONFLICT (key) DO UPDATE SET article_id = excluded.article_id, canonical_url = excluded.canonical_url,
                                    site = excluded.site, channel = excluded.channel, noindex = excluded.noindex,
                                    title = excluded.title, source = excluded.source,
                                    published_ts = excluded.published_ts, priority = excluded.priority
    """,
    tables.article_urls,
)
_CANONICAL = Statement(
    """
    SELECT canonical_url FROM article_urls WHERE article_id = :id
    ORDER BY length(canonical_url), canonical_url LIMIT 1
    """
)
_SET_CANONICAL = Statement("UPDATE articles SET canonical_url = :canonical_url WHERE id = :id")


def row_of(key: int, article: StoredArticle) -> dict[str, Any]:
    """The values of :data:`COLUMNS` for an article at the URL with this key."""
    return {
        **{
            name: value if (value := getattr(article, name)).__class__ in _PLAIN else _column(value)
            for name in ARTICLE_FIELDS
        },
        "key": key,
        "body_md5": article.body_md5 or None,
        "published_ts": _seconds(article.published_at),
        "crawled_at": article.crawled_at.isoformat(timespec="seconds"),
        "crawled_ts": _seconds(article.crawled_at),
    }


def locked_row(conn: Connection, article_id: int) -> Any:
    """The row of an article, locked until this transaction ends; ``None`` if there is none."""
    return _BY_ID.run(conn, {"id": article_id}).first()


def insert(conn: Connection, new_rows: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Add rows in this order, which name no snapshots of further pages yet; returns their numbers by ``key``, without
    those whose body is stored already."""
    results = zip(new_rows, _INSERT.run_each(conn, new_rows), strict=True)
    return {row["key"]: result[0].id for row, result in results if result}


def update(conn: Connection, article_id: int, row: Mapping[str, Any]) -> None:
    """Replace the values of an article."""
    _UPDATE.change(conn, {**row, "id": article_id})
    snapshots.name_parts(conn, article_id, row["parts"])


def add_url(conn: Connection, article_id: int, key: int, article: StoredArticle, now: float) -> None:
    """Add a URL to an article, with the fields of its own page."""
    add_urls(conn, [(article_id, key, article, now)])


def add_urls(conn: Connection, urls: Iterable[tuple[int, int, StoredArticle, float]]) -> None:
    """The same for several articles and their URLs."""
    _ADD_URL.change(
        conn,
        [
            {
                "key": key,
                "article_id": article_id,
                "url": article.url,
                "canonical_url": article.canonical_url,
                "site": article.site,
                "channel": article.channel,
                "noindex": article.noindex,
                "added_at": now,
                "title": article.title,
                "source": article.source,
                "priority": article.priority,
                "published_ts": _seconds(article.published_at),
            }
            for article_id, key, article, now in urls
        ],
    )


def elect_canonical(conn: Connection, article_id: int) -> None:
    """Set the canonical URL of an article: the shortest of its pages', among equals the first in alphabetical order."""
    shortest = _CANONICAL.run(conn, {"id": article_id}).scalar()
    _SET_CANONICAL.change(conn, {"id": article_id, "canonical_url": shortest})


def article_of(row: Mapping[str, Any]) -> StoredArticle:
    """The article of a row, or of a held article's fields. A row has no headings, so the title serves as one."""
    values = {name: _read(field, row[name]) for name, field in ARTICLE_FIELDS.items()}
    further = {name: row[name] for name in ("meta_title", "noindex") if name in row}
    return StoredArticle(**values, **further, headings=tuple(row.get("headings", (row["title"],))))


def _read(field: ArticleField, value: Any) -> Any:
    if field.is_list:
        items = json.loads(value) if isinstance(value, str) else value
        return tuple(field.type(**item) if isinstance(item, dict) else item for item in items)
    if value is None:
        return "" if field.declared.unique else None
    return datetime.fromisoformat(value) if field.type is datetime else field.type(value)


def _seconds(moment: datetime | None) -> int | None:
    return int(moment.timestamp()) if moment else None


def _column(value: Any) -> Any:
    return json.dumps(json_value(value), ensure_ascii=False) if isinstance(value, tuple) else json_value(value)


class WordList:
    """The words of articles in a table, ordered by ``position``."""

    def __init__(self, table: Table, column: str) -> None:
        self._column = column
        self._of = (
            f"SELECT article_id, {column} FROM {table} WHERE article_id IN ({{keys}}) ORDER BY article_id, position"
        )
        insert = f"INSERT INTO {table} (article_id, position, {column}) VALUES (:article_id, :position, :{column})"
        self._add = Inserts(insert, table)
        self._drop = Statement(f"DELETE FROM {table} WHERE article_id = :id")

    def of_articles(self, conn: Connection, ids: Iterable[int]) -> dict[int, tuple[str, ...]]:
        """The words of each of these articles that has any."""
        words: dict[int, tuple[str, ...]] = {}
        for article_id, word in rows_among(conn, self._of, ids):
            words[article_id] = (*words.get(article_id, ()), word)
        return words

    def add(self, conn: Connection, words: Mapping[int, Sequence[str]]) -> None:
        """Add the words of articles that have none yet."""
        rows = [
            {"article_id": article_id, "position": place, self._column: word}
            for article_id, words_of_article in words.items()
            for place, word in enumerate(words_of_article, 1)
        ]
        self._add.change(conn, rows)

    def put(self, conn: Connection, article_id: int, words: Sequence[str]) -> None:
        """Replace the words of an article."""
        self._drop.change(conn, {"id": article_id})
        self.add(conn, {article_id: words})


keywords, subtopics = WordList(tables.keywords, "word"), WordList(tables.subtopics, "name")
