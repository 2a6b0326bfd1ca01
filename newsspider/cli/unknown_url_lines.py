"""Prints what there is of a URL that is no row of the ledger, in the format of ``scrapy explain``."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from newsspider.actions.unknown_url import MOST_LINKS_JUDGED, linked
from newsspider.sites.model import Site

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

LINKS_SHOWN = 5  # links that are printed


def site_lines(url: str, site: Site) -> Iterator[str]:
    """What the registry has of the site."""
    yield url
    other = "" if url == site.home else f", which newsspider knows as {site.home}"
    yield f"  home page  of the watched site {site.name}{other}; not fetched as such"
    state = "enabled" if site.enabled else "disabled: it is not polled"
    yield f"  site       weight {site.weight}, {site.media_class}, {state}"
    for channel in site.channels:
        yield f"  channel    {channel.name}, weight {channel.weight}, {channel.kind}: {channel.url}"
    yield "  more       scrapy explain URL of a channel shows when it is polled"


def linked_lines(conn: Connection, url: str, settings: BaseSettings, today: date) -> Iterator[str]:
    """What is known of the links to a canonical URL; nothing if there are none."""
    links = linked(conn, url, settings, today)
    if links is None:
        return
    yield url
    yield "  state      never offered: no link to it is followed"
    yield f"  linked     on {_counted(links.pages, 'page')}, {_counted(links.lists, 'list')} among them"
    for why, count in links.because:
        of_first = f" of the first {MOST_LINKS_JUDGED}" if links.pages > MOST_LINKS_JUDGED else ""
        yield f"  because    {why}: {_counted(count, 'link')}{of_first}"
    for link in links.links[:LINKS_SHOWN]:
        mark = ", nofollow" if link.nofollow else ""
        yield (
            f"  link       {link.page}"
            + (f" as {link.anchor}" if link.anchor else "")
            + f" ({link.kind} in {link.region}{mark})"
        )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
