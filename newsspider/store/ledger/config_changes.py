"""Adapts known URLs and hosts to another topic, to other sites, and to a system clock that was set back."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from newsspider.core.fetching.politeness import LONGEST_RETRY_AFTER_SECONDS
from newsspider.core.model import Reason, State
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import due_times, queues
from newsspider.store.ledger.due_times import Due, StateChange
from newsspider.store.ledger.settlements import expire, release_ahead
from newsspider.store.tables import PUT_OFF

# by how much the clocks of two machines may differ, and how long a forgotten page may block its host
CLOCKS_APART_SECONDS = 3600.0
CHANGED_AT_ONCE = 2_000  # pages of a transaction: other writers come between two

# There are few topics: the index is searched for the next topic, and then for its URLs, instead of reading all URLs.
_TOPICS = Statement(
    """
    WITH RECURSIVE topics (name) AS (
        SELECT min(topic) FROM urls WHERE reason = 'off_topic'
        UNION ALL
        SELECT (SELECT min(topic) FROM urls WHERE reason = 'off_topic' AND topic > t.name)
        FROM topics t WHERE t.name IS NOT NULL
    )
    SELECT name FROM topics WHERE name IS NOT NULL
    """
)
_REFUSED = """
    SELECT key, state FROM urls
    WHERE reason = 'off_topic' AND topic = :topic AND last_fetched_at {} AND state || '' = 'done'
          AND site NOT IN (SELECT site FROM explore_crawls) LIMIT :most
    """
# >= 0 rather than IS NOT NULL: SQLite uses a range of the index for it; state || '': it uses no index of states
_UNREAD = Statement(_REFUSED.format("IS NULL AND found_at <= :now"))
_READ = Statement(_REFUSED.format(">= 0 AND last_fetched_at <= :now"))
_FAILING = Statement("SELECT key FROM urls WHERE site = :site AND update_cycle IS NOT NULL AND failures > 0")
_NO_CHANNEL = Statement(
    """
    SELECT key, state, reason, detail FROM urls u WHERE update_cycle IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM channels c WHERE c.site = u.site AND c.key = u.key)
    AND NOT EXISTS (SELECT 1 FROM explore_crawls e WHERE e.site = u.site)
    [ORDER BY key FOR UPDATE]
    """
)
_RETIRE = Statement("UPDATE urls SET update_cycle = NULL WHERE key = :key")
# The moments of a host were set by its delay, counted from its last request.
_WAITS_TOO_LONG = "next_at > :now + COALESCE(delay, 0) + :slack OR paused_until > :now + COALESCE(delay, 0) + :slack"
_HOST_AHEAD = Statement(f"SELECT host FROM hosts WHERE {_WAITS_TOO_LONG} LIMIT 1")
_BOUND_HOSTS = Statement(
    f"""
    UPDATE hosts SET
        next_at = CASE WHEN next_at > :now + COALESCE(delay, 0) THEN :now + COALESCE(delay, 0) ELSE next_at END,
        paused_until = CASE WHEN paused_until > :now + COALESCE(delay, 0) THEN :now + COALESCE(delay, 0)
                            ELSE paused_until END
    WHERE {_WAITS_TOO_LONG} RETURNING host
    """
)
_LONGEST_AT = "COALESCE((SELECT max(h.delay) FROM hosts h WHERE h.address = addresses.address), 0)"
_BOUND_ADDRESSES = Statement(
    f"UPDATE addresses SET next_at = :now + {_LONGEST_AT} WHERE next_at > :now + {_LONGEST_AT} + :slack"
)
_BOUND_PAGES = Statement("SELECT key FROM urls WHERE state = 'waiting' AND due_at > :latest LIMIT :most")


def refused_by_other_topic(conn: Connection, topic: str, now: float, *, links: str = "") -> int:
    """Have the pages that another topic had refused by ``now`` read again for this one, at most
    :data:`CHANGED_AT_ONCE`; returns how many there were: call it again, with the same moment, until that is 0.

    What is refused later stays so: two crawls with two topics would hand pages to each other without end. Pages that
    were refused for their anchor text are read again if another topic than ``links`` refused them. Pages of explore
    crawls stay as they are.
    """
    rows: list[Any] = []
    for (name,) in _TOPICS.run(conn, {}):
        for refused, own in ((_UNREAD, {links}), (_READ, {topic, links})):  # a page may fail before links refuse it
            if name not in own:
                rows += refused.run(conn, {"topic": name, "now": now, "most": CHANGED_AT_ONCE - len(rows)})
    due_times.set_waiting(conn, rows, now)
    return len(rows)  # another worker may have changed them meanwhile, and there may be more


def ask_failing(conn: Connection, site: str, now: float) -> int:
    """Have the failed lists of a site polled at once; returns how many there are."""
    return len(due_times.postpone(conn, [Due(row.key, now) for row in _FAILING.run(conn, {"site": site})]))


def retire_channels(conn: Connection, now: float) -> int:
    """Stop polling pages that are no longer a channel of their site; returns how many there were.

    A leased page is settled by its lease, and visited at most once more. Expired leases are given back first. A
    channel that comes back becomes due by its offer.
    """
    expire(conn, now)
    rows = _NO_CHANNEL.run(conn, {})
    _RETIRE.change_many(conn, [{"key": row.key} for row in rows])
    waiting = [row for row in rows if row.state == State.WAITING or row.reason in PUT_OFF]
    ended = {
        row.key: StateChange(row.key, row.state, State.DONE, Reason.DROPPED, detail="channel removed")
        for row in waiting
        if row.state != State.PROCESSING
    }
    due_times.move(conn, ended.values())
    due_times.postpone(conn, [Due(row.key, None) for row in rows if row.key not in ended])
    return len(rows)


def bound_pages(conn: Connection, now: float) -> int:
    """If a host waits an hour longer than its delay, the system clock was set back: make pages due that wait longer than
    any host may ask for, at most :data:`CHANGED_AT_ONCE`. Returns how many there were: call it until that is 0, and then
    :func:`bound_waits`, so that a crawl that is killed in between leaves the sign for the next one."""
    if _HOST_AHEAD.run(conn, {"now": now, "slack": CLOCKS_APART_SECONDS}).first() is None:
        return 0
    return _bound_pages(conn, now)


def bound_waits(conn: Connection, now: float) -> int:
    """Release hosts and addresses that would wait an hour longer than their delay; returns how many hosts that were.

    Leases that end later than any host may ask for are given back.
    """
    values = {"now": now, "slack": CLOCKS_APART_SECONDS}
    hosts = release_ahead(conn, _latest(now))
    if hosts:
        _bound_pages(conn, now)  # those that were leased
    _BOUND_ADDRESSES.change(conn, values)
    hosts |= {row.host for row in _BOUND_HOSTS.run(conn, values)}
    queues.refresh(conn, hosts)
    return len(hosts)


def _bound_pages(conn: Connection, now: float) -> int:
    rows = _BOUND_PAGES.run(conn, {"latest": _latest(now), "most": CHANGED_AT_ONCE}).all()
    due_times.postpone(conn, [Due(row.key, now) for row in rows])
    return len(rows)


def _latest(now: float) -> float:
    return now + LONGEST_RETRY_AFTER_SECONDS + CLOCKS_APART_SECONDS  # no lease is longer than a day either
