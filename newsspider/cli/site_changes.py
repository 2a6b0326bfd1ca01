"""The actions of ``scrapy sites`` that change the registry, each in one transaction."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace as replaced

from sqlalchemy import Connection

from newsspider.cli.command import DataCommand, print_note
from newsspider.cli.site_arguments import (
    changed,
    is_opml,
    named,
    read_opml,
    refuse_private,
    registered,
    sites_of,
)
from newsspider.core.fetching.addresses import Exceptions
from newsspider.core.url import canonical, same_site
from newsspider.crawl.wrong_use import wrong_use
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.sites.field_types import LONGEST_NAME
from newsspider.sites.model import Channel, ChannelKind, Site, from_home
from newsspider.sites.opml import merged, sites_in
from newsspider.store import ledger
from newsspider.store import sites as registry
from newsspider.store.articles import boilerplate_lines
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import writing
from newsspider.store.ledger import spent_patterns, validators
from newsspider.store.sites import StoredSite, usable

Change = Callable[[Connection, list[StoredSite], float], Iterator[str]]  # does its work and yields what it did


def _apply(command: DataCommand, change: Change) -> None:
    """Apply a change to all that it names or to nothing, then say what was done."""
    with command.store() as engine:
        sites = registered(engine)
        with writing(engine) as conn:
            lines = list(change(conn, sites, Clock().now()))
    for line in lines:
        print_note(line)


def _apply_each(
    command: DataCommand, names: Iterable[str], change: Callable[[Connection, StoredSite, float], Iterator[str]]
) -> None:
    def change_all(conn: Connection, sites: list[StoredSite], now: float) -> Iterator[str]:
        for site in [named(sites, name) for name in names]:
            yield from change(conn, site, now)

    _apply(command, change_all)


def enable(command: DataCommand, opts: Namespace) -> None:
    _apply_each(command, opts.names, lambda conn, site, now: _switch(conn, site, now, enabled=True))


def disable(command: DataCommand, opts: Namespace) -> None:
    _apply_each(command, opts.names, lambda conn, site, now: _switch(conn, site, now, enabled=False))


def _switch(conn: Connection, site: StoredSite, now: float, *, enabled: bool) -> Iterator[str]:
    registry.enable(conn, (usable(site) if enabled else site).name, enabled, now)
    yield f"{'enabled' if enabled else 'disabled'} {site.name}"


def remove(command: DataCommand, opts: Namespace) -> None:
    _apply_each(command, opts.names, _remove)


def _remove(conn: Connection, site: StoredSite, now: float) -> Iterator[str]:
    registry.remove(conn, site.name, now)
    yield f"removed {site.name}"


def relearn(command: DataCommand, opts: Namespace) -> None:
    """``scrapy sites relearn``.

    Forgets the lines that are left out around the texts of their articles, believes the validators of their hosts
    again, fetches what brought too little before, the quarantined ones too, and asks at once for lists that failed. A
    running crawl does so too.
    """
    _apply_each(command, opts.names, lambda conn, site, now: relearn_site(conn, usable(site), now))


def relearn_site(conn: Connection, site: Site, now: float) -> Iterator[str]:
    """Forget what was learned of a site, and say how much."""
    count = boilerplate_lines.forget(conn, site.name)
    validators.believe(conn, site.name)
    ledger.ask_failing(conn, site.name, now)
    waiting = spent_patterns.forget(conn, site.name, now)
    registry.put(conn, site, now)
    yield f"{site.name}: {count} line{'s'[: count != 1]} around its articles forgotten"
    if waiting:
        yield f"{site.name}: {waiting} URL{'s'[: waiting != 1]} that brought nothing are fetched again"


def set_weight(command: DataCommand, opts: Namespace) -> None:

    def change(conn: Connection, sites: list[StoredSite], now: float) -> Iterator[str]:
        site = changed(usable(named(sites, opts.name)), weight=opts.weight)
        registry.put(conn, site, now)
        yield f"{site.name} now weighs {site.weight}"

    _apply(command, change)


def add(command: DataCommand, opts: Namespace) -> None:
    """``scrapy sites add``.

    From files, or from their addresses alone; one at an address that is not public (``ALLOWED_ADDRESSES``) is wrong
    use.
    """
    if opts.name is not None and len(opts.sources) > 1:
        raise wrong_use("--name is for one site")
    sites = [
        changed(site, opts.name, opts.weight, opts.delay, opts.delay_reason)
        for source in opts.sources
        for site in sites_of(source)
    ]
    _put(command, sites, replace=opts.replace)


def import_sites(command: DataCommand, opts: Namespace) -> None:
    """``scrapy sites import``.

    Sites of files replace those of their names. Of an OPML file, as feed readers write them, each feed becomes a
    channel of the site of its host, which keeps all that it has; sites that are not watched yet are added.
    """
    if is_opml(opts.source):
        new = sites_in(read_opml(opts.source), opts.source)
        allowed = allowed_addresses(command.settings)
        _apply(command, lambda conn, sites, now: take_in(conn, new, opts.source, sites, allowed, now))
    else:
        _put(command, sites_of(opts.source), replace=True)


def take_in(
    conn: Connection, new: Iterable[Site], origin: str, stored: Iterable[StoredSite], allowed: Exceptions, now: float
) -> Iterator[str]:
    """Watch the sites of an OPML document, and say what was new."""
    sites = [usable(site) for site in stored]
    changes = list(merged(sites, new))
    counts = {site.name: len(site.channels) for site in sites}
    for site in changes:
        refuse_private(site, allowed)
        registry.put(conn, site, now)
        channels = len(site.channels) - counts.get(site.name, 0)
        yield f"{site.name}: {channels} channel{'s'[: channels != 1]} added"
    if not changes:
        yield f"all that {origin} names is watched already"


def _put(command: DataCommand, new: list[Site], *, replace: bool) -> None:
    allowed = allowed_addresses(command.settings)

    def change(conn: Connection, sites: list[StoredSite], now: float) -> Iterator[str]:
        names = {site.name for site in sites}
        for site in new:
            refuse_private(site, allowed)
            if site.name in names and not replace:
                raise wrong_use(f"there is a site {site.name!r} already; say --replace to replace it")
            registry.put(conn, site, now)
            yield f"{'replaced' if site.name in names else 'added'} {site.name}"
            names.add(site.name)

    _apply(command, change)


def watch(command: DataCommand, urls: Iterable[str]) -> None:
    """``scrapy submit --watch``: each canonical URL is a channel from now on, of the site of its domain or of a new
    one."""
    allowed = allowed_addresses(command.settings)
    _apply(command, lambda conn, sites, now: watch_all(conn, sites, urls, allowed, now))


def watch_all(
    conn: Connection, sites: Iterable[StoredSite], urls: Iterable[str], allowed: Exceptions, now: float
) -> Iterator[str]:
    """Make each canonical URL a channel, and say of which site."""
    known = {site.name: usable(site) for site in sites}
    for url in urls:
        owner = next((site for site in known.values() if _is_of(site, url)), None)
        if owner is not None and not owner.enabled:
            raise wrong_use(f"{url} is of the site {owner.name}, which is disabled; see `scrapy sites enable`")
        if owner is not None and url in (canonical(channel.url) for channel in owner.channels):
            yield f"{url} is watched already, as a channel of {owner.name}"
            continue
        site = from_home(url) if owner is None else _with_channel(owner, url)
        refuse_private(site, allowed)
        registry.put(conn, site, now)
        known[site.name] = site
        yield f"{url} is watched from now on, as a channel of {site.name}"


def _is_of(site: Site, url: str) -> bool:
    return any(same_site(each, url) for each in (site.home, *(channel.url for channel in site.channels)))


def _with_channel(site: Site, url: str) -> Site:
    name = url.partition("://")[2][-LONGEST_NAME:]
    return replaced(site, channels=(*site.channels, Channel(name, url, site.weight, ChannelKind.LIST)))
