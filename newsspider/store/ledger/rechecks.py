"""Schedules rechecks of URLs that showed no article of their own.

A listed URL is rechecked for itself. Of the URLs of a site that lead to one target or show one text, only one is
rechecked, and all of them once it shows an article. Such URLs have the same ``detail``: the target, or the URL whose
text they show.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Awaited, Lease, Moved, Pages, Saved
from newsspider.core.fetching.traps import patterns_of
from newsspider.core.model import Reason
from newsspider.core.scheduling.article_revisits import (
    MOST_RECHECKS,
    MOST_RECHECKS_ALONE,
    MOST_SAME,
    REMEMBERED_SECONDS,
    may_pass,
    recheck_at,
)
from newsspider.store.articles import articles_by_body
from newsspider.store.engine.statement import LONGEST_LIST, Statement, rows_among
from newsspider.store.ledger import due_times
from newsspider.store.ledger.due_times import Due

READ_AS_ARTICLES = (Reason.STORED, Reason.DUPLICATE, Reason.OFF_TOPIC)
_INDEXED = "reason IN ('redirect', 'duplicate')"  # word for word that of ix_urls_detail
_TARGETS = f"SELECT key, detail FROM urls WHERE key IN ({{keys}}) AND {_INDEXED} AND update_cycle IS NULL"
_SAME = f"""
    {_INDEXED} AND site = :site AND detail = :detail AND update_cycle IS NULL
    AND NOT EXISTS (SELECT 1 FROM article_urls a WHERE a.key = urls.key)
"""
_DUE = Statement(
    f"SELECT key FROM urls WHERE {_SAME} AND key <> :key AND state <> 'error' AND due_at IS NOT NULL LIMIT 1"
)
_SAME_TARGET = Statement(
    f"""
    SELECT count(*) FROM (SELECT 1 FROM urls WHERE {_INDEXED} AND site = :site AND detail = :detail
                          AND reason = 'redirect' AND key <> :key LIMIT {MOST_SAME + 1}) found
    """
)
_ASKED_SINCE = f"SELECT key FROM urls WHERE {_SAME} AND state = 'done' AND last_fetched_at >= :since"
_ALL = Statement(f"{_ASKED_SINCE} [ORDER BY key FOR UPDATE]")
_NEXT = Statement(f"{_ASKED_SINCE} AND key <> :key ORDER BY last_fetched_at DESC LIMIT 1 [FOR UPDATE]")
_FOUND = Statement(
    f"""
    SELECT key, url FROM urls WHERE {_SAME} AND state = 'done' AND reason = 'redirect' AND due_at IS NOT NULL
    [ORDER BY key FOR UPDATE]
    """
)
_OTHERS = Statement(
    f"SELECT key FROM urls WHERE {_INDEXED} AND site = :site AND detail = :detail AND update_cycle IS NULL "
    f"AND state = 'done' LIMIT {LONGEST_LIST}"
)
_NOW = Statement(
    "SELECT reason, detail, EXISTS (SELECT 1 FROM article_urls a WHERE a.key = urls.key) AS article "
    "FROM urls WHERE key = :key"
)
_SAME_TEXT = "reason = 'off_topic' AND body_hash = :body AND site = :site AND update_cycle IS NULL"
_MANY = Statement(f"SELECT count(*) FROM (SELECT 1 FROM urls WHERE {_SAME_TEXT} LIMIT {MOST_SAME + 1}) found")
_UNASKED = Statement(
    f"SELECT key FROM urls WHERE {_SAME_TEXT} AND state = 'done' AND failures = 0 AND due_at IS NULL "
    "[ORDER BY key FOR UPDATE]"
)
_URLS = Statement("SELECT key, url FROM article_urls WHERE article_id = :id AND site = :site")


def remember(conn: Connection, pages: Sequence[Saved]) -> None:
    """Set ``previous_target`` of rechecked pages: where each redirected, or the URL whose text it showed."""
    rechecked = [page.lease.key for page in pages if page.lease.rechecked]
    targets = {row.key: row.detail for row in rows_among(conn, _TARGETS, rechecked)} if rechecked else {}
    for page in pages:
        page.previous_target = targets.get(page.lease.key)


def others(conn: Connection, pages: Sequence[Saved]) -> set[int]:
    """The keys of other URLs whose rechecks :func:`compare` and :func:`cancel_rechecks` may change for these pages, at
    most :data:`LONGEST_LIST` of a page."""
    shown = [(page.lease.site, page.previous_target) for page in pages if page.previous_target is not None]
    shown += [(page.lease.site, page.lease.url) for page in pages if page.lease.hops and not page.lease.kind.polled]
    found = _OTHERS.run_each(conn, [{"site": site, "detail": detail} for site, detail in shown]) if shown else []
    return {row.key for rows in found for row in rows}


def crowded(conn: Connection, lease: Lease, detail: str) -> bool:
    """Whether more than :data:`MOST_SAME` other URLs of the site redirect to ``detail``."""
    values = {"site": lease.site, "detail": detail, "key": lease.key}
    return bool(_SAME_TARGET.run(conn, values).scalar() > MOST_SAME)


def schedule_recheck(conn: Connection, lease: Lease, now: float) -> None:
    """Schedule the next recheck of a settled URL, unless one of the same ``detail`` is scheduled already."""
    row = _NOW.run(conn, {"key": lease.key}).one()
    others = _DUE.run(conn, {"site": lease.site, "detail": row.detail, "key": lease.key}).first()
    tried = lease.failures + 1
    due_at = None if others is not None else recheck_at(now, tried)
    due_times.postpone(conn, [Due(lease.key, due_at, tried)])


def compare(conn: Connection, pages: Iterable[Saved]) -> None:
    """Schedule rechecks of pages that redirect, and compare rechecked pages with what they showed before."""
    for page in pages:
        if page.result.effect(Moved) is not None:
            schedule_recheck(conn, page.lease, page.now)
        if page.previous_target is not None:
            if page.reason is Reason.DUPLICATE:
                drop_one_of_many(conn, page.lease, page.article_id, page.now)
            _compare(conn, page.lease, page.previous_target, page.now)


def drop_one_of_many(conn: Connection, lease: Lease, article_id: int | None, now: float) -> None:
    """Detach a URL from its article if that has :data:`MOST_SAME` URLs of its pattern already, and recheck it like one
    of many."""
    own = patterns_of(lease.url)[0]
    rows = _URLS.run(conn, {"id": article_id, "site": lease.site})
    of_pattern = [row.key for row in rows if patterns_of(row.url)[0] == own]
    if len(of_pattern) > MOST_SAME and articles_by_body.drop_url(conn, lease.key):
        schedule_recheck(conn, lease, now)


def _compare(conn: Connection, lease: Lease, previous_target: str, now: float) -> None:
    """Act on the recheck of a URL whose ``detail`` was ``previous_target``: if it shows an article or a part of one,
    recheck all URLs with that ``detail``; if it shows something else, recheck another one of them."""
    row = _NOW.run(conn, {"key": lease.key}).first()
    if row is None or (row.detail == previous_target and not row.article):
        return
    values = {"site": lease.site, "detail": previous_target, "key": lease.key, "since": now - REMEMBERED_SECONDS}
    if row.article or row.reason in (Reason.OFF_TOPIC, Reason.JOINED):
        due_times.postpone(conn, [Due(row.key, min(now, lease.due_at)) for row in _ALL.run(conn, values)])
    elif _DUE.run(conn, values).first() is None:
        due_times.postpone(conn, [Due(row.key, recheck_at(now, 1)) for row in _NEXT.run(conn, values)])


def cancel(conn: Connection, pages: Iterable[Saved]) -> None:
    """Cancel the rechecks of URLs that redirected to a page that is an article."""
    for page in pages:
        if page.lease.hops and not page.lease.kind.polled and page.reason in READ_AS_ARTICLES:
            cancel_rechecks(conn, page.lease)


def cancel_rechecks(conn: Connection, lease: Lease) -> None:
    """Cancel the rechecks of URLs that redirect to an article, directly or through others, unless they are many."""
    waiting, ended = deque([lease.url]), {lease.url}
    while waiting:
        url = waiting.popleft()
        if crowded(conn, lease, url):
            continue
        rows = _FOUND.run(conn, {"site": lease.site, "detail": url}).all()
        new = {row.url for row in rows} - ended
        waiting.extend(new)
        ended |= new
        due_times.postpone(conn, [Due(row.key, None, 0) for row in rows])


def note(conn: Connection, pages: Pages[Awaited]) -> None:
    """Schedule rechecks of awaited URLs that may show an article later; if many URLs show the same off-topic text,
    recheck all of them."""
    for page, _ in pages:
        lease, settlement, reason = page.lease, page.result.settlement, page.reason
        if lease.had_article:
            continue
        values = {"body": settlement.body_hash, "site": lease.site}
        is_off_topic = reason is Reason.OFF_TOPIC and settlement.body_hash is not None
        many = is_off_topic and _MANY.run(conn, values).scalar() > MOST_SAME
        if not (many or may_pass(reason, settlement.kind, settlement.detail)):
            continue
        rechecks = lease.failures + 1 if lease.rechecked else 1
        most = MOST_RECHECKS if reason is Reason.GUARDED else MOST_RECHECKS_ALONE
        due_times.postpone(conn, [Due(lease.key, recheck_at(page.now, rechecks, most), rechecks)])
        if many:
            first = recheck_at(page.now, 1, MOST_RECHECKS_ALONE)
            due_times.postpone(conn, [Due(row.key, first, 1) for row in _UNASKED.run(conn, values)])
