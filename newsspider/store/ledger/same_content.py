"""The URLs that are asked again because there may be an article later: awaited ones for themselves, and of those of a
site that lead to one place or show one text without being articles of their own one, then all once it shows an article.

Those that are alike have the same ``detail``: where they lead, or the URL whose text they show.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Awaited, Lease
from newsspider.core.model import Reason
from newsspider.core.scheduling.recheck import LOOKS_ALONE, MOST_ALIKE, REMEMBERED_SECONDS, may_pass, recheck
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.ledger import schedule
from newsspider.store.ledger.schedule import Due
from newsspider.store.saved import Pages, Saved

_INDEXED = "reason IN ('redirect', 'duplicate')"  # word for word that of ix_urls_detail
_STANDING = f"SELECT key, detail FROM urls WHERE key IN ({{keys}}) AND {_INDEXED} AND update_cycle IS NULL"
_ALIKE = f"""
    {_INDEXED} AND site = :site AND detail = :detail AND update_cycle IS NULL
    AND NOT EXISTS (SELECT 1 FROM article_urls a WHERE a.key = urls.key)
"""
_DUE = Statement(
    f"SELECT key FROM urls WHERE {_ALIKE} AND key <> :key AND state <> 'error' AND due_at IS NOT NULL LIMIT 1"
)
_LEADING = Statement(
    f"""
    SELECT count(*) FROM (SELECT 1 FROM urls WHERE {_INDEXED} AND site = :site AND detail = :detail
                          AND reason = 'redirect' AND key <> :key LIMIT {MOST_ALIKE + 1}) found
    """
)
_ASKED_SINCE = f"SELECT key FROM urls WHERE {_ALIKE} AND state = 'done' AND last_fetched_at >= :since"
_ALL = Statement(f"{_ASKED_SINCE} [ORDER BY key FOR UPDATE]")
_NEXT = Statement(f"{_ASKED_SINCE} AND key <> :key ORDER BY last_fetched_at DESC LIMIT 1 [FOR UPDATE]")
_FOUND = Statement(
    f"""
    SELECT key, url FROM urls WHERE {_ALIKE} AND state = 'done' AND reason = 'redirect' AND due_at IS NOT NULL
    [ORDER BY key FOR UPDATE]
    """
)
_NOW = Statement(
    "SELECT reason, detail, EXISTS (SELECT 1 FROM article_urls a WHERE a.key = urls.key) AS article "
    "FROM urls WHERE key = :key"
)
_SAME_TEXT = "reason = 'off_topic' AND body_hash = :body AND site = :site AND update_cycle IS NULL"
_MANY = Statement(f"SELECT count(*) FROM (SELECT 1 FROM urls WHERE {_SAME_TEXT} LIMIT {MOST_ALIKE + 1}) found")
_UNASKED = Statement(
    f"SELECT key FROM urls WHERE {_SAME_TEXT} AND state = 'done' AND failures = 0 AND due_at IS NULL "
    "[ORDER BY key FOR UPDATE]"
)


def remember(conn: Connection, pages: Sequence[Saved]) -> None:
    """Note what those of these URLs led to or showed, when they were asked last, that are asked again because of
    that."""
    again = [page.lease.key for page in pages if page.lease.looked_at]
    known = {row.key: row.detail for row in rows_among(conn, _STANDING, again)} if again else {}
    for page in pages:
        page.stood = known.get(page.lease.key)


def crowded(conn: Connection, lease: Lease, detail: str) -> bool:
    """Whether more URLs of its site lead where this one leads than an article has."""
    values = {"site": lease.site, "detail": detail, "key": lease.key}
    return bool(_LEADING.run(conn, values).scalar() > MOST_ALIKE)


def look_again(conn: Connection, lease: Lease, now: float) -> None:
    """Ask a URL again that is settled, later each time, unless another one that is like it is asked again anyway."""
    row = _NOW.run(conn, {"key": lease.key}).one()
    others = _DUE.run(conn, {"site": lease.site, "detail": row.detail, "key": lease.key}).first()
    tried = lease.failures + 1
    due_at = None if others is not None else recheck(now, tried)
    schedule.postpone(conn, [Due(lease.key, due_at, tried)])


def compare(conn: Connection, lease: Lease, before: str, now: float) -> None:
    """A URL that led to or showed ``before`` is settled: if it shows an article, all that were like it are asked
    again, if anything else, another of them."""
    row = _NOW.run(conn, {"key": lease.key}).first()
    if row is None or (row.detail == before and not row.article):
        return
    values = {"site": lease.site, "detail": before, "key": lease.key, "since": now - REMEMBERED_SECONDS}
    if row.article or row.reason in (Reason.OFF_TOPIC, Reason.JOINED):
        schedule.postpone(conn, [Due(row.key, min(now, lease.due_at)) for row in _ALL.run(conn, values)])
    elif _DUE.run(conn, values).first() is None:
        schedule.postpone(conn, [Due(row.key, recheck(now, 1)) for row in _NEXT.run(conn, values)])


def found(conn: Connection, lease: Lease) -> None:
    """What redirects led to is an article: those that led there, and to those, are not asked again, unless they are
    many."""
    ended = [lease.url]
    for url in ended:
        if not crowded(conn, lease, url):
            rows = _FOUND.run(conn, {"site": lease.site, "detail": url})
            ended += [row.url for row in rows if row.url not in ended]
            schedule.postpone(conn, [Due(row.key, None, 0) for row in rows])


def note(conn: Connection, pages: Pages[Awaited]) -> None:
    """Ask awaited URLs that are settled again if there may be an article later; with one that shows what many show,
    all of these."""
    for page, _ in pages:
        _note(conn, page)


def _note(conn: Connection, page: Saved) -> None:
    lease, settlement, reason, now = page.lease, page.result.settlement, page.reason, page.now
    same = {"body": settlement.body_hash, "site": lease.site}
    many = (
        reason is Reason.OFF_TOPIC and settlement.body_hash is not None and _MANY.run(conn, same).scalar() > MOST_ALIKE
    )
    if lease.had_article or not (many or may_pass(reason, settlement.kind, settlement.detail)):
        return
    looks = lease.failures + 1 if lease.looked_at else 1
    schedule.postpone(conn, [Due(lease.key, recheck(now, looks, LOOKS_ALONE), looks)])
    if many:
        first = recheck(now, 1, LOOKS_ALONE)
        schedule.postpone(conn, [Due(row.key, first, 1) for row in _UNASKED.run(conn, same)])
