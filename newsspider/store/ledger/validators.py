"""How far the validators of each host can be trusted, and how to forget those of pages that must be read in full."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from newsspider.core.fetching.validators import Trust
from newsspider.store.engine.statement import Statement
from newsspider.store.saved import Pages
from newsspider.store.tables import hosts, urls

_NOTE = Statement(
    """
    UPDATE hosts SET
        conditional_requests = conditional_requests + :asked, not_modified = not_modified + :not_modified,
        unchanged_in_full = unchanged_in_full + :useless, unconditional_checks = unconditional_checks + :checked,
        validator_problem_at = CASE WHEN :lie = '' THEN validator_problem_at ELSE :now END,
        validator_problem = CASE WHEN :lie = '' THEN validator_problem ELSE :lie END
    WHERE host = :host
    """
)
_DROP = "etag = NULL, last_modified = NULL, stale_validators = false"
_DROP_LISTS = Statement(f"UPDATE urls SET {_DROP} WHERE site = :site AND update_cycle IS NOT NULL")
_DROP_PAGE = Statement(f"UPDATE urls SET {_DROP} WHERE key = :key")
_TRUST_AGAIN = Statement(
    """
    UPDATE hosts SET conditional_requests = 0, not_modified = 0, unchanged_in_full = 0, unconditional_checks = 0,
        validator_problem = '', validator_problem_at = NULL
    WHERE validator_problem <> '' AND host IN (SELECT host FROM urls WHERE site = :site)
    """
)


def note(conn: Connection, pages: Pages[Trust]) -> None:
    """Add what visits showed of the validators of their hosts."""
    visits = sorted(pages, key=lambda visit: visit[0].lease.host)  # all writers lock the hosts in one order
    _NOTE.change_many(conn, [{**trust._asdict(), "host": page.lease.host, "now": page.now} for page, trust in visits])


def reread_lists(conn: Connection, site: str) -> None:
    """Have the lists of a site read in full once: they are read by other rules than before."""
    _DROP_LISTS.change(conn, {"site": site})


def reread(conn: Connection, keys: Iterable[int]) -> None:
    """Have the pages with these keys read in full once."""
    _DROP_PAGE.change_many(conn, [{"key": key} for key in sorted(keys)])


def trust_again(conn: Connection, site: str) -> int:
    """Send validators to the hosts of a site again; returns how many were not trusted."""
    return _TRUST_AGAIN.change(conn, {"site": site})


def liars(conn: Connection, site: str | None = None) -> list[dict[str, Any]]:
    """The hosts that get no validators, and why; of one site, if given."""
    columns = (
        hosts.c.host,
        hosts.c.validator_problem.label("lie"),
        hosts.c.validator_problem_at.label("lied_at"),
        hosts.c.conditional_requests.label("conditional"),
        hosts.c.not_modified,
        hosts.c.unchanged_in_full.label("useless"),
    )
    query = (
        select(*columns)
        .where(hosts.c.validator_problem != "")
        .order_by(hosts.c.validator_problem_at.desc(), hosts.c.host)
    )
    if site is not None:
        query = query.where(hosts.c.host.in_(select(urls.c.host).where(urls.c.site == site)))
    return [dict(row) for row in conn.execute(query).mappings()]
