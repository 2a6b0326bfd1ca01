"""Collections: the hits of a query at one moment, which people screen in or out, with notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from newsspider.core.text.characters import storable_text
from newsspider.hooks import plugins
from newsspider.store.engine.statement import Statement

MOST_ARTICLES = 1000  # that one query adds
LONGEST_NAME, LONGEST_NOTE = 200, 2000
VERDICTS = ("", "in", "out")

_ADD = Statement(
    """
    INSERT INTO collections (name, owner, query, note, made_at) VALUES (:name, :owner, :query, :note, :now)
    RETURNING id
    """
)
_ALL = Statement(
    """
    SELECT c.id, c.name, c.owner, c.query, c.note, c.made_at, count(a.article_id) AS articles,
           count(CASE WHEN a.verdict = 'in' THEN 1 END) AS taken_in,
           count(CASE WHEN a.verdict = 'out' THEN 1 END) AS left_out
    FROM collections c LEFT JOIN collection_articles a ON a.collection_id = c.id
    WHERE :id = 0 OR c.id = :id GROUP BY c.id, c.name, c.owner, c.query, c.note, c.made_at ORDER BY c.id DESC
    """
)
_PUT = Statement(
    """
    INSERT INTO collection_articles (collection_id, article_id, added_at)
    SELECT :id, a.id, :now FROM articles a WHERE a.id = :article
    ON CONFLICT (collection_id, article_id) DO NOTHING
    """
)
_TAKE = Statement(
    """
    DELETE FROM collection_articles WHERE collection_id = :id AND article_id = :article AND verdict = '' AND note = ''
    """
)
_ARTICLES = Statement(
    """
    SELECT a.article_id, a.added_at, a.verdict, a.note, COALESCE(r.published_ts, r.crawled_ts) AS moment
    FROM collection_articles a JOIN articles r ON r.id = a.article_id
    WHERE a.collection_id = :id AND (:verdict = 'all' OR a.verdict = :verdict) ORDER BY moment DESC, a.article_id DESC
    """
)
_BELONGING = Statement(
    """
    SELECT a.article_id, r.group_id FROM collection_articles a LEFT JOIN reprints r ON r.article_id = a.article_id
    WHERE a.collection_id = :id
    """
)
_SCREENING = Statement(
    "SELECT verdict, note FROM collection_articles WHERE collection_id = :id AND article_id = :article"
)
_SCREEN = Statement(
    """
    UPDATE collection_articles SET verdict = :verdict, note = :note
    WHERE collection_id = :id AND article_id = :article
    """
)
_HAND_OVER = Statement(
    """
    INSERT INTO collection_articles (collection_id, article_id, added_at, verdict, note)
    SELECT collection_id, :other, added_at, verdict, note FROM collection_articles WHERE article_id = :article
    ON CONFLICT (collection_id, article_id) DO UPDATE SET verdict = excluded.verdict, note = excluded.note
    WHERE collection_articles.verdict = '' AND collection_articles.note = ''
    """
)
_ASKED = Statement("UPDATE collections SET made_at = :now WHERE id = :id")
_REMOVE = Statement("DELETE FROM collections WHERE id = :id")


def add(conn: Connection, owner: str, name: str, query: str, note: str, now: float) -> int:
    """Add a collection without articles; returns its number."""
    values = {
        "name": storable_text(name),
        "owner": owner,
        "query": storable_text(query),
        "note": storable_text(note),
        "now": now,
    }
    return int(_ADD.run(conn, values).scalar())


def all_collections(conn: Connection) -> list[Any]:
    """Every collection, the newest first, with how many articles it has, and how many are in and out."""
    return _ALL.run(conn, {"id": 0}).all()


def collection(conn: Connection, number: int) -> Any | None:
    """The collection with this number; ``None`` if there is none."""
    return _ALL.run(conn, {"id": number}).first() if number else None


def ask(conn: Connection, number: int, now: float) -> None:
    """Store when the query of a collection was asked last."""
    _ASKED.change(conn, {"id": number, "now": now})


def put(conn: Connection, number: int, articles: Iterable[int], now: float) -> int:
    """Add stored articles to a collection; returns how many it did not have yet."""
    rows = [{"id": number, "article": article, "now": now} for article in articles]
    return _PUT.change_many(conn, rows)


def take_out(conn: Connection, number: int, articles: Iterable[int]) -> int:
    """Take articles out of a collection, except for those that somebody screened; returns how many."""
    return _TAKE.change_many(conn, [{"id": number, "article": article} for article in articles])


def articles(conn: Connection, number: int, verdict: str = "all") -> list[Any]:
    """The articles of a collection, the newest first, each with its verdict and note; or those of one verdict."""
    return _ARTICLES.run(conn, {"id": number, "verdict": verdict}).all()


def cursor_of(row: Any) -> str:
    """The cursor of the page that begins after a row of :func:`articles`."""
    return f"{row.moment}.{row.article_id}"


def rows_behind(rows: Sequence[Any], position: tuple[int, ...]) -> list[Any]:
    """The rows of :func:`articles` after the moment and the number of an article, which need not be among them."""
    return [row for row in rows if (row.moment, row.article_id) < position]


def clusters(conn: Connection, number: int) -> dict[int, str]:
    """The cluster of each article that shares one with others of the collection: its event, or else its group of
    reprints, as ``event 12`` or ``reprints 7``."""
    rows = _BELONGING.run(conn, {"id": number}).all()
    events = plugins().hook.events_of(conn=conn, articles=[row.article_id for row in rows]) or {}
    of_groups = {row.group_id: events[row.article_id] for row in rows if row.group_id and row.article_id in events}
    labels = {
        row.article_id: _label(events.get(row.article_id) or of_groups.get(row.group_id), row.group_id) for row in rows
    }
    counts = Counter(labels.values())
    return {article: label for article, label in labels.items() if label and counts[label] > 1}


def in_clusters(rows: Iterable[Any], labels: Mapping[int, str]) -> list[Any]:
    """The rows of :func:`articles`, grouped by cluster, the largest clusters first; among equals in the order of their
    first rows."""
    ungrouped = list(rows)
    counts = Counter(labels.get(row.article_id, "") for row in ungrouped)
    places: dict[str, int] = {}
    for place, row in enumerate(ungrouped):
        places.setdefault(labels.get(row.article_id, f"article {row.article_id}"), place)

    def key(row: Any) -> tuple[int, int]:
        label = labels.get(row.article_id, f"article {row.article_id}")
        return -counts.get(label, 1), places[label]

    return sorted(ungrouped, key=key)


def _label(event: int | None, group: int | None) -> str:
    return f"event {event}" if event is not None else f"reprints {group}" if group is not None else ""


def screen(conn: Connection, number: int, article: int, verdict: str, note: str | None) -> Any | None:
    """Set the verdict and the note of an article in a collection; with ``None`` as the note, its note stays. Returns
    the former verdict and note; ``None`` if the collection does not have the article."""
    values = {"id": number, "article": article}
    screening = _SCREENING.run(conn, values).first()
    if screening is not None:
        _SCREEN.change(
            conn, values | {"verdict": verdict, "note": screening.note if note is None else storable_text(note)}
        )
    return screening


def hand_over(conn: Connection, article: int, other: int) -> None:
    """Replace an article by another one that it is merged into; verdicts and notes of the other stay."""
    _HAND_OVER.change(conn, {"article": article, "other": other})


def remove(conn: Connection, number: int) -> bool:
    """Remove a collection, not its articles; ``False`` if there is none."""
    return bool(_REMOVE.change(conn, {"id": number}))
