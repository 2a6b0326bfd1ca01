"""Judges redirects of articles by what the ledger knows of their targets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Missed, Moved, PageResult, Pages
from newsspider.core.model import PageType, Reason
from newsspider.core.scheduling.vanished import BY_STATUS, Absence
from newsspider.store.engine.statement import rows_among
from newsspider.store.ledger import rechecks

_TARGETS = """
    SELECT key, kind, reason, last_status, EXISTS (SELECT 1 FROM article_urls a WHERE a.key = u.key) AS article
    FROM urls u WHERE key IN ({keys})
"""
_BY_KIND = {PageType.ERROR: Absence.SOFT_404, PageType.LOGIN: Absence.LOGIN, PageType.LIST: Absence.HOME_PAGE}


def judge(conn: Connection, pages: Pages[Moved]) -> None:
    """Decide how redirects are settled.

    A stored article that redirects to a page that is no article is missing, unless that is a guard's. A URL that was
    never read is rechecked (it stays :class:`Moved`) unless it redirects to an article. A target that was no article
    when last read is read again.
    """
    for page, moved in pages:
        _judge(conn, page.result, moved)


def _judge(conn: Connection, result: PageResult, moved: Moved) -> None:
    lease = result.lease
    rows = rows_among(conn, _TARGETS, [offer.key for offer in result.offers if offer.refused is None])
    crowded = rechecks.crowded(conn, lease, result.settlement.detail)
    empty = {row.key: absence for row in rows if (absence := _absence(row)) is not None}
    guarded = {row.key for row in rows if row.reason == Reason.GUARDED}
    result.offers = tuple(
        replace(offer, again_before=lease.due_at) if offer.key in empty.keys() | guarded else offer
        for offer in result.offers
    )
    if not lease.had_article:
        if any(_holds_an_article(row) for row in rows) and not crowded:
            result.drop(Moved)
        return
    of_all = next(iter(empty.values())) if empty and len(empty) == len(rows) else None
    absence = moved.absence or (Absence.OTHER if crowded else of_all)
    result.drop(Moved)
    if absence is not None and not guarded:
        result.add(Missed(absence, moved.threshold))


def _holds_an_article(row: Any) -> bool:
    return bool(row.article) or row.reason in (Reason.OFF_TOPIC, Reason.JOINED)


def _absence(row: Any) -> Absence | None:
    """What the target shows instead of an article; ``None`` if it shows one, or that is not known."""
    if _holds_an_article(row):
        return None
    if row.reason == Reason.HTTP_STATUS:
        return BY_STATUS.get(row.last_status)
    if row.reason in (Reason.NOT_AN_ARTICLE, Reason.POLLED, Reason.UNCHANGED):
        return _BY_KIND.get(PageType(row.kind), Absence.OTHER)
    return None
