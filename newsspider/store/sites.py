"""The registry of the watched sites, from their files and people's changes; running crawls watch its version."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from newsspider.core.scheduling.publication_rate import UNKNOWN
from newsspider.core.url import canonical, url_key
from newsspider.hooks import plugins
from newsspider.sites.loader import SiteError, load_site, shipped_texts, site_toml
from newsspider.sites.model import Channel, ChannelKind, Site
from newsspider.store import tables
from newsspider.store.engine.errors import StoreUnusableError
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import hosts

_SITES = tables.sites
_CHANNELS = tables.channels
_URLS = tables.urls
SHIPPED = "shipped:"  # the prefix of the file name in the origin of a site that newsspider ships

_PUT = Statement(
    """
    INSERT INTO sites (name, toml, enabled, weight, media_class, region, added_at, changed_at, revision,
                       origin, origin_hash, removed)
    VALUES (:name, :toml, :enabled, :weight, :media_class, :region, :now, :now, :revision,
            COALESCE(:origin, ''), COALESCE(:origin_hash, ''), COALESCE(:removed, FALSE))
    ON CONFLICT (name) DO UPDATE SET
        toml = excluded.toml, enabled = excluded.enabled, weight = excluded.weight, media_class = excluded.media_class,
        region = excluded.region,
        changed_at = excluded.changed_at, revision = excluded.revision, origin = COALESCE(:origin, sites.origin),
        origin_hash = COALESCE(:origin_hash, sites.origin_hash), removed = COALESCE(:removed, sites.removed)
    """
)
_NAMES = Statement("SELECT name FROM channels WHERE site = :site")
_DROP_CHANNEL = Statement("DELETE FROM channels WHERE site = :site AND name = :name")
_PUT_CHANNEL = Statement(
    """
    INSERT INTO channels (site, name, url, key, weight, kind) VALUES (:site, :name, :url, :key, :weight, :kind)
    ON CONFLICT (site, name) DO UPDATE SET
        url = excluded.url, key = excluded.key, weight = excluded.weight, kind = excluded.kind,
        list_paths = CASE WHEN channels.key = excluded.key THEN channels.list_paths ELSE '' END,
        list_lost_at = CASE WHEN channels.key = excluded.key THEN channels.list_lost_at END,
        rate_posterior = CASE WHEN channels.key = excluded.key THEN channels.rate_posterior ELSE '' END,
        rate = CASE WHEN channels.key = excluded.key THEN channels.rate END,
        seen_at = CASE WHEN channels.key = excluded.key THEN channels.seen_at END
    """
)


class BrokenSiteError(StoreUnusableError):
    """A stored site whose text is not a valid site file: another version, or somebody by hand, wrote it. The message is
    one sentence with the cause and the commands that help."""

    def __init__(self, name: str, enabled: bool, toml: str, cause: str) -> None:
        self.name, self.enabled, self.toml, self.cause = name, enabled, toml, cause
        word = shlex.quote(name)
        self.problem = f"the stored site {name!r} cannot be used: {cause}"
        self.advice = (
            f"`scrapy sites show {word}` prints it, `scrapy sites add FILE --replace` puts a corrected file in its"
            f" place, `scrapy sites remove {word}` removes it"
        )
        super().__init__(f"{self.problem}; {self.advice}")


StoredSite = Site | BrokenSiteError


def stored_sites(conn: Connection) -> list[StoredSite]:
    """All sites that were not removed, enabled or not, by name, including broken ones."""
    rows = conn.execute(select(_SITES).where(_SITES.c.removed.is_(False)).order_by(_SITES.c.name))
    return [_site(row.name, row.enabled, row.toml) for row in rows]


def _site(name: str, enabled: bool, toml: str) -> StoredSite:
    try:
        site = _parsed(toml, name)
    except SiteError as error:
        return BrokenSiteError(name, enabled, toml, "; ".join(f"{key}: {reason}" for key, reason in error.problems))
    if site.name != name:
        return BrokenSiteError(name, enabled, toml, f"name: {site.name!r} is that of another site")
    return replace(site, enabled=enabled)


def usable_site(site: StoredSite) -> Site:
    """The site; raises it if it is a :exc:`BrokenSiteError`."""
    if isinstance(site, BrokenSiteError):
        raise site
    return site


def every_site(conn: Connection) -> list[Site]:
    """All sites that were not removed, enabled or not, by name; raises :exc:`BrokenSiteError`."""
    return [usable_site(site) for site in stored_sites(conn)]


def enabled_sites(conn: Connection) -> list[Site]:
    """The sites to be crawled, by name; raises :exc:`BrokenSiteError`."""
    return [usable_site(site) for site in stored_sites(conn) if site.enabled]


def shipped_names(conn: Connection) -> frozenset[str]:
    """The names of the sites that came with newsspider."""
    return frozenset(conn.execute(select(_SITES.c.name).where(_SITES.c.origin.startswith(SHIPPED))).scalars())


def version(conn: Connection) -> int:
    """A number that grows with every change of any site."""
    return int(conn.execute(select(func.coalesce(func.max(_SITES.c.revision), 0))).scalar_one())


def sync_shipped(conn: Connection, now: float) -> int:
    """Import the sites that newsspider ships; returns how many were new or changed."""
    return import_sites(conn, _shipped(), now)


def shipped_changed(conn: Connection) -> bool:
    """Whether :func:`sync_shipped` has anything to do; reads only."""
    return any(_to_import(conn, _shipped(), take_over=False))


def import_sites(
    conn: Connection, offered: Iterable[tuple[Site | None, str, str]], now: float, *, take_over: bool = False
) -> int:
    """Import sites given as (site, TOML text, origin), unless that origin gave the same text before; returns how many.

    People's changes of a site stay until its origin has a new text; ``enabled`` and the removal of a site stay even
    then. If the site is ``None``, it is read from the text. A stored site of the same name from another origin stays as
    it is, unless ``take_over`` and the text differs.
    """
    count = 0
    for site, toml, origin, digest, row in _to_import(conn, offered, take_over=take_over):
        enabled = site.enabled if row is None else row.enabled
        _write(conn, replace(site, enabled=enabled), toml, now, origin=origin, origin_hash=digest)
        if row is not None and row.removed:
            _drop_channels(conn, site.name, _channel_names(conn, site.name))
        count += 1
    return count


def of_other_origins(conn: Connection, offered: Iterable[tuple[Site, str, str]]) -> dict[str, str]:
    """The sites, given as for :func:`import_sites`, that another origin gave with another text last: by name, that
    origin."""
    rows = conn.execute(select(_SITES.c.name, _SITES.c.origin, _SITES.c.origin_hash).where(_SITES.c.removed.is_(False)))
    present = {row.name: row for row in rows}
    return {
        site.name: row.origin
        for site, toml, origin in offered
        if (row := present.get(site.name)) is not None
        and row.origin not in ("", origin)
        and row.origin_hash != _digest(toml)
    }


def _digest(toml: str) -> str:
    return hashlib.sha256(toml.encode()).hexdigest()


def _shipped() -> list[tuple[None, str, str]]:
    return [(None, toml, SHIPPED + name) for name, toml in shipped_texts()]


def _to_import(
    conn: Connection, offered: Iterable[tuple[Site | None, str, str]], *, take_over: bool
) -> Iterator[tuple[Site, str, str, str, Row[Any] | None]]:
    """The sites to import, each with its text, origin and digest, and its present row."""
    imported = {tuple(row) for row in conn.execute(select(_SITES.c.origin, _SITES.c.origin_hash))}
    for parsed_site, toml, origin in offered:
        digest = _digest(toml)
        if (origin, digest) in imported:
            continue
        site = parsed_site or load_site(toml, origin)
        stored_row = conn.execute(select(_SITES).where(_SITES.c.name == site.name)).first()
        if stored_row is not None and stored_row.origin != origin:
            has_text = stored_row.origin_hash == digest and not stored_row.origin.startswith(SHIPPED)
            if has_text or not take_over:
                continue  # somebody added a site of that name, or the same one
        yield site, toml, origin, digest, stored_row


def put(conn: Connection, site: Site, now: float) -> None:
    """Add a site, or replace the one with its name; a removed one comes back. Raises :exc:`SiteError` for a site that
    could not be read again."""
    toml = site_toml(site)
    load_site(toml, site.name)
    _write(conn, site, toml, now, removed=False)


def enable(conn: Connection, name: str, on: bool, now: float) -> bool:
    """Switch a site on or off; ``False`` if there is none."""
    return _change(conn, name, now, enabled=on)


def remove(conn: Connection, name: str, now: float) -> bool:
    """Remove a site for good, even a shipped one; ``False`` if there is none. Its articles and URLs stay."""
    _drop_channels(conn, name, _channel_names(conn, name))
    return _change(conn, name, now, removed=True)


def _write(conn: Connection, site: Site, toml: str, now: float, **more: object) -> None:
    _alone(conn)
    values = {
        "name": site.name,
        "toml": toml,
        "enabled": site.enabled,
        "weight": site.weight,
        "media_class": str(site.media_class),
        "region": site.region,
        "now": now,
        "revision": version(conn) + 1,
        "origin": None,
        "origin_hash": None,
        "removed": None,
        **more,
    }
    _PUT.change(conn, values)
    names = {channel.name for channel in site.channels}
    dropped = [name for name in _channel_names(conn, site.name) if name not in names]
    _drop_channels(conn, site.name, dropped)
    _PUT_CHANNEL.change_many(conn, [_channel_row(site.name, channel) for channel in site.channels])
    hosts.reread_lists(conn, site.name)


def _channel_row(site: str, channel: Channel) -> dict[str, object]:
    url = canonical(channel.url) or channel.url
    values = {"site": site, "name": channel.name, "url": url, "key": url_key(url)}
    return values | {"weight": channel.weight, "kind": str(channel.kind)}


def _channel_names(conn: Connection, site: str) -> list[str]:
    return [row.name for row in _NAMES.run(conn, {"site": site})]


def _drop_channels(conn: Connection, site: str, names: list[str]) -> None:
    if names:
        plugins().hook.channels_dropped(conn=conn, site=site, names=names)
        _DROP_CHANNEL.change_many(conn, [{"site": site, "name": name} for name in names])


def _change(conn: Connection, name: str, now: float, **values: object) -> bool:
    _alone(conn)
    present = (_SITES.c.name == name) & _SITES.c.removed.is_(False)
    change = update(_SITES).where(present).values(changed_at=now, revision=version(conn) + 1, **values)
    return conn.execute(change).rowcount > 0


def _alone(conn: Connection) -> None:
    """Lock the registry against other changes, as every change needs a version of its own."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql("LOCK TABLE sites IN SHARE ROW EXCLUSIVE MODE")


@lru_cache(maxsize=1024)  # cache: site files as the registry has them
def _parsed(toml: str, name: str) -> Site:
    return load_site(toml, name)


def channel_polls(conn: Connection) -> list[dict[str, Any]]:
    """Each channel with its last and its next poll, and why the last ones failed, by site, the heaviest first. The rate
    is ``None`` until polls have taught it."""
    columns = select(
        _CHANNELS.c.site,
        _CHANNELS.c.name,
        _CHANNELS.c.url,
        _CHANNELS.c.weight,
        _CHANNELS.c.kind,
        _CHANNELS.c.polls,
        _CHANNELS.c.last_polled_at,
        _CHANNELS.c.last_status,
        _CHANNELS.c.last_links,
        _CHANNELS.c.last_new,
        func.nullif(_CHANNELS.c.rate, UNKNOWN.rate).label("rate"),
        _CHANNELS.c.list_lost_at,
        _CHANNELS.c.list_moves,
        _URLS.c.due_at,
        _URLS.c.reason,
        func.coalesce(_URLS.c.failures, 0).label("failures"),
    )
    of_urls = columns.outerjoin(_URLS, _URLS.c.key == _CHANNELS.c.key)
    home_first = _CHANNELS.c.kind != str(ChannelKind.HOME)
    rows = conn.execute(of_urls.order_by(_CHANNELS.c.site, _CHANNELS.c.weight.desc(), home_first, _CHANNELS.c.name))
    return [dict(row) for row in rows.mappings()]
