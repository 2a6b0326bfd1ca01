"""Refuses the URLs of a pattern whose trap budget is spent, and lets refused URLs wait again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Lease
from newsspider.core.fetching.trap_budget import LISTS, Budget, reason_text
from newsspider.core.fetching.url_patterns import patterns_of
from newsspider.core.model import PageType, Reason, State
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import schedule
from newsspider.store.ledger.schedule import Move

# URLs that were never read; submitted and polled ones go on waiting.
_WAITING = Statement(
    """
    SELECT key, url, kind FROM urls
    WHERE host = :host AND site = :site AND queue = 0 AND state = 'waiting' AND reason = 'found'
          AND last_fetched_at IS NULL AND update_cycle IS NULL AND depth > 0 AND channel <> 'submitted'
    """
)
MOST_ROWS = 1_000_000_000
SIBLINGS = 5000  # URLs refused for a wider pattern that are searched for those of a pattern that yields now

_LATEST = Statement(
    """
    SELECT key, url, state FROM urls WHERE site = :site AND reason = 'trap' AND detail = :detail AND state = 'done'
    ORDER BY found_at DESC LIMIT :count
    """
)


def refuse(conn: Connection, lease: Lease, pattern: str, budget: Budget) -> None:
    """Refuse the waiting URLs on the host of a lease whose own pattern is this spent one."""
    waiting = _WAITING.run(conn, {"host": lease.host, "site": lease.site})
    keys = [row.key for row in waiting if budget.accounts_of(row.url, kind=PageType(row.kind))[0] == pattern]
    schedule.move(
        conn, [Move(key, State.WAITING, State.DONE, Reason.TRAP, detail=reason_text(pattern)) for key in keys]
    )


def bring_back(conn: Connection, site: str, pattern: str, count: int, now: float) -> int:
    """Let the newest ``count`` URLs refused for a pattern wait again; returns how many there were."""
    return len(schedule.set_waiting(conn, latest(conn, site, pattern, count), now))


def bring_siblings(conn: Connection, site: str, pattern: str, wider: Iterable[str], now: float) -> None:
    """Let URLs of a pattern that yields now wait again if they were refused for wider patterns."""
    for wider_pattern in wider:
        rows = latest(conn, site, wider_pattern, SIBLINGS)
        schedule.set_waiting(conn, [row for row in rows if patterns_of(row.url)[0] == pattern.removeprefix(LISTS)], now)


def latest(conn: Connection, site: str, pattern: str, count: int) -> list[Any]:
    """The rows of the newest ``count`` URLs refused for a pattern."""
    return _LATEST.run(conn, {"site": site, "detail": reason_text(pattern), "count": count})
