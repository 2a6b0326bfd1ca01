"""What another topic, other sites or another time change for the URLs and hosts that are known."""

from __future__ import annotations

from sqlalchemy import Connection

from newsspider.core.fetching.politeness import LONGEST_RETRY_AFTER_SECONDS
from newsspider.core.model import Reason, State
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import queues, schedule
from newsspider.store.ledger.leases import expire, release_ahead
from newsspider.store.ledger.schedule import Due, Move
from newsspider.store.tables import PUT_OFF

# by which the clocks of two machines may differ, and a page that is forgotten may hold its host
CLOCKS_APART_SECONDS = 3600.0

# There are few topics: the index is asked for the next one, and then for its URLs, instead of reading all of them.
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
    WHERE reason = 'off_topic' AND topic = :topic AND last_fetched_at {}
          AND site NOT IN (SELECT site FROM explore_crawls)
    """
# >= 0, for SQLite takes a range of the index for it, and not for IS NOT NULL
_UNREAD, _READ = Statement(_REFUSED.format("IS NULL")), Statement(_REFUSED.format(">= 0"))
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
_BOUND_HOSTS = Statement(
    """
    UPDATE hosts SET
        next_at = CASE WHEN next_at > :now + COALESCE(delay, 0) THEN :now + COALESCE(delay, 0) ELSE next_at END,
        paused_until = CASE WHEN paused_until > :now + COALESCE(delay, 0) THEN :now + COALESCE(delay, 0)
                            ELSE paused_until END
    WHERE next_at > :now + COALESCE(delay, 0) + :slack OR paused_until > :now + COALESCE(delay, 0) + :slack
    RETURNING host
    """
)
_LONGEST_AT = "COALESCE((SELECT max(h.delay) FROM hosts h WHERE h.address = addresses.address), 0)"
_BOUND_ADDRESSES = Statement(
    f"UPDATE addresses SET next_at = :now + {_LONGEST_AT} WHERE next_at > :now + {_LONGEST_AT} + :slack"
)
_BOUND_PAGES = Statement("SELECT key FROM urls WHERE state = 'waiting' AND due_at > :latest")


def refused_by_other_topic(conn: Connection, topic: str, now: float, *, links: str = "") -> int:
    """Let the pages that another topic refused be read again for this one; returns how many there are.

    Those that were never fetched, for the words of a link, are those that another than ``links`` refused. Those of
    explore crawls are theirs.
    """
    rows = []
    for (name,) in _TOPICS.run(conn, {}):
        rows += _UNREAD.run(conn, {"topic": name}) if name != links else []
        rows += _READ.run(conn, {"topic": name}) if name != topic else []
    return len(schedule.set_waiting(conn, [row for row in rows if row.state == State.DONE], now))


def ask_failing(conn: Connection, site: str, now: float) -> int:
    """Let the lists of a site that failed be asked at once; returns how many there are."""
    return len(schedule.postpone(conn, [Due(row.key, now) for row in _FAILING.run(conn, {"site": site})]))


def retire_channels(conn: Connection, now: float) -> int:
    """Stop the polling of pages that are no channel of their site any more; returns how many there were.

    A page that is leased is settled as its lease has it, and visited once more at most. Leases that ended are given
    back first. A channel that comes back becomes due by its offer.
    """
    expire(conn, now)
    rows = _NO_CHANNEL.run(conn, {})
    _RETIRE.change_many(conn, [{"key": row.key} for row in rows])
    waiting = [row for row in rows if row.state == State.WAITING or row.reason in PUT_OFF]
    ended = {
        row.key: Move(row.key, row.state, State.DONE, Reason.DROPPED, detail="channel removed")
        for row in waiting
        if row.state != State.PROCESSING
    }
    schedule.move(conn, ended.values())
    schedule.postpone(conn, [Due(row.key, None) for row in rows if row.key not in ended])
    return len(rows)


def bound_waits(conn: Connection, now: float) -> int:
    """Let no host or address wait an hour longer than its delay from ``now`` on: that is left from before the system
    clock was set back.

    Where there is one, pages that wait for longer than any host may ask for are due, too. Leases that end later than
    that are given back. Returns how many hosts were let go.
    """
    values = {"now": now, "slack": CLOCKS_APART_SECONDS}
    latest = now + LONGEST_RETRY_AFTER_SECONDS + CLOCKS_APART_SECONDS  # no lease is longer than a day either
    hosts = release_ahead(conn, latest)
    _BOUND_ADDRESSES.change(conn, values)
    hosts |= {row.host for row in _BOUND_HOSTS.run(conn, values)}
    if not hosts:
        return 0
    queues.refresh(conn, hosts)
    schedule.postpone(conn, [Due(row.key, now) for row in _BOUND_PAGES.run(conn, {"latest": latest})])
    return len(hosts)
