"""What is known of a host: its robots.txt (the status of the newest, the text of the last one that was answered), and
whether it answered 304 wrongly. Also forgets the validators of pages that must be read in full."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select, text

from newsspider.core.fetching.robots import RobotsText, answered, robots_in_force
from newsspider.core.fetching.validators import DISTRUST_SECONDS, WrongNotModified
from newsspider.store.engine.statement import Statement
from newsspider.store.saved import Pages
from newsspider.store.tables import hosts, urls

_ANSWERED = Statement(
    """
    UPDATE hosts SET robots_status = :status, robots_fetched_at = :fetched_at, robots_text = :text,
                     robots_good_status = :status, robots_good_at = :fetched_at
    WHERE host = :host
    """
)
_MISSED = Statement("UPDATE hosts SET robots_status = :status, robots_fetched_at = :fetched_at WHERE host = :host")
_TEXTS = """
    SELECT robots_status, robots_fetched_at, robots_text, robots_good_status, robots_good_at
    FROM hosts WHERE host = :host
"""


def keep_robots(conn: Connection, host: str, robots: RobotsText) -> None:
    """Store the robots.txt of a host, or that it could not be fetched."""
    values = {"host": host, "status": robots.status, "fetched_at": robots.fetched_at}
    if answered(robots.status):
        _ANSWERED.change(conn, values | {"text": robots.text})
    else:
        _MISSED.change(conn, values)


def note_robots(conn: Connection, pages: Pages[RobotsText]) -> None:
    """The same for the hosts of these pages."""
    for page, robots in pages:
        keep_robots(conn, page.lease.host, robots)


def robots_text(conn: Connection, host: str, now: float) -> RobotsText | None:
    """The robots.txt of a host that is in force; ``None`` if it was never requested."""
    row = conn.execute(text(_TEXTS), {"host": host}).first()
    if row is None or row.robots_fetched_at is None:
        return None
    good = None
    if row.robots_good_at is not None:
        good = RobotsText(row.robots_good_status, bytes(row.robots_text or b""), row.robots_good_at)
    newest = RobotsText(row.robots_status, b"", row.robots_fetched_at)
    return good if answered(newest.status) else robots_in_force(good, newest, now)


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
