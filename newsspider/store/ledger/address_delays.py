"""The politeness clocks of IP addresses: hosts that share one are together asked no more often than one host.

A row of ``addresses`` exists only for an address of several hosts; for all others the clock of the host suffices.
"""

from __future__ import annotations

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Lease, Settlement
from newsspider.store.engine.postgresql import lock_name
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import queues

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


def take(conn: Connection, address: str, key: int, now: float) -> bool:
    """Reserve a shared address for a page; ``False`` if it may not be asked now."""
    return _TAKE.change(conn, {"address": address, "key": key, "now": now}) == 1


def place(conn: Connection, lease: Lease, address: str, now: float) -> float:
    """Note the address of a lease's host, and reserve it if other hosts share it.

    Returns 0 if the page may be requested now, else the moment at which to claim it again. That claim knows the
    address, and waits while another host is being asked there.
    """
    if not _share(conn, lease.host, address) or take(conn, address, lease.key, now):
        return 0.0
    return float(max(now + AGAIN_SECONDS, _CLOCK.run(conn, {"address": address}).scalar()))


def settle(conn: Connection, lease: Lease, settlement: Settlement, *, reserved: bool) -> None:
    """Note the address of a visited host, and release it until its hosts may be asked again, if it was ``reserved``."""
    placed = settlement.address and settlement.address != lease.address
    if placed:
        _share(conn, lease.host, settlement.address or "")
    if placed or reserved:
        free(conn, lease.key, settlement.address_next_at or 0.0)


def free(conn: Connection, key: int, next_at: float = 0.0) -> None:
    """Release the address reserved for a page; its hosts may be asked from ``next_at`` on."""
    for row in _FREE.run(conn, {"key": key, "next_at": next_at}):
        waiting_hosts = [host.host for host in _AT.run(conn, {"address": row.address}) if host.busy_key is None]
        queues.open_at(conn, waiting_hosts[:MOST_NOTIFIED], row.next_at)


def _share(conn: Connection, host: str, address: str) -> bool:
    """Note the address of a host; returns whether other hosts have it, too."""
    lock_name(conn, address)  # if two hosts are placed at once, the second sees the first
    _MOVE.change(conn, {"host": host, "address": address})
    others = [other for other in _AT.run(conn, {"address": address}) if other.host != host]
    if not others:
        return False
    busy = next((other.busy_key for other in others if other.busy_key is not None), None)
    _SHARE.change(conn, {"address": address, "next_at": max(other.next_at for other in others), "busy_key": busy})
    return True
