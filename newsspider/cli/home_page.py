"""Tells of a watched site by the address of its home page, which a round need not have fetched as it is typed."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from newsspider.sites.model import Site
from newsspider.store.sites import sites


def site_at(conn: Connection, url: str) -> Site | None:
    """The watched site whose home page this canonical URL is, whether with http or https."""
    place = url.partition("://")[2]
    return next((site for site in sites(conn) if site.home.partition("://")[2] == place), None)


def site_lines(url: str, site: Site) -> Iterator[str]:
    """What the registry has of it, one thing a line, as ``scrapy explain`` tells of a URL."""
    yield url
    other = "" if url == site.home else f", which newsspider knows as {site.home}"
    yield f"  home page  of the watched site {site.name}{other}; not fetched as such"
    yield f"  site       weight {site.weight}, {site.media_class}, {'enabled' if site.enabled else 'disabled: it is not asked'}"
    for channel in site.channels:
        yield f"  channel    {channel.name}, weight {channel.weight}, {channel.kind}: {channel.url}"
    yield "  more       scrapy explain with the URL of a channel tells when it is polled"
