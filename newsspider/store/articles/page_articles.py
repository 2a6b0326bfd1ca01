"""Stores the articles of pages, fetched with a lease or without one, and removes URLs that show no article any more."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Offer
from newsspider.core.links.article_parts import partial_snapshots
from newsspider.core.model import Reason, State, StoredArticle
from newsspider.core.url import host_of, url_key
from newsspider.store import ledger
from newsspider.store.articles import articles_by_body, held_articles, snapshots
from newsspider.store.articles.article_rows import subtopics
from newsspider.store.articles.articles_by_body import Kept, announce_kept
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries
from newsspider.store.ledger import due_times
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
    UPDATE articles SET site = :site, channel = :channel, media_class = :media_class, region = :region,
                        priority = :priority, topic = :topic, score = :score, terms = :terms, model = :model
    WHERE id = :id
    """
)
# A further page with one of these reasons is fetched again, and continues what was read before it.
_STILL_TO_COME = frozenset({Reason.RETRY, Reason.RATE_LIMITED, Reason.NO_ROBOTS, Reason.RELEASED, Reason.PUT_OFF})

_OPEN = Statement(
    "SELECT state FROM urls WHERE key = :key AND state <> 'processing' AND update_cycle IS NULL"
    " AND (last_fetched_at IS NULL OR last_fetched_at <= :now) [FOR UPDATE]"
)
_URL = Statement("SELECT url FROM urls WHERE key = :key")
_FETCHED = Statement(
    """
    UPDATE urls SET kind = :kind, last_fetched_at = :now, fetch_count = fetch_count + 1, body_hash = :body_hash
    WHERE key = :key
    """
)


def keep(conn: Connection, pages: Iterable[Saved]) -> None:
    """Store the articles of pages. A page that is off topic now is removed from the article that it had for this topic;
    with any other outcome its article stays."""
    listed = tuple(pages)
    new = _keep_new(conn, listed)
    for page in listed:
        lease, settlement = page.lease, page.result.settlement
        if settlement.reason is Reason.OFF_TOPIC and lease.had_article:
            articles_by_body.refuse_url(conn, lease.key, settlement.topic, page.now)
        if settlement.reason is Reason.JOINED and lease.had_article:
            articles_by_body.drop_url(conn, lease.key)  # it was stored before the page that it continues
        if page.result.article is not None:
            _keep(conn, page, page.result.article, new)
    read_again = [page.lease for page in listed if page.result.article is not None and page.lease.fetch_count]
    held_articles.drop(conn, [lease.key for lease in read_again if not lease.had_article])


def _keep_new(conn: Connection, pages: Iterable[Saved]) -> dict[int, Kept]:
    """Store the articles of pages that are new, all together; returns where, by the keys of their URLs."""
    first: dict[int, tuple[StoredArticle, float]] = {}
    for page in pages:
        if page.result.article is not None:
            first.setdefault(key_of(page.result.article.url), (page.result.article, page.now))
    if not first:
        return {}
    known = articles_by_body.known_among(conn, {key: article for key, (article, _) in first.items()})
    return articles_by_body.keep_new(conn, [(key, *first[key]) for key in first if key not in known])


def _keep(conn: Connection, page: Saved, article: StoredArticle, new: dict[int, Kept]) -> None:
    key, crawl = key_of(article.url), page.crawl  # not the key of the lease, which may be that of a further page
    theirs = _OF_OTHERS.run(conn, {"key": key, "site": crawl}).first() if crawl else None
    if theirs is not None:  # the article of this URL belongs to the topic spider, or to another crawl
        mark(conn, page.lease.key, Reason.DUPLICATE, theirs.url)
        page.exact, page.article_id, page.duplicate_of = Reason.DUPLICATE, theirs.id, theirs.url
        return
    result = new.pop(key, None)
    if result is None:
        result = articles_by_body.keep(
            conn, key, article, page.now, goes_on=any(offer.part_of for offer in page.result.offers)
        )
    if result.reason is not None and not crawl:
        _take_over(conn, result.article_id, article)
    if result.reason is not None and page.reason is Reason.STORED:
        mark(conn, page.lease.key, result.reason, result.duplicate_of or "")
    page.exact, page.article_id, page.new_article = result.reason, result.article_id, result.new
    page.duplicate_of, page.changed, page.corrected = result.duplicate_of, result.change.parts, result.change.corrected


def _take_over(conn: Connection, article_id: int, article: StoredArticle) -> None:
    """Assign an article that an explore crawl found first to the watched site that shows it, too."""
    values = {
        "id": article_id,
        "site": article.site,
        "channel": article.channel,
        "media_class": article.media_class,
        "region": article.region,
        "priority": article.priority,
        "topic": article.topic,
        "score": article.score,
        "terms": json.dumps(article.terms, ensure_ascii=False),
        "model": article.model,
    }
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


def keep_unleased(conn: Connection, article: StoredArticle, now: float, *, alerted: bool = True) -> Kept:
    """Store the article, and settle its URL, unless it was fetched later, a worker has leased it, or it is a polled
    list: those settle it themselves. Unless ``alerted``, no alert reports the article. Raises :exc:`ValueError` if
    another URL has the same key."""
    key = url_key(article.url)
    offer = Offer(key, article.url, host_of(article.url), article.kind, article.site, article.channel, due_at=now)
    ledger.offer(conn, [offer], now)
    if (known := _URL.run(conn, {"key": key}).scalar()) != article.url:
        raise ValueError(f"{article.url} cannot be stored: it has the key of {known}")
    row = _OPEN.run(conn, {"key": key, "now": now}).first()
    if row is not None:
        if row.state != State.DONE:
            due_times.move(conn, [due_times.Move(key, row.state, State.DONE, Reason.STORED, failures=0)])
        values = {"key": key, "kind": article.kind, "now": now, "body_hash": article.body_md5}
        _FETCHED.change(conn, values)
    held_articles.drop(conn, [key])
    result = articles_by_body.keep(conn, key, article, now)
    if alerted:
        announce_kept(conn, result, now)
    if row is not None:
        ledger.mark(conn, key, result.reason or Reason.STORED, result.duplicate_of or "")
    return result
