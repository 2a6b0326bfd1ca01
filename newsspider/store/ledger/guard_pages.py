"""Finds guards by their text, whatever its words: several URLs of a host show it, and it has nothing of their links.
The URLs are asked for again by ``core/scheduling/article_revisits.py``, the page itself by
``core/crawling/outcome.py``."""

from __future__ import annotations

from itertools import chain
from typing import Any

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Awaited, Lease, PageResult, Pages, UnlikeAnchor
from newsspider.core.extraction.guard_page import is_unlike
from newsspider.core.fetching.traps import Budget
from newsspider.core.model import Reason, State
from newsspider.core.scheduling.article_revisits import recheck_at
from newsspider.store.articles import articles_by_body
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import due_times
from newsspider.store.ledger.due_times import Due, StateChange

MOST_OTHERS = 20  # URLs with one text that are compared, and mended, at once

_STORED = Statement(
    f"""
    SELECT u.key, u.anchor, EXISTS (SELECT 1 FROM revisions r WHERE r.key = u.key) AS changed
    FROM articles a JOIN article_urls x ON x.article_id = a.id JOIN urls u ON u.key = x.key
    WHERE a.body_md5 = :body AND u.host = :host AND u.key <> :key AND u.state = 'done' AND u.update_cycle IS NULL
    LIMIT {MOST_OTHERS}
    """
)
_REFUSED = Statement(
    f"""
    SELECT key, anchor, 0 AS changed FROM urls
    WHERE reason = 'off_topic' AND body_hash = :body AND host = :host AND key <> :key AND state = 'done'
          AND update_cycle IS NULL
    LIMIT {MOST_OTHERS}
    """
)
_GUARDED = Statement(  # few URLs have this reason
    "SELECT 1 FROM urls WHERE state = 'done' AND reason = 'guarded' AND body_hash = :body AND host = :host LIMIT 1"
)
_REMEMBER = Statement("UPDATE urls SET body_hash = :body WHERE key = :key")


def judge(conn: Connection, pages: Pages[UnlikeAnchor]) -> None:
    """Settle a page as ``guarded`` if it shows the text of a guard: one that is known, or that another URL shows whose
    link has nothing of it either."""
    for page, unlike in pages:
        lease = page.lease
        known = lease.rechecked and lease.known.content == unlike.body_hash
        if known or _GUARDED.run(conn, _values(lease, unlike)).first() or _others(conn, lease, unlike):
            kept = [effect for effect in page.result.effects if isinstance(effect, Awaited | Budget | UnlikeAnchor)]
            page.result = PageResult(lease, unlike.guarded, effects=tuple(kept), asked=page.result.asked)


def mend(conn: Connection, pages: Pages[UnlikeAnchor]) -> None:
    """Remember the text of a guard, and read again what showed it before. An article that consists of it is dropped; one
    that had another text keeps it as a revision."""
    for page, unlike in pages:
        if page.result.settlement is not unlike.guarded:
            continue
        if not page.lease.had_article:
            _REMEMBER.change(conn, {"key": page.lease.key, "body": unlike.body_hash})
        due_at = recheck_at(page.now, 1)
        others = _others(conn, page.lease, unlike)
        due_times.postpone(conn, [Due(row.key, due_at) for row in others if row.changed])
        dropped = [row for row in others if not row.changed]
        for row in dropped:
            articles_by_body.drop_url(conn, row.key)
        detail = unlike.guarded.detail
        due_times.move(
            conn, [StateChange(row.key, State.DONE, State.DONE, Reason.GUARDED, due_at, detail, 1) for row in dropped]
        )


def _others(conn: Connection, lease: Lease, unlike: UnlikeAnchor) -> list[Any]:
    """The other URLs of the host that show this text below links that have nothing of it, other ones than this."""
    values = _values(lease, unlike)
    rows = chain(_STORED.run(conn, values), _REFUSED.run(conn, values))
    return [row for row in rows if row.anchor != lease.anchor and is_unlike(row.anchor, unlike.title, unlike.text)]


def _values(lease: Lease, unlike: UnlikeAnchor) -> dict[str, Any]:
    return {"body": unlike.body_hash, "host": lease.host, "key": lease.key}
