"""Articles that their topic did not keep. They are held apart from the stored ones until somebody decides on them, or
the topic changes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.crawling.visit import HeldArticle, Pages
from newsspider.core.model import ARTICLE_FIELDS, Reason, State, StoredArticle, json_value
from newsspider.core.url import url_key
from newsspider.store.articles import article_rows, articles_by_body
from newsspider.store.articles.articles_by_body import announce_kept
from newsspider.store.engine.statement import LEAST_KEY, Statement
from newsspider.store.ledger import due_times
from newsspider.store.ledger.due_times import StateChange

FURTHER = ("meta_title", "headings", "noindex")  # fields without a column that the score or the store needs
ARTICLES_AT_ONCE = 100

_HOLD = Statement(
    """
    INSERT INTO held_articles (key, topic, score, borderline, held_at, article)
    VALUES (:key, :topic, :score, :borderline, :now, :article)
    ON CONFLICT (key) DO UPDATE SET topic = excluded.topic, score = excluded.score, borderline = excluded.borderline,
                                    held_at = excluded.held_at, article = excluded.article
    """
)
_DROP = Statement("DELETE FROM held_articles WHERE key = :key")
_ONE = Statement("SELECT * FROM held_articles WHERE key = :key")
_FOLLOWING = Statement("SELECT * FROM held_articles WHERE key > :after ORDER BY key LIMIT :count")
_BORDERLINE = Statement(
    "SELECT * FROM held_articles WHERE borderline AND topic = :topic ORDER BY score DESC, key LIMIT :count"
)
_COUNT = Statement("SELECT count(*) FROM held_articles")
_STORED_FOR = Statement("SELECT count(*) FROM articles WHERE topic = :topic")
_OPEN = Statement("SELECT state FROM urls WHERE key = :key AND state <> 'processing' [FOR UPDATE]")
_OFF_TOPIC = Statement("UPDATE urls SET topic = :topic, body_hash = COALESCE(body_hash, :body_hash) WHERE key = :key")
_URLS = Statement(
    "SELECT key, url, site, channel, noindex FROM article_urls WHERE article_id = :id ORDER BY added_at, key"
)


class Held(NamedTuple):
    """A held article: the topic that did not keep it, and whether somebody has to decide on it."""

    key: int
    topic: str
    borderline: bool
    held_at: float
    article: StoredArticle


def hold_all(conn: Connection, pages: Pages[HeldArticle]) -> None:
    """Hold the articles of pages, each under the URL of its first page."""
    by_key = [(url_key(effect.article.url), page, effect) for page, effect in pages]
    for key, page, effect in sorted(by_key, key=itemgetter(0)):
        hold(conn, key, effect.article, page.now, borderline=effect.borderline)


def hold(conn: Connection, key: int, article: StoredArticle, now: float, *, borderline: bool) -> None:
    """Hold the article of a URL, in place of one held for it before."""
    fields = {name: json_value(getattr(article, name)) for name in (*ARTICLE_FIELDS, *FURTHER)}
    _HOLD.change(
        conn,
        {
            "key": key,
            "topic": article.topic,
            "score": article.score,
            "borderline": borderline,
            "now": now,
            "article": json.dumps(fields, ensure_ascii=False),
        },
    )


def drop(conn: Connection, keys: Iterable[int]) -> None:
    """Remove the held articles of URLs."""
    _DROP.change_many(conn, [{"key": key} for key in sorted(keys)])


def of_key(conn: Connection, key: int) -> Held | None:
    """The held article of a URL; ``None`` if there is none."""
    row = _ONE.run(conn, {"key": key}).first()
    return None if row is None else _held(row)


def following(conn: Connection, after: int | None) -> list[Held]:
    """The next held articles after a key, in the order of keys."""
    values = {"after": LEAST_KEY if after is None else after, "count": ARTICLES_AT_ONCE}
    return [_held(row) for row in _FOLLOWING.run(conn, values)]


def borderline_articles(conn: Connection, topic: str, count: int) -> list[Held]:
    """The held articles of a topic on which somebody has to decide, the likeliest first."""
    return [_held(row) for row in _BORDERLINE.run(conn, {"topic": topic, "count": count})]


def count(conn: Connection) -> int:
    """How many articles are held."""
    return int(_COUNT.run(conn, {}).scalar())


def stored_for(conn: Connection, topic: str) -> int:
    """How many articles are stored for a topic."""
    return int(_STORED_FOR.run(conn, {"topic": topic}).scalar())


def accept(conn: Connection, key: int, article: StoredArticle, now: float, due_at: float | None) -> bool:
    """Store a held article, completed as by the pipelines of a crawl; it is revisited at ``due_at``.

    ``False``, and nothing changes, while a worker fetches its page: the result of the crawl counts.
    """
    row = _OPEN.run(conn, {"key": key}).first()
    if row is None:
        return False
    drop(conn, [key])
    result = articles_by_body.keep(conn, key, replace(article, snapshot="", parts=()), now)
    announce_kept(conn, result, now)
    reason, detail = result.reason or Reason.STORED, result.duplicate_of or ""
    due_times.move(conn, [StateChange(key, row.state, State.DONE, reason, due_at, detail, failures=0)])
    return True


def reject(
    conn: Connection, article_id: int, article: StoredArticle, now: float, detail: str, *, borderline: bool | None
) -> None:
    """Remove a stored article that is off its topic now from all its URLs, which become ``off_topic``.

    Each URL keeps it as a revision. It is also held, as ``borderline`` or not; not with ``None``.
    """
    pages = _URLS.run(conn, {"id": article_id}).all()
    for page in pages:
        articles_by_body.refuse_url(conn, page.key, article.topic, now)
        moved = StateChange(page.key, State.DONE, State.DONE, Reason.OFF_TOPIC, detail=detail)
        if due_times.move(conn, [moved]):
            _OFF_TOPIC.change(conn, {"key": page.key, "topic": article.topic, "body_hash": article.body_md5})
        if borderline is not None:
            own = replace(article, url=page.url, site=page.site, channel=page.channel, noindex=bool(page.noindex))
            hold(conn, page.key, own, now, borderline=borderline)


def rejudge(conn: Connection, held: Held, now: float, *, borderline: bool | None) -> None:
    """Hold an article that another judgement did not keep either, as ``borderline`` or not; with ``None`` remove it.
    Its URL is refused by the topic of this judgement."""
    drop(conn, [held.key])
    if borderline is not None:
        hold(conn, held.key, held.article, now, borderline=borderline)
    _OFF_TOPIC.change(conn, {"key": held.key, "topic": held.article.topic, "body_hash": None})


def _held(row: Any) -> Held:
    return Held(row.key, row.topic, bool(row.borderline), row.held_at, article_rows.article_of(json.loads(row.article)))
