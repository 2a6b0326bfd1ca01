"""The content of an article or a revision in the search index."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any

from sqlalchemy import Connection

from newsspider.core.text.regions import with_provinces
from newsspider.core.text.tokenizer import characters, units_of_text, value_token
from newsspider.core.url import host_of
from newsspider.store.articles.article_rows import subtopics
from newsspider.store.engine.statement import Statement

EVERY = "every"  # a token that every entry has
MOST_INDEXED = 200_000  # characters of a text, far more than an article has; the rest is not indexed

_ARTICLE = Statement(
    """
    SELECT a.key, a.title, a.text, a.url, a.site, a.media_class, a.region, a.places, a.topic, a.source, a.authors, a.language, a.kind,
           a.attachments, a.comments, COALESCE(a.published_ts, a.crawled_ts) AS moment,
           COALESCE(e.anchors, '') AS anchors
    FROM articles a LEFT JOIN search_entries e ON e.article_id = a.id WHERE a.id = :id
    """
)
_REVISION = Statement("SELECT title, text, url, site, published_at, crawled_at FROM revisions WHERE id = :id")


@dataclass(frozen=True, slots=True)
class Content:
    """The units of each text by field, the tokens of the other fields, and when it was published, or else crawled."""

    texts: Mapping[str, tuple[str, ...]]
    values: tuple[str, ...]
    moment: int

    def meta(self) -> list[str]:
        """The tokens other than those of the texts."""
        return [*self.values, *characters(self.texts)]


_PORT = re.compile(r":\d+$")


@dataclass(frozen=True, slots=True)
class ContentSource:
    """The columns and sub-topics that the content of an article is built from: equal sources have equal contents."""

    row: Any
    subtopics: tuple[str, ...] = ()

    def content(self) -> Content:
        """The indexed content of the article."""
        row = self.row
        comments = "" if row.comments == "[]" else "\n".join(json.loads(row.comments))
        texts = {"title": row.title, "body": row.text, "anchor": row.anchors, "comment": comments}
        values = {
            "site": (row.site, *_suffixes(host_of(row.url))),
            "media": (row.media_class,),
            "region": with_provinces([row.region]),
            "about": with_provinces(json.loads(row.places)),
            "topic": (row.topic,),
            "subtopic": self.subtopics,
            "source": (row.source,),
            "author": json.loads(row.authors),
            "lang": (row.language,),
            "kind": (row.kind,),
            "has": ("attachment",) if len(row.attachments) > 2 else (),
        }
        return Content(_units(texts), (EVERY, *_tokens(values.items())), row.moment)


@dataclass(frozen=True, slots=True)
class RevisionSource:
    """The columns of a revision, which has no field but the site."""

    row: Any

    def content(self) -> Content:
        """The indexed content of the revision."""
        row = self.row
        values = _tokens([("site", (row.site, *_suffixes(host_of(row.url))))])
        moment = seconds(row.published_at or row.crawled_at)
        return Content(_units({"title": row.title, "body": row.text}), (EVERY, *values), moment)


def of_article(conn: Connection, article_id: int) -> ContentSource | None:
    """The source of an article's content; ``None`` if there is no article with this number."""
    row = _ARTICLE.run(conn, {"id": article_id}).first()
    return None if row is None else ContentSource(row, subtopics.of_articles(conn, [article_id]).get(article_id, ()))


def of_revision(conn: Connection, revision_id: int) -> RevisionSource | None:
    """The source of a revision's content; ``None`` if there is no revision with this number."""
    row = _REVISION.run(conn, {"id": revision_id}).first()
    return None if row is None else RevisionSource(row)


def seconds(moment: str) -> int:
    """The seconds since the epoch of a moment in ISO 8601."""
    return int(datetime.fromisoformat(moment).timestamp())


def _units(texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {field: tuple(units_of_text(text[:MOST_INDEXED])) for field, text in texts.items()}


def _tokens(values_of_field: Iterable[tuple[str, Iterable[str | None]]]) -> Iterator[str]:
    for field, values in values_of_field:
        yield from dict.fromkeys(value_token(field, value) for value in values if value)


def _suffixes(host: str) -> list[str]:
    """The host without its port, and its parent domains, so that ``site:edu.cn`` finds it.

    >>> _suffixes("news.example.edu.cn:8080")
    ['cn', 'edu.cn', 'example.edu.cn', 'news.example.edu.cn']
    """
    host = _PORT.sub("", host)
    return list(accumulate(reversed(host.split(".")), lambda domain, label: f"{label}.{domain}"))
