"""The URLs that are not fetched because too many like them brought nothing, and how they wait again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Lease
from newsspider.core.fetching.trap_budget import LISTS, Budget, reason_text
from newsspider.core.fetching.url_patterns import patterns_of
from newsspider.core.model import PageType
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import queues

# As far as they were not read: what people ask for and what is polled goes on waiting.
_WAITING = Statement(
    """
    SELECT key, url, kind FROM urls
    WHERE host = :host AND site = :site AND queue = 0 AND state = 'waiting' AND reason = 'found' AND last_fetched_at IS NULL
          AND update_cycle IS NULL AND depth > 0 AND channel <> 'submitted'
    """
)
_REFUSE = Statement(
    "UPDATE urls SET state = 'done', reason = 'trap', detail = :detail, due_at = NULL WHERE key = :key AND state = 'waiting'"
)
ALL = 1_000_000_000
SIBLINGS = 5000  # of what was refused for a wider pattern are looked at, for those of a pattern that yields now

_REFUSED = """
    SELECT key FROM urls WHERE site = :site AND reason = 'trap' AND detail = :detail AND state = 'done' ORDER BY found_at DESC LIMIT :n
"""
_LATEST = Statement(_REFUSED.replace("SELECT key", "SELECT key, url"))
_BRING_BACK = Statement(
    f"""
    UPDATE urls SET state = 'waiting', reason = 'found', detail = '', due_at = :now WHERE key IN ({_REFUSED})
    RETURNING key, host, site, priority
    """
)
_BRING_ONE = Statement(
    """
    UPDATE urls SET state = 'waiting', reason = 'found', detail = '', due_at = :now WHERE key = :key AND state = 'done'
    RETURNING key, host, site, priority
    """
)


def refuse(conn: Connection, lease: Lease, pattern: str, budget: Budget) -> None:
    """Let no URL wait on the host of a lease whose own pattern is this one, which is spent."""
    waiting = _WAITING.run(conn, {"host": lease.host, "site": lease.site})
    keys = [row.key for row in waiting if budget.accounts_of(row.url, kind=PageType(row.kind))[0] == pattern]
    _REFUSE.change_many(conn, [{"key": key, "detail": reason_text(pattern)} for key in sorted(keys)])
    queues.refresh(conn, [lease.host])


def bring_back(conn: Connection, site: str, pattern: str, n: int, now: float) -> int:
    """Let the newest ``n`` that were refused for a pattern wait again; returns how many do."""
    return _wait(conn, _BRING_BACK.run(conn, {"site": site, "detail": reason_text(pattern), "n": n, "now": now}), now)


def bring_siblings(conn: Connection, site: str, pattern: str, wider: Iterable[str], now: float) -> None:
    """Let what was refused for wider patterns wait again, as far as it is of a pattern that yields now."""
    for each in wider:
        found = _LATEST.run(conn, {"site": site, "detail": reason_text(each), "n": SIBLINGS})
        bring(conn, [row.key for row in found if patterns_of(row.url)[0] == pattern.removeprefix(LISTS)], now)


def bring(conn: Connection, keys: Iterable[int], now: float) -> None:
    """Let these wait again."""
    _wait(
        conn,
        [row for rows in _BRING_ONE.run_each(conn, [{"key": key, "now": now} for key in keys]) for row in rows],
        now,
    )


def latest(conn: Connection, site: str, pattern: str) -> int | None:
    """The key of the newest one that was refused for a pattern."""
    found: int | None = _LATEST.run(conn, {"site": site, "detail": reason_text(pattern), "n": 1}).scalar()
    return found


def _wait(conn: Connection, rows: Sequence[Any], now: float) -> int:
    """Note that these URLs wait now."""
    queues.note(conn, [(row.host, row.site, queues.WAITING, now, row.priority) for row in rows])
    return len(rows)
