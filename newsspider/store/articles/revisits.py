"""What later visits find of stored articles: changed ones, whose earlier versions are kept as revisions, and missing
ones, which may have vanished; and the list of what changed, vanished or came back, the latest first. What counts as a
change is decided by ``core/scheduling/article_changes.py``."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, select

from newsspider.core.crawling.visit import Missed, Pages, Saved
from newsspider.core.model import REVISED_FIELDS, Reason, StoredArticle, Version
from newsspider.core.scheduling.article_changes import Change, Edit, change_of
from newsspider.core.scheduling.vanished import Absence, Missing, Signs, after_miss, after_return, next_check_at
from newsspider.store.articles import snapshots
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries
from newsspider.store.ledger import site_knowledge
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
_MISSING = Statement(
    "SELECT misses, missing_since, last_missed_at, return_count, vanished_at FROM missing_articles WHERE key = :key"
)
_SIGNS = Statement("SELECT page_at, article_at FROM hosts WHERE host = :host")
_KEEP_MISSING = Statement(
    """
    INSERT INTO missing_articles (key, absence, misses, missing_since, last_missed_at, return_count, vanished_at,
                                  last_vanished_at)
    SELECT :key, :absence, :misses, :since, :last_at, :returned, :vanished_at, :vanished_at
    WHERE EXISTS (SELECT 1 FROM article_urls WHERE key = :key)
    ON CONFLICT (key) DO UPDATE SET
        absence = excluded.absence, misses = excluded.misses, missing_since = excluded.missing_since,
        last_missed_at = excluded.last_missed_at, vanished_at = excluded.vanished_at,
        last_vanished_at = COALESCE(excluded.vanished_at, missing_articles.last_vanished_at)
    """
)
_RETURNED = Statement(
    """
    UPDATE missing_articles SET
        misses = 0, missing_since = NULL, last_missed_at = NULL, snapshots_deleted_at = NULL, return_count = :returned,
        returned_at = CASE WHEN vanished_at IS NULL THEN returned_at ELSE :now END, vanished_at = NULL
    WHERE key = :key
    """
)
# An article has vanished when all of its URLs have; URLs that redirect count only if there are no others.
_TO_DELETE = Statement(
    """
    SELECT a.id, a.key, a.snapshot, a.parts FROM articles a
    WHERE (a.snapshot <> '' OR length(a.parts) > 2
           OR EXISTS (SELECT 1 FROM article_urls u JOIN revisions r ON r.key = u.key
                      WHERE u.article_id = a.id AND (r.snapshot <> '' OR length(r.further) > 2)))
    AND a.id IN (SELECT u.article_id FROM missing_articles m JOIN article_urls u ON u.key = m.key
                 WHERE m.vanished_at IS NOT NULL AND m.vanished_at <= :before AND m.snapshots_deleted_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM article_urls u
                    LEFT JOIN missing_articles m ON m.key = u.key LEFT JOIN urls l ON l.key = u.key
                    WHERE u.article_id = a.id AND (m.vanished_at IS NULL OR m.vanished_at > :before)
                    AND (COALESCE(l.reason, '') <> 'redirect'
                         OR NOT EXISTS (SELECT 1 FROM article_urls o LEFT JOIN urls s ON s.key = o.key
                                        WHERE o.article_id = a.id AND COALESCE(s.reason, '') <> 'redirect')))
    ORDER BY a.id LIMIT :count
    """
)
_REVISIONS = Statement(
    """
    SELECT r.id, r.snapshot, r.further FROM revisions r JOIN article_urls u ON u.key = r.key
    WHERE u.article_id = :id AND (r.snapshot <> '' OR length(r.further) > 2)
    """
)
_BARE_REVISION = Statement("UPDATE revisions SET snapshot = '', further = :none WHERE id = :id")
_DELETED = Statement(
    "UPDATE missing_articles SET snapshots_deleted_at = :now "
    "WHERE key IN (SELECT key FROM article_urls WHERE article_id = :id)"
)


def change_since_visit(conn: Connection, stored: Mapping[str, Any], article: StoredArticle) -> Change:
    """What has changed since the ``stored`` row of an article, with the title and the time of the URL's own page."""
    former = Version(stored["title"], stored["text"], _moment(stored["published_at"]), _moment(stored["crawled_at"]))
    present = Version(article.title, article.text, article.published_at, article.crawled_at)
    around = site_knowledge.boilerplate_of(conn, article.site) if former.text != present.text else ()
    return change_of(former, present, around)


def add_revision(
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


def forget_revisions(conn: Connection, key: int) -> int:
    """Remove the revisions of a URL; returns how many there were."""
    rows = _OF.run(conn, {"key": key}).all()
    for row in rows:
        entries.drop_revision(conn, row.id)
    _DROP.change(conn, {"key": key})
    names = {row.snapshot for row in rows}.union(*(snapshots.further(row.further) for row in rows))
    snapshots.drop(conn, names - {""})
    return len(rows)


def revisions_of(conn: Connection, key: int) -> list[dict[str, Any]]:
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


def judge_missing(conn: Connection, pages: Pages[Missed]) -> None:
    """Decide on missing pages: they are settled as vanished, or checked again."""
    for page, effect in pages:
        settlement = page.result.settlement
        signs = _SIGNS.run(conn, {"host": page.lease.host}).first()
        signs = Signs(signs.page_at, signs.article_at) if signs else Signs()
        missing = page.missing = after_miss(_missing(conn, page.lease.key), signs, page.now, effect.threshold)
        reason, due = Reason.GONE if missing.vanished else Reason.MISSED, settlement.due_at
        if not missing.vanished:
            check_at = next_check_at(missing, page.now, effect.threshold)
            due = check_at if due is None else min(check_at, due)
        page.result.settlement = replace(settlement, reason=reason, detail=str(effect.absence), due_at=due)


def keep_missing(conn: Connection, pages: Pages[Missed]) -> None:
    """Store the absences of pages whose articles are still stored; marks the pages that have vanished just now."""
    for page, effect in pages:
        if page.missing is not None and page.lease.had_article:
            page.vanished = _note_missing(conn, page.lease.key, effect.absence, page.missing, page.now)


def _note_missing(conn: Connection, key: int, absence: Absence, missing: Missing, now: float) -> bool:
    row = _MISSING.run(conn, {"key": key}).first()
    had_vanished = row is not None and row.vanished_at is not None
    vanished_at = row.vanished_at if had_vanished else now
    changed = _KEEP_MISSING.change(
        conn,
        {
            "key": key,
            "absence": str(absence),
            "misses": missing.misses,
            "since": missing.since,
            "last_at": missing.last_at,
            "returned": missing.returned,
            "vanished_at": vanished_at if missing.vanished else None,
        },
    )
    return bool(changed) and missing.vanished and not had_vanished


def mark_visited(conn: Connection, pages: Iterable[Saved]) -> None:
    """Mark successfully read pages of stored articles as visited, and as returned if they had vanished."""
    for page in pages:
        read_well = page.result.settlement.reason in (Reason.STORED, Reason.UNCHANGED)
        if page.lease.had_article and read_well and not page.lease.kind.polled:
            page.visited, page.returned = True, _note_return(conn, page.lease.key, page.now)


def _note_return(conn: Connection, key: int, now: float) -> bool:
    """End the absence of a page; returns whether it had vanished."""
    missing = _missing(conn, key)
    if missing.since is None:
        return False
    _RETURNED.change(conn, {"key": key, "returned": after_return(missing).returned, "now": now})
    return missing.vanished


def delete_vanished_snapshots(conn: Connection, until: float, now: float, most: int) -> int:
    """Delete the snapshots of articles that vanished up to a moment, and of their revisions. Returns the number of
    articles, at most ``most``."""
    rows = _TO_DELETE.run(conn, {"before": until, "count": most}).all()
    for row in rows:
        revisions = _REVISIONS.run(conn, {"id": row.id}).all()
        names = {row.snapshot, *snapshots.further(row.parts)}
        names = names.union(*({revision.snapshot, *snapshots.further(revision.further)} for revision in revisions))
        snapshots.forget_pages(conn, row.id, row.parts)
        _BARE_REVISION.change_many(conn, [{"id": revision.id, "none": "[]"} for revision in revisions])
        snapshots.forget_further(conn, [revision.id for revision in revisions])
        _DELETED.change(conn, {"id": row.id, "now": now})
        snapshots.drop(conn, names - {""})
    return len(rows)


def _missing(conn: Connection, key: int) -> Missing:
    row: Any = _MISSING.run(conn, {"key": key}).first()
    if row is None:
        return Missing()
    return Missing(row.misses, row.missing_since, row.last_missed_at, row.return_count, row.vanished_at is not None)


CHANGED, VANISHED, RETURNED = "changed", "vanished", "returned"
ROWS_AT_ONCE = 100  # rows read together: memory stays flat however many there are


@dataclass(frozen=True, slots=True)
class ChangeFilters:
    """Which changes to list; ``since`` is a moment, ``None`` lets everything through."""

    since: float | None = None
    site: str | None = None
    key: int | None = None  # of a URL


def recent_changes(conn: Connection, filters: ChangeFilters, limit: int | None = None) -> Iterator[dict[str, Any]]:
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
