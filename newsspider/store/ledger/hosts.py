"""What is known of a host: its robots.txt (the status of the newest, the text of the last one that was answered), and
whether it answered 304 wrongly. Also forgets the validators of pages that must be read in full.

And the politeness clocks of IP addresses: hosts that share one are together asked no more often than one host. A row of
``addresses`` exists only for an address of several hosts; for all others the clock of the host suffices.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from newsspider.core.crawling.visit import Lease, Pages
from newsspider.core.fetching.politeness import DISTRUST_SECONDS, WrongNotModified
from newsspider.core.fetching.robots import RobotsText, gives_rules, robots_in_force
from newsspider.store.engine.postgresql import lock_name
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import queues
from newsspider.store.tables import hosts, urls

_ANSWERED = Statement(
    """
    UPDATE hosts SET robots_status = :status, robots_fetched_at = :fetched_at, robots_text = :text,
                     robots_good_status = :status, robots_good_at = :fetched_at
    WHERE host = :host
    """
)
_MISSED = Statement("UPDATE hosts SET robots_status = :status, robots_fetched_at = :fetched_at WHERE host = :host")
_ROBOTS = Statement(
    """
    SELECT robots_status, robots_fetched_at, robots_text, robots_good_status, robots_good_at
    FROM hosts WHERE host = :host
    """
)

# when a host is tried again whose address is busy with another host, if it is not notified earlier
LOOK_SECONDS = 1.0
AGAIN_SECONDS = 0.001
MOST_NOTIFIED = 64  # hosts of one address that are notified when it is free; the others try by themselves

_AT = Statement("SELECT host, next_at, busy_key FROM hosts WHERE address = :address")
_MOVE = Statement("UPDATE hosts SET address = :address WHERE host = :host AND address <> :address")
_SHARE = Statement(
    "INSERT INTO addresses (address, next_at, busy_key) VALUES (:address, :next_at, :busy_key) "
    "ON CONFLICT (address) DO NOTHING"
)
_CLOCK = Statement("SELECT next_at FROM addresses WHERE address = :address")
_TAKE = Statement(
    "UPDATE addresses SET busy_key = :key "
    "WHERE address = :address AND next_at <= :now AND (busy_key IS NULL OR busy_key = :key)"
)
_FREE = Statement(
    """
    UPDATE addresses SET busy_key = NULL, next_at = CASE WHEN next_at < :next_at THEN :next_at ELSE next_at END
    WHERE busy_key = :key RETURNING address, next_at
    """
)


def keep_robots(conn: Connection, host: str, robots: RobotsText) -> None:
    """Store the robots.txt of a host, or that it could not be fetched."""
    values = {"host": host, "status": robots.status, "fetched_at": robots.fetched_at}
    if gives_rules(robots.status):
        _ANSWERED.change(conn, values | {"text": robots.text})
    else:
        _MISSED.change(conn, values)


def note_robots(conn: Connection, pages: Pages[RobotsText]) -> None:
    """The same for the hosts of these pages."""
    for page, robots in pages:
        keep_robots(conn, page.lease.host, robots)


def robots_text(conn: Connection, host: str, now: float) -> RobotsText | None:
    """The robots.txt of a host that is in force; ``None`` if it was never requested."""
    row = _ROBOTS.run(conn, {"host": host}).first()
    if row is None or row.robots_fetched_at is None:
        return None
    good = None
    if row.robots_good_at is not None:
        good = RobotsText(row.robots_good_status, bytes(row.robots_text or b""), row.robots_good_at)
    newest = RobotsText(row.robots_status, b"", row.robots_fetched_at)
    return good if gives_rules(newest.status) else robots_in_force(good, newest, now)


_NOTE = Statement("UPDATE hosts SET wrong_304_at = :now WHERE host = :host")

_DROP = "etag = NULL, last_modified = NULL, stale_validators = false"

_DROP_LISTS = Statement(f"UPDATE urls SET {_DROP} WHERE site = :site AND update_cycle IS NOT NULL")

_DROP_PAGE = Statement(f"UPDATE urls SET {_DROP} WHERE key = :key")

_TRUST_AGAIN = Statement(
    """
    UPDATE hosts SET wrong_304_at = NULL
    WHERE wrong_304_at IS NOT NULL AND host IN (SELECT host FROM urls WHERE site = :site)
    """
)


def distrust(conn: Connection, pages: Pages[WrongNotModified]) -> None:
    """Distrust the hosts of these pages from now on."""
    visits = sorted((page for page, _ in pages), key=lambda page: page.lease.host)  # writers lock hosts in one order
    _NOTE.change_many(conn, [{"host": page.lease.host, "now": page.now} for page in visits])


def reread_lists(conn: Connection, site: str) -> None:
    """Have the lists of a site read in full once: they are read by other rules than before."""
    _DROP_LISTS.change(conn, {"site": site})


def reread(conn: Connection, keys: Iterable[int]) -> None:
    """Have the pages with these keys read in full once."""
    _DROP_PAGE.change_many(conn, [{"key": key} for key in sorted(keys)])


def trust_again(conn: Connection, site: str) -> None:
    """Send validators to the hosts of a site again."""
    _TRUST_AGAIN.change(conn, {"site": site})


def distrusted(conn: Connection, now: float, site: str | None = None) -> list[dict[str, Any]]:
    """The hosts that get no validators, and since when; of one site, if given."""
    query = (
        select(hosts.c.host, hosts.c.wrong_304_at)
        .where(hosts.c.wrong_304_at > now - DISTRUST_SECONDS)
        .order_by(hosts.c.wrong_304_at.desc(), hosts.c.host)
    )
    if site is not None:
        query = query.where(hosts.c.host.in_(select(urls.c.host).where(urls.c.site == site)))
    return [dict(row) for row in conn.execute(query).mappings()]


def take(conn: Connection, address: str, key: int, now: float) -> bool:
    """Reserve a shared address for a page; ``False`` if it may not be asked now."""
    return _TAKE.change(conn, {"address": address, "key": key, "now": now}) == 1


def place(conn: Connection, lease: Lease, address: str, now: float) -> float:
    """Note the address of a lease's host, and reserve it if other hosts share it.

    Returns 0 if the page may be requested now, else the moment at which to claim it again. That claim knows the
    address, and waits while another host is being asked there.
    """
    if not share(conn, lease.host, address) or take(conn, address, lease.key, now):
        return 0.0
    return float(max(now + AGAIN_SECONDS, _CLOCK.run(conn, {"address": address}).scalar()))


def free(conn: Connection, key: int, next_at: float = 0.0) -> None:
    """Release the address reserved for a page; its hosts may be asked from ``next_at`` on."""
    for row in _FREE.run(conn, {"key": key, "next_at": next_at}):
        waiting_hosts = [host.host for host in _AT.run(conn, {"address": row.address}) if host.busy_key is None]
        queues.open_at(conn, waiting_hosts[:MOST_NOTIFIED], row.next_at)


def share(conn: Connection, host: str, address: str) -> bool:
    """Note the address of a host; returns whether other hosts have it, too."""
    lock_name(conn, address)  # if two hosts are placed at once, the second sees the first
    _MOVE.change(conn, {"host": host, "address": address})
    others = [other for other in _AT.run(conn, {"address": address}) if other.host != host]
    if not others:
        return False
    busy = next((other.busy_key for other in others if other.busy_key is not None), None)
    _SHARE.change(conn, {"address": address, "next_at": max(other.next_at for other in others), "busy_key": busy})
    return True
