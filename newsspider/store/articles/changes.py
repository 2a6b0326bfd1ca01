"""Which stored articles changed, vanished or came back, the latest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, select

from newsspider.store.articles.revisions import decoded
from newsspider.store.tables import article_urls, missing_articles, revisions

CHANGED, VANISHED, RETURNED = "changed", "vanished", "returned"
ROWS_AT_ONCE = 100  # rows read together: memory stays flat however many there are


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
