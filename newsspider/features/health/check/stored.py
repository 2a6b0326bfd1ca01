"""The results of ``scrapy sites check`` in the store, by which a command that was stopped continues."""

from __future__ import annotations

import hashlib

from pydantic import TypeAdapter
from sqlalchemy import Connection

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
_FRESH = Statement("SELECT site, digest, result FROM site_checks WHERE checked_at > :since")


def keep(conn: Connection, site: Site, result: SiteCheck, now: float) -> None:
    """Keep the result of a site in place of an older one."""
    values = {"site": site.name, "digest": _digest(site), "now": now, "result": RECORD.dump_json(result).decode()}
    _KEEP.change(conn, values)


def fresh(conn: Connection, sites: list[Site], now: float) -> dict[str, SiteCheck]:
    """The results of the last day by the name of the site, of those sites that are still described as they were."""
    digests = {site.name: _digest(site) for site in sites}
    rows = _FRESH.run(conn, {"since": now - FRESH_SECONDS})
    return {row.site: RECORD.validate_json(row.result) for row in rows if digests.get(row.site) == row.digest}


def _digest(site: Site) -> str:
    return hashlib.sha256(site_toml(site).encode()).hexdigest()
