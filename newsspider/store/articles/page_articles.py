"""Stores the articles of pages, and removes URLs that no longer show an article from theirs."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection

from newsspider.core.links.article_parts import partial_snapshots
from newsspider.core.model import Reason, StoredArticle
from newsspider.store.articles import bodies, held_articles, snapshots
from newsspider.store.articles.rows import subtopics
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries
from newsspider.store.ledger.links import key_of
from newsspider.store.ledger.settlements import mark
from newsspider.store.saved import Saved

_OF_OTHERS = Statement(
    "SELECT a.id, a.url FROM article_urls u JOIN articles a ON a.id = u.article_id "
    "WHERE u.key = :key AND u.site <> :site"
)
_OF_CRAWL = Statement("SELECT 1 FROM articles WHERE id = :id AND site IN (SELECT site FROM explore_crawls)")
_TAKE_OVER = Statement(
    """
    UPDATE articles SET site = :site, channel = :channel, media_class = :media_class, priority = :priority,
                        topic = :topic, score = :score, terms = :terms, model = :model
    WHERE id = :id
    """
)
# A further page with one of these reasons is fetched again, and continues what was read before it.
_STILL_TO_COME = frozenset({Reason.RETRY, Reason.RATE_LIMITED, Reason.NO_ROBOTS, Reason.RELEASED, Reason.PUT_OFF})


def keep(conn: Connection, pages: Iterable[Saved]) -> None:
    """Store the articles of pages. A page that is off topic now is removed from the article that it had for this topic;
    with any other outcome its article stays."""
    for page in pages:
        lease, settlement = page.lease, page.result.settlement
        if settlement.reason is Reason.OFF_TOPIC and lease.had_article:
            bodies.refuse_url(conn, lease.key, settlement.topic, page.now)
        if settlement.reason is Reason.JOINED and lease.had_article:
            bodies.drop_url(conn, lease.key)  # it was stored before the page that it continues
        if page.result.article is not None:
            _keep(conn, page, page.result.article)
            if lease.fetch_count and not lease.had_article:
                held_articles.drop(conn, lease.key)


def _keep(conn: Connection, page: Saved, article: StoredArticle) -> None:
    key, crawl = key_of(article.url), page.crawl  # not the key of the lease, which may be that of a further page
    theirs = _OF_OTHERS.run(conn, {"key": key, "site": crawl}).first() if crawl else None
    if theirs is not None:  # the article of this URL belongs to the topic spider, or to another crawl
        mark(conn, page.lease.key, Reason.DUPLICATE, theirs.url)
        page.exact, page.article_id, page.duplicate_of = Reason.DUPLICATE, theirs.id, theirs.url
        return
    result = bodies.keep(conn, key, article, page.now, goes_on=any(offer.part_of for offer in page.result.offers))
    if result.reason is not None and not crawl:
        _take_over(conn, result.article_id, article)
    if result.reason is not None and page.reason is Reason.STORED:
        mark(conn, page.lease.key, result.reason, result.duplicate_of or "")
    page.exact, page.article_id, page.new_article = result.reason, result.article_id, result.new
    page.duplicate_of, page.changed, page.corrected = result.duplicate_of, result.change.parts, result.change.corrected


def _take_over(conn: Connection, article_id: int, article: StoredArticle) -> None:
    """Assign an article that an explore crawl found first to the watched site that shows it, too."""
    values = {
        "id": article_id, "site": article.site, "channel": article.channel, "media_class": article.media_class,
        "priority": article.priority, "topic": article.topic, "score": article.score,
        "terms": json.dumps(article.terms, ensure_ascii=False), "model": article.model,
    }  # fmt: skip
    if _OF_CRAWL.run(conn, values):
        with entries.changing(conn, article_id):
            _TAKE_OVER.change(conn, values)
            subtopics.put(conn, article_id, article.subtopics)


def tidy(conn: Connection, pages: Iterable[Saved]) -> None:
    """Drop the snapshots kept for an article in several pages once its last page is read, or fails for good, unless
    something names them."""
    for page in pages:
        goes_on = any(offer.partial_article and offer.refused is None for offer in page.result.offers)
        if not goes_on and page.result.settlement.reason not in _STILL_TO_COME:
            snapshots.drop(conn, partial_snapshots(page.lease.partial_article))
