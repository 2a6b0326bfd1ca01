"""The results of ``scrapy sites check`` in the store, by which a command that was stopped continues."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection

from newsspider.features.health.check.faults import SiteFault
from newsspider.features.health.check.site_check import SiteCheck
from newsspider.sites.loader import site_toml
from newsspider.sites.model import Site
from newsspider.store.engine.statement import Statement

FRESH_SECONDS = 86_400  # for which a site is not asked again

RECORD = TypeAdapter(SiteCheck)

_KEEP = Statement(
    """
    INSERT INTO site_checks (site, digest, checked_at, result) VALUES (:site, :digest, :now, :result)
    ON CONFLICT (site) DO UPDATE
    SET digest = excluded.digest, checked_at = excluded.checked_at, result = excluded.result
    """
)
_ALL = Statement("SELECT site, checked_at, result FROM site_checks")
_FRESH = Statement("SELECT site, digest, result FROM site_checks WHERE checked_at > :since")


class Checked(NamedTuple):
    """What the last visit to a site showed, and when that was."""

    result: SiteCheck
    at: float


def keep(conn: Connection, site: Site, result: SiteCheck, now: float) -> None:
    """Keep the result of a site in place of an older one."""
    values = {"site": site.name, "digest": _digest(site), "now": now, "result": RECORD.dump_json(result).decode()}
    _KEEP.change(conn, values)


def fresh(conn: Connection, sites: list[Site], now: float) -> dict[str, SiteCheck]:
    """The results of the last day by the name of the site, of those sites that are still described as they were. A site
    of which nothing was requested, since its address is not public, has none: it may be allowed by now."""
    digests = {site.name: _digest(site) for site in sites}
    rows = _FRESH.run(conn, {"since": now - FRESH_SECONDS})
    results = {row.site: _result(row.result) for row in rows if digests.get(row.site) == row.digest}
    return {name: result for name, result in results.items() if result and result.fault is not SiteFault.NOT_PUBLIC}


def last_visits(conn: Connection) -> dict[str, Checked]:
    """The last visit to each site that was visited, by its name."""
    visits = {row.site: (_result(row.result), row.checked_at) for row in _ALL.run(conn, {})}
    return {name: Checked(result, at) for name, (result, at) in visits.items() if result}


def _result(record: str) -> SiteCheck | None:
    """A kept result; ``None`` if it is of another release, which knew other faults."""
    try:
        return RECORD.validate_json(record)
    except ValidationError:
        return None


def _digest(site: Site) -> str:
    return hashlib.sha256(site_toml(site).encode()).hexdigest()
