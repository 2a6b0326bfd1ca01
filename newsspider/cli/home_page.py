"""Describes the watched site with a given home page."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from newsspider.sites.model import Site
from newsspider.store.sites import sites


def site_at(conn: Connection, url: str) -> Site | None:
    """The watched site whose home page this canonical URL is, whether with http or https."""
    address = url.partition("://")[2]
    return next((site for site in sites(conn) if site.home.partition("://")[2] == address), None)


def site_lines(url: str, site: Site) -> Iterator[str]:
    """What the registry has of the site, in the format of ``scrapy explain``."""
    yield url
    other = "" if url == site.home else f", which newsspider knows as {site.home}"
    yield f"  home page  of the watched site {site.name}{other}; not fetched as such"
    state = "enabled" if site.enabled else "disabled: it is not polled"
    yield f"  site       weight {site.weight}, {site.media_class}, {state}"
    for channel in site.channels:
        yield f"  channel    {channel.name}, weight {channel.weight}, {channel.kind}: {channel.url}"
    yield "  more       scrapy explain URL of a channel shows when it is polled"
