"""URL patterns whose trap budget is spent: one URL of each is probed now and then, and people may reset them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, select

from newsspider.core.crawling.visit import Lease
from newsspider.core.fetching.traps import LISTS, SITE, Account, Budget, reason_text
from newsspider.core.fetching.url_patterns import PLACE, patterns_of
from newsspider.core.model import PageType, Reason, State
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import due_times
from newsspider.store.ledger.due_times import Move
from newsspider.store.ledger.url_equivalences import pattern_key
from newsspider.store.tables import url_patterns

FIELDS = [field.name for field in fields(Account)]
COLUMNS = ", ".join(FIELDS)
_TRY = Statement(
    "UPDATE url_patterns SET probe = :probe, retry_at = :again "
    "WHERE key = :key AND spent_at IS NOT NULL AND retry_at <= :now"
)
_OF_SPENT_SITES = Statement(
    f"""
    SELECT site, pattern, {COLUMNS} FROM url_patterns
    WHERE (yielded OR spent_at IS NOT NULL) AND site IN (SELECT site FROM url_patterns WHERE spent_at IS NOT NULL)
    """
)
_FORGET = Statement("DELETE FROM url_patterns WHERE site = :site")


def probe_due(conn: Connection, sites: Collection[str], budget: Budget, now: float) -> dict[str, dict[str, Account]]:
    """The accounts of the spent and the yielding patterns, by owner and pattern, of owners with a spent pattern.

    The newest URL of each spent pattern whose ``retry_at`` has come waits again, as a probe.
    """
    accounts = _accounts(conn, sites, budget)
    due = [
        (owner, pattern, account)
        for owner in accounts
        for pattern, account in accounts[owner].items()
        if account.retry_at is not None and account.retry_at <= now
    ]
    for owner, pattern, account in due:
        site = owner if PLACE in pattern else budget.site_of(owner)
        _try_again(conn, owner, site, pattern, now, now + budget.again_after(account.tries))
    return _accounts(conn, sites, budget) if due else accounts


def _accounts(conn: Connection, sites: Collection[str], budget: Budget) -> dict[str, dict[str, Account]]:
    accounts: dict[str, dict[str, Account]] = {}
    for row in _OF_SPENT_SITES.run(conn, {}):
        if row.site in sites or budget.site_of(row.site) in sites:
            accounts.setdefault(row.site, {})[row.pattern] = account_of(row._asdict())
    return accounts


def _try_again(conn: Connection, owner: str, site: str, pattern: str, now: float, again: float) -> None:
    newest = latest(conn, site, pattern, 1)
    probe = newest[0].key if newest else None
    if _TRY.change(conn, {"key": pattern_key(owner, pattern), "probe": probe, "again": again, "now": now}):
        due_times.set_waiting(conn, newest, now)


def forget(conn: Connection, site: str, now: float) -> int:
    """Reset the patterns of a site, and let all URLs refused for them wait again; returns how many there are."""
    query = select(url_patterns.c.pattern).where(
        url_patterns.c.site == site, url_patterns.c.spent_at.is_not(None) | url_patterns.c.holds
    )
    names = list(conn.execute(query).scalars())
    _FORGET.change(conn, {"site": site})
    return sum(bring_back(conn, site, pattern, MOST_ROWS, now) for pattern in names)


def spent(conn: Connection, site: str | None = None, most: int | None = None) -> list[dict[str, Any]]:
    """The spent patterns of all sites or of one, whole sites first, then the latest."""
    names = ("site", "pattern", "wasted", "spent_at", "retry_at", "quarantined")
    columns = [url_patterns.c[name] for name in names]
    query = select(*columns).where(url_patterns.c.spent_at.is_not(None)).limit(most)
    query = query.order_by(url_patterns.c.pattern != SITE, url_patterns.c.spent_at.desc(), url_patterns.c.key)
    if site is not None:
        query = query.where(url_patterns.c.site == site)
    return [dict(row) for row in conn.execute(query).mappings()]


def account_of(row: Mapping[str, Any]) -> Account:
    """The account in a row."""
    values = {name: row[name] for name in FIELDS}
    flags = {name: bool(values[name]) for name in ("yielded", "holds", "quarantined")}  # SQLite has numbers
    return Account(**{**values, **flags})


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
    due_times.move(
        conn, [Move(key, State.WAITING, State.DONE, Reason.TRAP, detail=reason_text(pattern)) for key in keys]
    )


def bring_back(conn: Connection, site: str, pattern: str, count: int, now: float) -> int:
    """Let the newest ``count`` URLs refused for a pattern wait again; returns how many there were."""
    return len(due_times.set_waiting(conn, latest(conn, site, pattern, count), now))


def bring_siblings(conn: Connection, site: str, pattern: str, wider: Iterable[str], now: float) -> None:
    """Let URLs of a pattern that yields now wait again if they were refused for wider patterns."""
    for wider_pattern in wider:
        rows = latest(conn, site, wider_pattern, SIBLINGS)
        due_times.set_waiting(
            conn, [row for row in rows if patterns_of(row.url)[0] == pattern.removeprefix(LISTS)], now
        )


def latest(conn: Connection, site: str, pattern: str, count: int) -> list[Any]:
    """The rows of the newest ``count`` URLs refused for a pattern."""
    return _LATEST.run(conn, {"site": site, "detail": reason_text(pattern), "count": count})
