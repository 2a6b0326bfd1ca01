"""Revisions: keeps the earlier versions of articles that a later visit found changed; and lists which articles changed,
vanished or came back, the latest first."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, select

from newsspider.core.model import REVISED_FIELDS, StoredArticle, Version
from newsspider.core.scheduling.article_changes import Change, Edit, change_of
from newsspider.store.articles import snapshots
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries
from newsspider.store.ledger import site_knowledge
from newsspider.store.saved import Saved
from newsspider.store.tables import article_urls, missing_articles, revisions

TOPIC = "topic"  # the part of a revision with which the page went off topic

_COLUMNS = ("key", "url", "site", "changed_at", "parts", "edits", *REVISED_FIELDS, "further")
_ADD = Statement(
    f"INSERT INTO revisions ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) RETURNING id"
)
_OF = Statement("SELECT id, snapshot, further FROM revisions WHERE key = :key")
_DROP = Statement("DELETE FROM revisions WHERE key = :key")
_ALL_OF = Statement("SELECT * FROM revisions WHERE key = :key ORDER BY changed_at, id")
_COUNT = Statement(
    """
    INSERT INTO revisit_counters (site, visits, changes) VALUES (:site, :visits, :changes)
    ON CONFLICT (site) DO UPDATE SET visits = revisit_counters.visits + excluded.visits,
                                     changes = revisit_counters.changes + excluded.changes
    """
)
_COUNTS = Statement("SELECT site, visits, changes FROM revisit_counters")

CHANGED, VANISHED, RETURNED = "changed", "vanished", "returned"
ROWS_AT_ONCE = 100  # rows read together: memory stays flat however many there are


def change(conn: Connection, stored: Mapping[str, Any], article: StoredArticle) -> Change:
    """What has changed since the ``stored`` row of an article, with the title and the time of the URL's own page."""
    former = Version(stored["title"], stored["text"], _moment(stored["published_at"]), _moment(stored["crawled_at"]))
    present = Version(article.title, article.text, article.published_at, article.crawled_at)
    around = site_knowledge.boilerplate_of(conn, article.site) if former.text != present.text else ()
    return change_of(former, present, around)


def add(
    conn: Connection, key: int, stored: Mapping[str, Any], parts: Sequence[str], edits: Sequence[Edit], now: float
) -> None:
    """Keep the present row of an article as a revision of this URL, which has changed or gone off topic."""
    added = _ADD.run(
        conn,
        {
            "key": key,
            "url": stored["own_url"],
            "site": stored["site"],
            "changed_at": now,
            "parts": json.dumps(parts),
            "edits": json.dumps(edits, ensure_ascii=False),
            **{name: stored[name] for name in REVISED_FIELDS},
            "further": stored["parts"],
        },
    )
    snapshots.name_further(conn, added.scalar(), stored["parts"])
    entries.add_revision(conn, added.scalar())


def forget(conn: Connection, key: int) -> int:
    """Remove the revisions of a URL; returns how many there were."""
    rows = _OF.run(conn, {"key": key}).all()
    for row in rows:
        entries.drop_revision(conn, row.id)
    _DROP.change(conn, {"key": key})
    names = {row.snapshot for row in rows}.union(*(snapshots.further(row.further) for row in rows))
    snapshots.drop(conn, names - {""})
    return len(rows)


def of_url(conn: Connection, key: int) -> list[dict[str, Any]]:
    """The revisions of a URL, the oldest first, ``parts``, ``edits`` and ``further`` as lists."""
    return [decoded(row._asdict()) for row in _ALL_OF.run(conn, {"key": key})]


def decoded(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row of ``revisions`` with its JSON columns as lists."""
    return {**row, **{name: json.loads(row[name]) for name in ("parts", "edits", "further")}}


def count_visits(conn: Connection, pages: Iterable[Saved]) -> None:
    """Count the visits to stored articles, and those whose text had changed.

    All writers write the rows of sites in one order, so that they do not deadlock.
    """
    changed_of_site: dict[str, list[bool]] = defaultdict(list)
    for page in pages:
        if page.visited:
            changed_of_site[page.lease.site].append("text" in page.changed)
    _COUNT.change_many(
        conn,
        [
            {"site": site, "visits": len(changed), "changes": sum(changed)}
            for site, changed in sorted(changed_of_site.items())
        ],
    )


def visits(conn: Connection) -> dict[str, tuple[int, int]]:
    """By site, how often its articles were revisited, and how often their text had changed."""
    return {row.site: (row.visits, row.changes) for row in _COUNTS.run(conn, {})}


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


@dataclass(frozen=True, slots=True)
class ChangeFilters:
    """Which changes to list; ``since`` is a moment, ``None`` lets everything through."""

    since: float | None = None
    site: str | None = None
    key: int | None = None  # of a URL


def changes(conn: Connection, filters: ChangeFilters, limit: int | None = None) -> Iterator[dict[str, Any]]:
    """What happened to stored articles, each with ``event``, ``at``, ``url``, ``site`` and ``title``, the latest first.

    A change has its ``parts`` (of text, title and time), the ``edits`` of paragraphs, and the version ``before``. An
    article that vanished or came back has the ``absence``: what its page shows or showed instead.
    """
    events = merge(
        map(_change, _rows(conn, _changes(filters, limit))),
        map(partial(_absence, VANISHED), _rows(conn, _absences(filters, missing_articles.c.last_vanished_at, limit))),
        map(partial(_absence, RETURNED), _rows(conn, _absences(filters, missing_articles.c.returned_at, limit))),
        key=lambda event: -event["at"],
    )
    return islice(events, limit)


def _rows(conn: Connection, query: Select[Any]) -> Iterable[RowMapping]:
    """The rows of a query, fetched a few at a time."""
    return conn.execute(query, execution_options={"yield_per": ROWS_AT_ONCE}).mappings()


def _changes(filters: ChangeFilters, limit: int | None) -> Select[Any]:
    now = article_urls.c.title.label("now")
    query = select(revisions, now).outerjoin(article_urls, article_urls.c.key == revisions.c.key)
    where = _where(filters, revisions.c.changed_at, revisions.c.site, revisions.c.key)
    return query.where(*where).order_by(revisions.c.changed_at.desc(), revisions.c.id.desc()).limit(limit)


def _absences(filters: ChangeFilters, at: ColumnElement[Any], limit: int | None) -> Select[Any]:
    columns = (
        at.label("at"),
        missing_articles.c.absence,
        article_urls.c.url,
        article_urls.c.site,
        article_urls.c.title,
    )
    query = select(*columns).join(article_urls, article_urls.c.key == missing_articles.c.key).where(at.is_not(None))
    return (
        query.where(*_where(filters, at, article_urls.c.site, missing_articles.c.key))
        .order_by(at.desc(), missing_articles.c.key)
        .limit(limit)
    )


def _where(
    filters: ChangeFilters, at: ColumnElement[Any], site: ColumnElement[Any], key: ColumnElement[Any]
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if filters.since is not None:
        conditions.append(at >= filters.since)
    if filters.site is not None:
        conditions.append(site == filters.site)
    if filters.key is not None:
        conditions.append(key == filters.key)
    return conditions


def _change(row: RowMapping) -> dict[str, Any]:
    revision = decoded(row)
    earlier = {name: revision[name] for name in ("title", "published_at", "crawled_at", "text", "snapshot")}
    return {
        "event": CHANGED,
        "at": revision["changed_at"],
        "url": revision["url"],
        "site": revision["site"],
        "title": revision["now"] or revision["title"],
        "parts": revision["parts"],
        "edits": [{"before": edit[0], "after": edit[1]} for edit in revision["edits"]],
        "before": earlier,
    }


def _absence(event: str, row: RowMapping) -> dict[str, Any]:
    return {"event": event, **row}
