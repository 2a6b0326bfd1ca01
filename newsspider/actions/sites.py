"""Changes of the watched sites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection

from newsspider.core.fetching.address_guard import AllowedAddresses, refused_host
from newsspider.core.url import canonical, host_of, same_site
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.field_types import LONGEST_NAME
from newsspider.sites.loader import load_site, site_toml
from newsspider.sites.model import Channel, ChannelKind, MediaClass, Site, from_home, reweight_site
from newsspider.sites.opml import merge_sites, with_channels, with_free_name
from newsspider.sites.source_catalogue import CatalogueSource
from newsspider.store import ledger
from newsspider.store import sites as registry
from newsspider.store.ledger import hosts, site_knowledge, trap_budgets
from newsspider.store.sites import StoredSite, usable_site

Number = TypeVar("Number", int, float)


def site_with_changes(
    site: Site,
    name: str | None = None,
    weight: str | None = None,
    delay: str | None = None,
    reason: str | None = None,
    media_class: str = "",
) -> Site:
    """The site with these values in place of its own, checked as a site file is."""
    if weight is not None:
        site = reweight_site(site, option_number(weight, int, "weight", "a whole number from 1 to 10"))
    if delay is not None:
        site = replace(site, delay_seconds=option_number(delay, float, "delay", "a number of seconds"))
    if media_class:
        site = replace(site, media_class=media_class_of(media_class))
    site = replace(site, name=site.name if name is None else name, delay_reason=reason or site.delay_reason)
    return load_site(site_toml(site), "options")


def refuse_private(site: Site, allowed: AllowedAddresses) -> None:
    """Refuse a site with a URL at an address that is never requested."""
    for url in (site.home, *(channel.url for channel in site.channels)):
        if reason := refused_host(host_of(url), allowed):
            raise wrong_use(f"{url} is never fetched: {reason}; name it in ALLOWED_ADDRESSES if it is meant")


def media_class_of(word: str) -> MediaClass:
    """The class of media of this name; ``UsageError`` says which there are."""
    if word not in list(MediaClass):
        raise wrong_use(f"a class is one of {', '.join(MediaClass)}")
    return MediaClass(word)


def option_number(value: str, kind: Callable[[str], Number], name: str, allowed: str) -> Number:
    """The value of an option as a number; ``UsageError`` says what is ``allowed``."""
    try:
        return kind(value)
    except ValueError:
        raise wrong_use(f"{name} {value}: say {allowed}") from None


def relearn_site(conn: Connection, site: Site, now: float) -> Iterator[str]:
    """Forget what was learned of a site, and say how much."""
    count = site_knowledge.forget_boilerplate(conn, site.name)
    hosts.trust_again(conn, site.name)
    ledger.ask_failing(conn, site.name, now)
    waiting = trap_budgets.forget(conn, site.name, now)
    registry.put(conn, site, now)
    yield f"{site.name}: {count} line{'s'[: count != 1]} around its articles forgotten"
    if waiting:
        yield f"{site.name}: {waiting} URL{'s'[: waiting != 1]} that brought nothing are fetched again"


def take_in(
    conn: Connection,
    new: Iterable[Site],
    origin: str,
    stored: Iterable[StoredSite],
    allowed: AllowedAddresses,
    now: float,
) -> Iterator[str]:
    """Watch the sites of an OPML document, and say what was new, and which of its sites are disabled."""
    sites, named = [usable_site(site) for site in stored], list(new)
    changes = list(merge_sites(sites, named))
    counts = {site.name: len(site.channels) for site in sites}
    for site in changes:
        refuse_private(site, allowed)
        registry.put(conn, site, now)
        channels = len(site.channels) - counts.get(site.name, 0)
        yield f"{site.name}: {channels} channel{'s'[: channels != 1]} added"
    owners = {host_of(site.home): site for site in reversed(sites)}  # of two at one host the first
    disabled = [owner.name for site in named if (owner := owners.get(host_of(site.home))) and not owner.enabled]
    for name in disabled:
        yield f"{name} is disabled, so nothing of it is polled; see `scrapy sites enable`"
    if not changes and not disabled:
        yield f"all that {origin} names is watched already"


def watch_sources(
    conn: Connection,
    sources: Iterable[CatalogueSource],
    stored: Iterable[StoredSite],
    allowed: AllowedAddresses,
    now: float,
) -> Iterator[str]:
    """Watch those of the catalogue's sources whose name and host no site has yet, and say which, and which are
    disabled."""
    named = list(sources)
    owners = owners_of(named, stored)
    new = [source.site for source in named if source.site.name not in owners]
    for site in new:
        refuse_private(site, allowed)
        registry.put(conn, site, now)
        yield f"added {site.name}"
    disabled = dict.fromkeys(owner.name for owner in owners.values() if not owner.enabled)
    for name in disabled:
        yield f"{name} is disabled, so nothing of it is polled; see `scrapy sites enable`"
    if not new and not disabled:
        yield "these sources are watched already"


def owners_of(sources: Iterable[CatalogueSource], stored: Iterable[StoredSite]) -> dict[str, StoredSite]:
    """The site that stands for each source by its name: the one with this name, or else with the host of its home page;
    other sources are left out."""
    present = list(stored)
    names = {site.name: site for site in present}
    hosts = {host_of(site.home): site for site in reversed(present) if isinstance(site, Site)}  # of two the first
    owners = ((source.site, names.get(source.site.name, hosts.get(host_of(source.site.home)))) for source in sources)
    return {site.name: owner for site, owner in owners if owner is not None}


class WatchedUrl(NamedTuple):
    """A URL that is a channel of a site, since now if it ``is_new``."""

    url: str
    site: str
    is_new: bool

    @property
    def sentence(self) -> str:
        """What is printed."""
        return f"{self.url} is watched {'from now on' if self.is_new else 'already'}, as a channel of {self.site}"


def watch_all(
    conn: Connection, sites: Iterable[StoredSite], urls: Iterable[str], allowed: AllowedAddresses, now: float
) -> Iterator[WatchedUrl]:
    """Make each canonical URL a channel of the site of its domain, or of a new one."""
    by_name = {site.name: usable_site(site) for site in sites}
    names = set(by_name)
    for url in urls:
        owner = next((site for site in by_name.values() if _is_of(site, url)), None)
        if owner is not None and not owner.enabled:
            raise wrong_use(f"{url} is of the site {owner.name}, which is disabled; see `scrapy sites enable`")
        if owner is not None and url in (canonical(channel.url) for channel in owner.channels):
            yield WatchedUrl(url, owner.name, is_new=False)
            continue
        site = with_free_name(from_home(url), names) if owner is None else _with_channel(owner, url)
        refuse_private(site, allowed)
        registry.put(conn, site, now)
        by_name[site.name] = site
        yield WatchedUrl(url, site.name, is_new=True)


def _is_of(site: Site, url: str) -> bool:
    return any(same_site(address, url) for address in (site.home, *(channel.url for channel in site.channels)))


def _with_channel(site: Site, url: str) -> Site:
    name = url.partition("://")[2][-LONGEST_NAME:]
    return with_channels(site, [Channel(name, url, site.weight, ChannelKind.LIST)])
