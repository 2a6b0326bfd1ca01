"""The labels that people gave to articles: whether they are on a topic."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.model import StoredArticle
from newsspider.store.articles import article_rows, held_articles
from newsspider.store.engine.statement import Statement, rows_among

_LABEL = Statement(
    """
    INSERT INTO labels (topic, key, relevant, labelled_at, url, title, text)
    SELECT :topic, u.key, :relevant, :now, u.url, a.title, a.text
    FROM article_urls u JOIN articles a ON a.id = u.article_id WHERE u.key = :key
    ON CONFLICT (topic, key) DO UPDATE SET relevant = excluded.relevant, labelled_at = excluded.labelled_at,
        url = excluded.url, title = excluded.title, text = excluded.text
    """
)
_LABEL_GONE = Statement(
    "UPDATE labels SET relevant = :relevant, labelled_at = :now WHERE topic = :topic AND key = :key"
)
_LABEL_HELD = Statement(
    """
    INSERT INTO labels (topic, key, relevant, labelled_at, url, title, text)
    VALUES (:topic, :key, :relevant, :now, :url, :title, :text)
    ON CONFLICT (topic, key) DO UPDATE SET relevant = excluded.relevant, labelled_at = excluded.labelled_at
    """
)
_LABEL_OF = Statement(
    """
    SELECT l.relevant FROM article_urls u JOIN labels l ON l.key = u.key
    WHERE u.article_id = :article_id AND l.topic = :topic ORDER BY l.labelled_at DESC LIMIT 1
    """
)
_LABELS_OF = """
SELECT u.article_id, l.topic, l.relevant FROM article_urls u JOIN labels l ON l.key = u.key
WHERE u.article_id IN ({keys}) ORDER BY l.labelled_at
"""
_NEWEST_OF_URL = Statement("SELECT topic, relevant FROM labels WHERE key = :key ORDER BY labelled_at DESC LIMIT 1")
_OF_KEY = Statement("SELECT relevant FROM labels WHERE topic = :topic AND key = :key")
_UNLABELLED = Statement(
    """
    SELECT a.* FROM articles a WHERE NOT EXISTS (
        SELECT 1 FROM article_urls u JOIN labels l ON l.key = u.key WHERE u.article_id = a.id AND l.topic = :topic)
    ORDER BY a.id DESC LIMIT :most
    """
)
_UNLABELLED_HELD = Statement(
    """
    SELECT h.article FROM held_articles h
    WHERE NOT EXISTS (SELECT 1 FROM labels l WHERE l.key = h.key AND l.topic = :topic)
    ORDER BY h.held_at DESC LIMIT :most
    """
)
_FORGET = Statement("DELETE FROM labels WHERE key = :key")
_UNLABEL = Statement("DELETE FROM labels WHERE topic = :topic AND key = :key")
_OF_ARTICLE = Statement(  # all its URLs, and the article as it was when this URL was labelled
    """
    SELECT o.key, a.title, a.text
    FROM article_urls u JOIN articles a ON a.id = u.article_id JOIN article_urls o ON o.article_id = a.id
    WHERE u.key = :key
    UNION ALL SELECT key, title, text FROM labels WHERE topic = :topic AND key = :key
    """
)
_OF_TEXT = Statement("SELECT key, title FROM labels WHERE topic = :topic AND text = :text")
_LABELLED = Statement(
    """
    SELECT l.relevant, COALESCE(u.url, l.url) AS url,
           COALESCE(a.title, l.title) AS title, COALESCE(a.text, l.text) AS text
    FROM labels l LEFT JOIN article_urls u ON u.key = l.key LEFT JOIN articles a ON a.id = u.article_id
    WHERE l.topic = :topic ORDER BY l.labelled_at DESC, l.key DESC LIMIT :most
    """
)
_COUNTED = Statement("SELECT relevant, count(*) AS count FROM labels WHERE topic = :topic GROUP BY relevant")
_NEWEST = Statement("SELECT count(*) AS count, max(labelled_at) AS at FROM labels WHERE topic = :topic")


@dataclass(frozen=True, slots=True)
class Label:
    """An article as it is now, or as it was when it was labelled if it has left the store; and whether it is on the
    topic."""

    url: str
    title: str
    text: str
    relevant: bool


def of_articles(conn: Connection, article_ids: Iterable[int]) -> dict[tuple[int, str], bool]:
    """The last label of each of these articles for each topic, as :func:`of_article` gives it."""
    rows = rows_among(conn, _LABELS_OF, article_ids)
    return {(row.article_id, row.topic): bool(row.relevant) for row in rows}


def label_articles(conn: Connection, topic: str, keys: Iterable[int], now: float, *, relevant: bool) -> int:
    """Label the articles at the URLs with these keys, and replace their labels.

    Returns how many of the keys belong to articles that are stored, held or were labelled before.
    """
    rows = [{"topic": topic, "key": key, "relevant": relevant, "now": now} for key in keys]
    return sum(_LABEL.change(conn, row) or _label_held(conn, row) or _LABEL_GONE.change(conn, row) for row in rows)


def _label_held(conn: Connection, values: Mapping[str, Any]) -> int:
    held_article = held_articles.of_key(conn, values["key"])
    if held_article is None:
        return 0
    article = held_article.article
    return _LABEL_HELD.change(conn, {**values, "url": article.url, "title": article.title, "text": article.text})


def of_key(conn: Connection, topic: str, key: int) -> bool | None:
    """The label of the URL with this key for a topic; ``None`` if it has none."""
    row = _OF_KEY.run(conn, {"topic": topic, "key": key}).first()
    return None if row is None else bool(row.relevant)


def of_article(conn: Connection, topic: str, article_id: int) -> bool | None:
    """The last label of an article for a topic, given to any of its URLs; ``None`` if it has none."""
    row = _LABEL_OF.run(conn, {"topic": topic, "article_id": article_id}).first()
    return None if row is None else bool(row.relevant)


def of_url(conn: Connection, key: int) -> tuple[str, bool] | None:
    """The topic and the value of the last label of the URL with this key; ``None`` if it has none."""
    row = _NEWEST_OF_URL.run(conn, {"key": key}).first()
    return None if row is None else (row.topic, bool(row.relevant))


def unlabelled_articles(conn: Connection, topic: str, most: int) -> list[StoredArticle]:
    """The newest stored and held articles without a label for a topic, at most ``most`` of either."""
    values = {"topic": topic, "most": most}
    stored_rows = [row._asdict() for row in _UNLABELLED.run(conn, values)]
    held_rows = [json.loads(row.article) for row in _UNLABELLED_HELD.run(conn, values)]
    return [article_rows.article_of(row) for row in (*stored_rows, *held_rows)]


def remove_labels(conn: Connection, topic: str, keys: Iterable[int]) -> int:
    """Remove the labels of the articles at the URLs with these keys, whichever of their URLs were labelled; returns how
    many labels there were."""
    labelled_keys = (labelled_key for key in keys for labelled_key in _keys_of(conn, topic, key))
    return sum(_UNLABEL.change(conn, {"topic": topic, "key": key}) for key in labelled_keys)


def _keys_of(conn: Connection, topic: str, key: int) -> set[int]:
    """The keys of the URLs of an article, and of URLs that have left it since they were labelled."""
    versions = _OF_ARTICLE.run(conn, {"topic": topic, "key": key}).all()
    bodies = {body_md5(row.title, row.text) for row in versions}
    former = (
        labelled_row.key
        for text in {row.text for row in versions}
        for labelled_row in _OF_TEXT.run(conn, {"topic": topic, "text": text})
        if body_md5(labelled_row.title, text) in bodies
    )
    return {*(row.key for row in versions), *former}


def forget(conn: Connection, key: int) -> None:
    """Remove the labels of the URL with this key, for all topics."""
    _FORGET.change(conn, {"key": key})


def count_labels(conn: Connection, topic: str) -> dict[bool, int]:
    """How many labels of a topic say that an article is on it, and how many that it is not."""
    return {False: 0, True: 0} | {bool(row.relevant): row.count for row in _COUNTED.run(conn, {"topic": topic})}


def newest_label(conn: Connection, topic: str) -> tuple[int, float]:
    """How many labels a topic has, and when the newest was given: a new label changes both, a correction the moment."""
    row = _NEWEST.run(conn, {"topic": topic}).one()
    return row.count, row.at or 0.0


def labelled_articles(conn: Connection, topic: str, most: int = sys.maxsize) -> list[Label]:
    """The last label of each article, stored or not, whichever of its URLs it was given to; at most the newest
    ``most``, the oldest first."""
    rows = reversed(_LABELLED.run(conn, {"topic": topic, "most": most}).all())
    labels = [Label(row.url, row.title, row.text, bool(row.relevant)) for row in rows]
    return list({body_md5(article_label.title, article_label.text): article_label for article_label in labels}.values())
