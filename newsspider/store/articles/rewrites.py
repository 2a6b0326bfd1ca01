"""Rewrites stored articles after their pages were read again."""

from __future__ import annotations

import json
from enum import StrEnum, auto

from sqlalchemy import Connection

from newsspider.core.model import Relevance, StoredArticle, Version
from newsspider.hooks import plugins
from newsspider.store.articles import article_rows, reprints, snapshots
from newsspider.store.articles.article_rows import keywords, subtopics
from newsspider.store.articles.articles_by_body import DROP, NOTE_URL, article_with_body
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries

_ELECTED = frozenset({"canonical_url"})  # columns that are chosen among the pages of an article
_JUDGE = Statement("UPDATE articles SET score = :score, terms = :terms, model = :model WHERE id = :id")
_MOVE_URLS = Statement("UPDATE article_urls SET article_id = :twin WHERE article_id = :id")


class Rewritten(StrEnum):
    """The outcome for a stored article whose page was read again."""

    UNCHANGED = auto()
    CHANGED = auto()
    MERGED = auto()  # another article has its text
    NEWER = auto()  # a crawl stored it again meanwhile


def rewrite_article(conn: Connection, article_id: int, old_md5: str, article: StoredArticle) -> Rewritten:
    """Replace the article whose body had this MD5 by what was read again on its pages; its snapshots stay."""
    row = article_rows.locked_row(conn, article_id)
    if row is None or row.body_md5 != (old_md5 or None) or row.snapshot != article.snapshot:
        return Rewritten.NEWER
    new = article_rows.row_of(row.key, article)
    words = keywords.of_articles(conn, [article_id]).get(article_id, ())
    parts_of_topic = subtopics.of_articles(conn, [article_id]).get(article_id, ())
    unchanged = all(getattr(row, name) == new[name] for name in article_rows.COLUMNS if name not in _ELECTED)
    if unchanged and (words, parts_of_topic) == (article.keywords, article.subtopics):
        return Rewritten.UNCHANGED
    moved = row.body_md5 != new["body_md5"]
    other = article_with_body(conn, article.body_md5) if moved else None
    NOTE_URL.change(conn, new)
    if moved:
        reprints.leave(conn, article_id)
    if other is not None:
        pages = snapshots.names_of(conn, article_id)
        _MOVE_URLS.change(conn, {"id": article_id, "twin": other.id})
        plugins().hook.articles_dropped(conn=conn, successors={article_id: other.id})
        with entries.changing(conn, article_id):
            DROP.change(conn, {"id": article_id})
        snapshots.drop(conn, pages)
        article_rows.elect_canonical(conn, other.id)
        reprints.elect_again(conn, other.id)
        return Rewritten.MERGED
    with entries.changing(conn, article_id):
        article_rows.update(conn, article_id, new)
        subtopics.put(conn, article_id, article.subtopics)
    article_rows.elect_canonical(conn, article_id)
    keywords.put(conn, article_id, article.keywords)
    if moved:
        written = Version(article.title, article.text)
        reprints.place(conn, [reprints.Placement(article_id, written, article.fingerprints)])
    else:
        reprints.elect_again(conn, article_id)
    return Rewritten.CHANGED


def set_score(conn: Connection, article_id: int, relevance: Relevance) -> None:
    """Set the score of an article, with its terms, model and sub-topics."""
    terms = json.dumps(relevance.terms, ensure_ascii=False)
    values = {"id": article_id, "score": relevance.score, "terms": terms, "model": relevance.model}
    with entries.changing(conn, article_id):
        _JUDGE.change(conn, values)
        subtopics.put(conn, article_id, relevance.subtopics)
