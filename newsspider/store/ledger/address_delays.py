"""The clocks of the addresses that several hosts share: together they are asked no oftener than one host would be.

A row of ``addresses`` exists only for an address that more than one host has; for all others the clock of the host
does.
"""

from __future__ import annotations

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Lease, Settlement
from newsspider.store.engine.postgresql import hold
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import queues

# a host whose address another host is being asked at is looked at again then, if nobody says so earlier
LOOK_SECONDS = 1.0
AGAIN_SECONDS = 0.001
MOST_TOLD = 64  # hosts of one address that are told when it is free; the others look by themselves

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
    """Ask a shared address for a page; ``False`` if it is not to be asked now."""
    return _TAKE.change(conn, {"address": address, "key": key, "now": now}) == 1


def place(conn: Connection, lease: Lease, address: str, now: float) -> float:
    """Note where the host of a lease lies, and take the address if others lie there too.

    Returns 0 if the page may be asked for now, else the moment at which to claim it again: the claim knows its address
    then, and while another host is being asked there, the page waits to be told.
    """
    if not _share(conn, lease.host, address) or take(conn, address, lease.key, now):
        return 0.0
    return float(max(now + AGAIN_SECONDS, _CLOCK.run(conn, {"address": address}).scalar()))


def settle(conn: Connection, lease: Lease, settlement: Settlement, *, asked: bool) -> None:
    """What the visit says of the address: where the host lies, and when its hosts may be asked again, if it was
    ``asked``."""
    placed = settlement.address and settlement.address != lease.address
    if placed:
        _share(conn, lease.host, settlement.address or "")
    if placed or asked:
        free(conn, lease.key, settlement.address_next_at or 0.0)


def free(conn: Connection, key: int, next_at: float = 0.0) -> None:
    """Nobody is asking for this page any longer; hosts at its address may be asked from ``next_at`` on."""
    for row in _FREE.run(conn, {"key": key, "next_at": next_at}):
        told = [host.host for host in _AT.run(conn, {"address": row.address}) if host.busy_key is None]
        queues.open_at(conn, told[:MOST_TOLD], row.next_at)


def _share(conn: Connection, host: str, address: str) -> bool:
    """Note the address of a host; whether other hosts have it, too."""
    hold(conn, address)  # of two hosts that are placed at once, the second sees the first
    _MOVE.change(conn, {"host": host, "address": address})
    others = [other for other in _AT.run(conn, {"address": address}) if other.host != host]
    if not others:
        return False
    busy = next((other.busy_key for other in others if other.busy_key is not None), None)
    _SHARE.change(conn, {"address": address, "next_at": max(other.next_at for other in others), "busy_key": busy})
    return True
