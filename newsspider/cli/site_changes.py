"""The actions of ``scrapy sites`` that change the registry, each in one transaction."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator

from sqlalchemy import Connection

from newsspider.actions.sites import refuse_private, relearn_site, site_with_changes, take_in, watch_all, watch_sources
from newsspider.cli.command import DataCommand, print_note
from newsspider.cli.site_arguments import is_feed_list, read_feed_list, site_named, sites_of
from newsspider.core.url import host_of
from newsspider.crawl.wrong_use import wrong_use
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.sites.model import Site
from newsspider.sites.source_catalogue import CatalogueSource
from newsspider.store import sites as registry
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import writing
from newsspider.store.sites import StoredSite, usable_site

Change = Callable[[Connection, list[StoredSite], float], Iterator[str]]  # does its work and yields what it did


def _apply(command: DataCommand, change: Change) -> None:
    """Apply a change to all that it names or to nothing, then say what was done."""
    with command.store() as engine, writing(engine) as conn:
        now = Clock().now()
        registry.sync_shipped(conn, now)
        lines = list(change(conn, registry.stored_sites(conn), now))
    for line in lines:
        print_note(line)


def _apply_each(
    command: DataCommand, names: Iterable[str], change: Callable[[Connection, StoredSite, float], Iterator[str]]
) -> None:
    def change_all(conn: Connection, sites: list[StoredSite], now: float) -> Iterator[str]:
        for site in [site_named(sites, name) for name in names]:
            yield from change(conn, site, now)

    _apply(command, change_all)


def enable(command: DataCommand, opts: Namespace) -> None:
    _apply_each(command, opts.names, lambda conn, site, now: _switch(conn, site, now, enabled=True))


def disable(command: DataCommand, opts: Namespace) -> None:
    _apply_each(command, opts.names, lambda conn, site, now: _switch(conn, site, now, enabled=False))


def _switch(conn: Connection, site: StoredSite, now: float, *, enabled: bool) -> Iterator[str]:
    registry.enable(conn, (usable_site(site) if enabled else site).name, enabled, now)
    yield f"{'enabled' if enabled else 'disabled'} {site.name}"


def remove(command: DataCommand, opts: Namespace) -> None:
    _apply_each(command, opts.names, _remove)


def _remove(conn: Connection, site: StoredSite, now: float) -> Iterator[str]:
    registry.remove(conn, site.name, now)
    yield f"removed {site.name}"


def relearn(command: DataCommand, opts: Namespace) -> None:
    """``scrapy sites relearn``.

    Forgets the learned boilerplate lines around the texts of articles, trusts the validators of the hosts again, fetches
    URLs that were given up (quarantined sites, too), and polls failed lists at once. It takes effect in a running crawl.
    """
    _apply_each(command, opts.names, lambda conn, site, now: relearn_site(conn, usable_site(site), now))


def set_weight(command: DataCommand, opts: Namespace) -> None:

    def change(conn: Connection, sites: list[StoredSite], now: float) -> Iterator[str]:
        site = site_with_changes(usable_site(site_named(sites, opts.name)), weight=opts.weight)
        registry.put(conn, site, now)
        yield f"{site.name} now weighs {site.weight}"

    _apply(command, change)


def add(command: DataCommand, opts: Namespace) -> None:
    """``scrapy sites add``.

    From site files, or from the URLs of home pages. A site at an address that is not public (``ALLOWED_ADDRESSES``) is
    refused.
    """
    if opts.name is not None and len(opts.sources) > 1:
        raise wrong_use("--name is for one site")
    sites = [
        site_with_changes(site, opts.name, opts.weight, opts.delay, opts.delay_reason)
        for source in opts.sources
        for site in sites_of(source)
    ]
    _put(command, sites, replace=opts.replace)


def import_sites(command: DataCommand, opts: Namespace) -> None:
    """``scrapy sites import``.

    Site files replace the sites of the same names. Each feed of an OPML file or JSON list, as feed readers write them,
    becomes a channel of the site of its host, which otherwise stays as it is; sites that are not watched yet are added.
    A folder named after a region gives it to its new sites.
    """
    if is_feed_list(opts.source):
        new = read_feed_list(opts.source)
        allowed = allowed_addresses(command.settings)
        _apply(command, lambda conn, sites, now: take_in(conn, new, opts.source, sites, allowed, now))
    else:
        _put(command, sites_of(opts.source), replace=True)


def _put(command: DataCommand, new: list[Site], *, replace: bool) -> None:
    allowed = allowed_addresses(command.settings)

    def change(conn: Connection, sites: list[StoredSite], now: float) -> Iterator[str]:
        names = {site.name for site in sites}
        hosts = {host_of(site.home): site.name for site in sites if isinstance(site, Site)}
        for site in new:
            refuse_private(site, allowed)
            if site.name in names and not replace:
                raise wrong_use(f"there is a site {site.name!r} already; say --replace to replace it")
            registry.put(conn, site, now)
            other = hosts.setdefault(host_of(site.home), site.name)
            also = "" if site.name in names or other == site.name else f"; {other} has its host, too"
            yield f"{'replaced' if site.name in names else 'added'} {site.name}{also}"
            names.add(site.name)

    _apply(command, change)


def watch_chosen(command: DataCommand, sources: list[CatalogueSource]) -> None:
    """``scrapy sites catalogue --add``."""
    allowed = allowed_addresses(command.settings)
    _apply(command, lambda conn, stored, now: watch_sources(conn, sources, stored, allowed, now))


def watch_urls(command: DataCommand, urls: Iterable[str]) -> None:
    """``scrapy submit --watch``: each canonical URL is a channel from now on, of the site of its domain or of a new
    one."""
    allowed = allowed_addresses(command.settings)

    def change(conn: Connection, sites: list[StoredSite], now: float) -> Iterator[str]:
        yield from (watched.sentence for watched in watch_all(conn, sites, urls, allowed, now))

    _apply(command, change)
