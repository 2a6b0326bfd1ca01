"""Repairs of a site, which ``site_check.py`` proposes: as a site, and in the text of its file, whose comments and order
stay."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from newsspider.features.health.check.site_check import Repair
from newsspider.sites.loader import SiteError, load_site, site_toml, toml_value
from newsspider.sites.model import Channel, Site

_TEXT = r""""(?:[^"\\\n]|\\.)*"|'[^'\n]*'"""
_LIST = rf"""\[(?:[^\]"'\#]|{_TEXT}|\#[^\n]*)*\]"""
_TABLE = re.compile(r"^[ \t]*\[\[?[ \t]*[\w.-]+[ \t]*\]\]?[^\n]*", re.MULTILINE)
_CHANNEL = re.compile(r"[ \t]*\[\[[ \t]*channels[ \t]*\]\]")


def repaired_site(site: Site, repairs: Iterable[Repair]) -> Site:
    """The site with these repairs; :exc:`SiteError` if it no longer has the old values, or could not be read again."""
    for repair in repairs:
        if repair.old not in _values(site, repair):
            where = f"channel {repair.channel}" if repair.channel else repair.key
            raise SiteError(site.name, where, f"it is not {' '.join(repair.old)} any more")
        if repair.key == "home":
            site = replace(site, home=repair.new[0])
            continue
        channels = (
            _of_channel(channel, repair) if channel.name == repair.channel else channel for channel in site.channels
        )
        site = replace(site, channels=tuple(channels))
    return load_site(site_toml(site), site.name)


def _values(site: Site, repair: Repair) -> list[tuple[str, ...]]:
    """The present value of a key; none if the channel was removed."""
    if repair.key == "home":
        return [(site.home,)]
    of_channel = [channel for channel in site.channels if channel.name == repair.channel]
    return [channel.regions if repair.key == "regions" else (channel.url,) for channel in of_channel]


def _of_channel(channel: Channel, repair: Repair) -> Channel:
    if repair.key == "regions":
        return replace(channel, regions=repair.new)
    return replace(channel, url=repair.new[0])


def repaired_text(text: str, origin: str, repairs: Iterable[Repair]) -> str:
    """The text of a site file with these repairs; everything else stays as it is. :exc:`SiteError` where the file is
    written in another way than one table a channel."""
    site, repairs = load_site(text, origin), tuple(repairs)
    wanted = repaired_site(site, repairs)
    starts = [table.start() for table in _TABLE.finditer(text)]
    bounds = [0, *starts, len(text)]
    parts = [text[start:end] for start, end in pairwise(bounds)]
    tables = [number for number, part in enumerate(parts) if _CHANNEL.match(part)]
    by_name = dict(zip((channel.name for channel in site.channels), tables, strict=False))
    for repair in repairs:
        number = by_name.get(repair.channel) if repair.channel else 0
        if number is not None:
            parts[number] = _changed(parts[number], repair)
    new_text = "".join(parts)
    if site_toml(load_site(new_text, origin)) != site_toml(wanted):
        values = "; ".join(f"{repair.key} = {_written(repair)}" for repair in repairs)
        raise SiteError(origin, "channels", f"cannot be changed in place; write by hand: {values}")
    return new_text


def _changed(table: str, repair: Repair) -> str:
    """The text of a table with another value for a key; a key without a value is taken out."""
    value = _LIST if repair.key == "regions" else _TEXT
    pattern = re.compile(rf"^([ \t]*{repair.key}[ \t]*=[ \t]*)(?:{value})([^\n]*\n?)", re.MULTILINE)
    if not repair.new:
        return pattern.sub("", table, count=1)
    return pattern.sub(lambda line: f"{line[1]}{_written(repair)}{line[2]}", table, count=1)


def _written(repair: Repair) -> str:
    return toml_value(list(repair.new) if repair.key == "regions" else repair.new[0])
