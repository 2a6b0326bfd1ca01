"""Records which pages of stored articles are missing, since when, and which of them have vanished."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Missed
from newsspider.core.model import Reason
from newsspider.core.scheduling.vanished import Absence, Missing, Signs, missed, next_check_at, returned
from newsspider.store.articles import snapshots
from newsspider.store.engine.statement import Statement
from newsspider.store.saved import Pages, Saved

_OF = Statement(
    "SELECT misses, missing_since, last_missed_at, return_count, vanished_at FROM missing_articles WHERE key = :key"
)
_SIGNS = Statement("SELECT page_at, article_at FROM hosts WHERE host = :host")
_KEEP = Statement(
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
_BACK = Statement(
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


def judge(conn: Connection, pages: Pages[Missed]) -> None:
    """Decide on missing pages: they are settled as vanished, or checked again."""
    for page, effect in pages:
        settlement = page.result.settlement
        signs = _SIGNS.run(conn, {"host": page.lease.host}).first()
        signs = Signs(signs.page_at, signs.article_at) if signs else Signs()
        missing = page.missing = missed(_missing(conn, page.lease.key), signs, page.now, effect.threshold)
        reason, due = Reason.GONE if missing.vanished else Reason.MISSED, settlement.due_at
        if not missing.vanished:
            check_at = next_check_at(missing, page.now, effect.threshold)
            due = check_at if due is None else min(check_at, due)
        page.result.settlement = replace(settlement, reason=reason, detail=str(effect.absence), due_at=due)


def keep(conn: Connection, pages: Pages[Missed]) -> None:
    """Store the absences of pages whose articles are still stored; marks the pages that have vanished just now."""
    for page, effect in pages:
        if page.missing is not None and page.lease.had_article:
            page.vanished = _keep(conn, page.lease.key, effect.absence, page.missing, page.now)


def _keep(conn: Connection, key: int, absence: Absence, missing: Missing, now: float) -> bool:
    row = _OF.run(conn, {"key": key}).first()
    had_vanished = row is not None and row.vanished_at is not None
    vanished_at = row.vanished_at if had_vanished else now
    changed = _KEEP.change(
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
    _BACK.change(conn, {"key": key, "returned": returned(missing).returned, "now": now})
    return missing.vanished


def delete_snapshots(conn: Connection, until: float, now: float, most: int) -> int:
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
    row: Any = _OF.run(conn, {"key": key}).first()
    if row is None:
        return Missing()
    return Missing(row.misses, row.missing_since, row.last_missed_at, row.return_count, row.vanished_at is not None)
