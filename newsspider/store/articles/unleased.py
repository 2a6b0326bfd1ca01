"""Stores an article that was fetched without a lease, and marks its URL as fetched in the ledger."""

from __future__ import annotations

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Offer
from newsspider.core.model import Reason, State, StoredArticle
from newsspider.core.url import host_of, url_key
from newsspider.store import ledger
from newsspider.store.articles import bodies, held_articles
from newsspider.store.articles.announcements import announce_kept
from newsspider.store.articles.bodies import Kept
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import schedule

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


def keep(conn: Connection, article: StoredArticle, now: float, *, alerted: bool = True) -> Kept:
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
            schedule.move(conn, [schedule.Move(key, row.state, State.DONE, Reason.STORED, failures=0)])
        values = {"key": key, "kind": article.kind, "now": now, "body_hash": article.body_md5}
        _FETCHED.change(conn, values)
    held_articles.drop(conn, key)
    result = bodies.keep(conn, key, article, now)
    if alerted:
        announce_kept(conn, result, now)
    if row is not None:
        ledger.mark(conn, key, result.reason or Reason.STORED, result.duplicate_of or "")
    return result
