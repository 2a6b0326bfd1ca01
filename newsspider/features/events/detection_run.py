"""Event detection over new articles: brings the events up to date with the store, beside crawls that write."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from sys import intern
from threading import Event as Ended
from typing import Any

from sqlalchemy import Connection, Engine

from newsspider.features.events.rules.clusters import (
    WINDOW_SECONDS,
    ClusterArticle,
    EventCluster,
    Events,
    PlacedArticle,
)
from newsspider.features.events.rules.terms import LEAD_CHARACTERS, ArticleTerms, article_terms
from newsspider.features.events.tables import ANALYSE, is_current
from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.engine.statement import Statement, rows_among

logger = logging.getLogger(__name__)
ARTICLES_AT_ONCE = 100  # articles a transaction: a crawl waits no longer than these take
LOOK_SECONDS = 60.0  # between two looks at new articles

_DONE = Statement("SELECT last_done_id FROM batch_jobs WHERE kind = :kind AND finished_at IS NULL")
_LEFT = Statement("SELECT count(*) FROM articles WHERE id > :after")
_WENT_ON = Statement(
    "UPDATE batch_jobs SET last_done_id = :done, last_id = :done WHERE kind = :kind AND finished_at IS NULL"
)
_ARTICLES = """
    SELECT a.id, a.title, substr(a.text, 1, :lead) AS lead, COALESCE(a.published_ts, a.crawled_ts) AS moment,
           a.crawled_ts, CASE WHEN r.closest_id < a.id THEN r.closest_id END AS closest_id,
           (SELECT d.group_id FROM article_urls u JOIN event_decisions d ON d.key = u.key
            WHERE u.article_id = a.id AND d.group_id IS NOT NULL ORDER BY d.decision_id DESC LIMIT 1) AS group_id
    FROM articles a LEFT JOIN reprints r ON r.article_id = a.id
    """
_NEXT = Statement(f"{_ARTICLES} WHERE a.id > :after ORDER BY a.id LIMIT :count")
_MEMBERS = "SELECT article_id, event_id FROM event_articles WHERE event_id IN ({keys})"
_EVENTS_OF = "SELECT article_id, event_id FROM event_articles WHERE article_id IN ({keys})"
_AGAIN = _ARTICLES + " WHERE a.id IN ({keys}) ORDER BY a.id"
_LEAVE = Statement("DELETE FROM event_articles WHERE event_id = :id")
_DECIDED = Statement("SELECT max(decision_id) FROM event_decisions")
_THERE = Statement("SELECT id FROM articles WHERE id > :after AND id <= :last")
_EVENT_OF = Statement("SELECT event_id FROM event_articles WHERE article_id = :id")
_RECENT = Statement(
    """
    SELECT id, first_ts, last_ts, seen_ts, articles, weights, names, figures, places, numbers, group_id FROM events
    WHERE seen_ts >= (SELECT max(seen_ts) FROM events) - :window OR group_id IS NOT NULL ORDER BY id
    """
)
_JOIN = Statement(
    "INSERT INTO event_articles (article_id, event_id, similarity, words, names)"
    " VALUES (:article_id, :event_id, :similarity, :words, :names)"
)
_KEEP = Statement(
    """
    INSERT INTO events (id, first_ts, last_ts, seen_ts, articles, weights, names, figures, places, numbers, group_id)
    VALUES (:id, :first_ts, :last_ts, :seen_ts, :articles, :weights, :names, :figures, :places, :numbers, :group_id)
    ON CONFLICT (id) DO UPDATE SET first_ts = excluded.first_ts, last_ts = excluded.last_ts, seen_ts = excluded.seen_ts,
        articles = excluded.articles, weights = excluded.weights, names = excluded.names,
        figures = excluded.figures, places = excluded.places, numbers = excluded.numbers,
        group_id = excluded.group_id
    """
)
_DROP = Statement("DELETE FROM events WHERE id = :id")
_MOVE = Statement("UPDATE event_articles SET event_id = :event_id WHERE event_id = :other_id")
_CHANGE = Statement(
    """
    INSERT INTO event_changes (article_id, event_id, other_id, changed_at)
    VALUES (:article_id, :event_id, :other_id, :changed_at)
    ON CONFLICT (article_id, event_id, other_id) DO UPDATE SET changed_at = excluded.changed_at
    """
)
_SEEN = Statement(
    """
    UPDATE events SET seen_ts = (SELECT max(a.crawled_ts) FROM event_articles e JOIN articles a ON a.id = e.article_id
                                 WHERE e.event_id = events.id) WHERE id = :id
    """
)


def count_unanalysed(conn: Connection) -> int:
    """How many articles have no event yet."""
    return int(_LEFT.run(conn, {"after": _last_done(conn)}).scalar())


def _last_done(conn: Connection) -> int:
    """The number of the last article that was analysed."""
    return int(_DONE.run(conn, {"kind": ANALYSE}).scalar() or 0)


def analyse_new(engine: Engine) -> Iterator[int]:
    """Put the articles that were stored since with their events, in batches; yields the size of each.

    Their words are worked out, and the events of the last days read, before the transaction, during which nobody else
    can write. What a transaction wrote
    follows from what was there and the articles behind it: one that is killed is done again.
    """
    recent, done, decided = Events(), -1, None
    while True:
        with reading(engine) as conn:
            last_done = _last_done(conn)
            rows = _NEXT.run(conn, {"after": last_done, "count": ARTICLES_AT_ONCE, "lead": LEAD_CHARACTERS}).all()
            last_decided = _DECIDED.run(conn, {}).scalar()
            if rows and (last_done, last_decided) != (done, decided):
                recent, decided = _recent(conn), last_decided
        if not rows:
            return
        read = [(row, article_terms(row.title, row.lead)) for row in rows]
        with writing(engine) as conn:
            if not is_current(conn):
                return  # another release is at work
            if (_last_done(conn), _DECIDED.run(conn, {}).scalar()) != (last_done, last_decided):
                continue  # another process went on, or somebody decided
            there = {row.id for row in _THERE.run(conn, {"after": last_done, "last": rows[-1].id})}
            late = there - {row.id for row in rows}  # of PostgreSQL's writers one may commit a lower number later
            done = min(late) - 1 if late else rows[-1].id
            _place(conn, recent, [(row, words) for row, words in read if row.id in there and row.id <= done])
            _WENT_ON.change(conn, {"kind": ANALYSE, "done": done})
        if count := sum(row.id <= done for row in rows):
            yield count


def keep_events(engine: Engine, ended: Ended) -> None:
    """Put new articles with their events, once a minute; what fails is tried again."""
    while not ended.is_set():
        try:
            with reading(engine) as conn:
                count = count_unanalysed(conn)
            for _ in analyse_new(engine) if count else ():  # it takes the turn of the writers
                if ended.is_set():
                    break
        except StoreFailedError as error:
            logger.warning("events are not brought up to date: %s", error)
        except Exception:
            logger.exception("events are not brought up to date: an error of newsspider")
        ended.wait(LOOK_SECONDS)


def read_words(conn: Connection, numbers: Collection[int]) -> None:
    """Work out the words of the articles of these events, before the transaction that places them again: during that
    nobody else can write."""
    articles = sorted(row.article_id for row in rows_among(conn, _MEMBERS, numbers))
    for row in rows_among(conn, _AGAIN, articles, {"lead": LEAD_CHARACTERS}):
        _words(row.title, row.lead)


@lru_cache(2048)  # cache: words of articles that are placed again; a change of events needs them at once
def _words(title: str, lead: str) -> ArticleTerms:
    return article_terms(title, lead)


def place_again(conn: Connection, numbers: Collection[int], now: float) -> None:
    """Put the articles of these events with events once more, as people have decided. An event that gets articles of
    another one counts as a change of that one, so that no alert tells it as new."""
    old = {row.article_id: row.event_id for row in rows_among(conn, _MEMBERS, numbers)}
    rows = rows_among(conn, _AGAIN, sorted(old), {"lead": LEAD_CHARACTERS})
    recent = _recent(conn)
    for number in numbers:
        recent.remove(number)
        for statement in (_LEAVE, _DROP):
            statement.change(conn, {"id": number})
    _place(conn, recent, [(row, _words(row.title, row.lead)) for row in rows])
    places = sorted(numbers_of(conn, old).items(), reverse=True)
    moved = {(old[article], number): article for article, number in places}  # the first article of each pair
    for (number, new), article in moved.items():
        _SEEN.change(conn, {"id": new})
        if new != number:
            _CHANGE.change(conn, {"article_id": article, "event_id": new, "other_id": number, "changed_at": now})


def numbers_of(conn: Connection, articles: Collection[int]) -> dict[int, int]:
    """The event of each of these articles that has one."""
    return {row.article_id: row.event_id for row in rows_among(conn, _EVENTS_OF, articles)}


def _recent(conn: Connection) -> Events:
    return Events(map(_event, _RECENT.run(conn, {"window": WINDOW_SECONDS})))


def _place(conn: Connection, recent: Events, read: Sequence[tuple[Any, ArticleTerms]]) -> None:
    changed: dict[int, EventCluster] = {}
    for row, words in read:
        moment = min(row.moment, row.crawled_ts)  # a page may name a day to come
        reprint_of = None if row.closest_id is None else _EVENT_OF.run(conn, {"id": row.closest_id}).scalar()
        article = ClusterArticle(row.id, moment, row.crawled_ts, words, reprint_of, row.group_id)
        placed = recent.place(article)
        _write(conn, article, placed)
        for number in placed.merged:
            changed.pop(number, None)
        changed[placed.event.id] = placed.event
    _KEEP.change_many(conn, [_row(event) for event in changed.values()])


def _write(conn: Connection, article: ClusterArticle, placed: PlacedArticle) -> None:
    names = [word for word in article.terms.weights if word in article.terms.names]
    _JOIN.change(
        conn,
        {
            "article_id": article.id,
            "event_id": placed.event.id,
            "similarity": placed.similarity,
            "words": " ".join(article.terms.weights),
            "names": " ".join(names),
        },
    )
    for number in placed.merged:
        both = {"event_id": placed.event.id, "other_id": number}
        _MOVE.change(conn, both)
        _DROP.change(conn, {"id": number})
        _CHANGE.change(conn, {"article_id": article.id, "changed_at": article.seen, **both})


def _event(row: Any) -> EventCluster:
    return EventCluster(
        row.id,
        row.first_ts,
        row.last_ts,
        row.seen_ts,
        row.articles,
        _figures(row.weights),
        _figures(row.names),
        set(json.loads(row.figures)),
        set(json.loads(row.places)),
        set(json.loads(row.numbers)),
        row.group_id,
    )


def _figures(written: str) -> dict[str, Any]:
    """A figure of each word; events share most of their words, which are in memory once."""
    return {intern(word): figure for word, figure in json.loads(written).items()}


def _row(event: EventCluster) -> dict[str, Any]:
    return {
        "id": event.id,
        "first_ts": event.first,
        "last_ts": event.last,
        "seen_ts": event.seen,
        "articles": event.size,
        "weights": json.dumps(event.weights, ensure_ascii=False),
        "names": json.dumps(event.names, ensure_ascii=False),
        "figures": json.dumps(sorted(event.figures), ensure_ascii=False),
        "places": json.dumps(sorted(event.places), ensure_ascii=False),
        "numbers": json.dumps(sorted(event.numbers)),
        "group_id": event.group,
    }
