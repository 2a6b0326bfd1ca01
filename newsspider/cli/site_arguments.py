"""The arguments of ``scrapy sites`` as sites: names, files, URLs and options."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import Engine

from newsspider.cli.command import print_note
from newsspider.core.url import canonical, host_of
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.loader import load_sites
from newsspider.sites.model import Site, from_home
from newsspider.sites.opml import sites_in, sites_in_json
from newsspider.store import sites as registry
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writable, writing
from newsspider.store.sites import BrokenSiteError, StoredSite

LONGEST_FEED_LIST = 20_000_000  # bytes


def registered_sites(engine: Engine) -> list[StoredSite]:
    """All sites of the registry; those that newsspider ships are updated first if the store can be written."""
    with reading(engine) as conn:
        sites, is_stale = registry.stored_sites(conn), registry.shipped_changed(conn)
    if is_stale and writable(engine):
        with writing(engine) as conn:
            registry.sync_shipped(conn, Clock().now())
            sites = registry.stored_sites(conn)
    return sites


def note_broken(sites: Iterable[StoredSite]) -> None:
    """Name each site that cannot be used on stderr."""
    for site in sites:
        if isinstance(site, BrokenSiteError):
            print_note(str(site))


def site_named(sites: Iterable[StoredSite], word: str) -> StoredSite:
    """The site of this name, or the only one whose home page is on this host, however that is written."""
    host = host_of(f"http://{word}/")
    sites = list(sites)
    matches = [site for site in sites if site.name == word] or [
        site for site in sites if isinstance(site, Site) and host_of(site.home) == host
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise wrong_use(f"{word} is the host of {' and '.join(site.name for site in matches)}; say which")
    raise wrong_use(f"there is no site {word!r}; see scrapy sites list")


def is_source(word: str) -> bool:
    """Whether this is a file or a URL rather than the name of a site."""
    return "://" in word or word.endswith(".toml") or Path(word).exists()


def is_feed_list(word: str) -> bool:
    """Whether this names an OPML file, or a JSON list of feeds."""
    return word.lower().endswith((".opml", ".json"))


def read_feed_list(path: str) -> list[Site]:
    """The sites of such a file."""
    try:
        if Path(path).stat().st_size > LONGEST_FEED_LIST:
            raise wrong_use(f"{path} has more than {LONGEST_FEED_LIST:,} bytes")
        document = Path(path).read_bytes()
    except OSError as error:
        raise wrong_use(f"{path}: {error.strerror}") from None
    return (sites_in_json if path.lower().endswith(".json") else sites_in)(document, path)


def sites_of(source: str) -> list[Site]:
    """The site of a URL, or those of a file or folder."""
    if not is_source(source):
        raise wrong_use(f"{source!r} is neither a file nor a URL with http:// or https://")
    if "://" not in source:
        return load_sites(source)
    home = canonical(source)
    if home is None:
        raise wrong_use(f"{source!r} is not an http or https URL")
    return [from_home(home)]
