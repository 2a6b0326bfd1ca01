"""Turns lists that are worth watching into site files: a new site per domain, or new channels of a watched site."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any
from urllib.parse import urlsplit

from newsspider.core.model import PageType
from newsspider.core.url import host_of, site_domain
from newsspider.features.explore.rules.list_value import ReadList
from newsspider.sites.loader import load_site, site_toml
from newsspider.sites.model import Channel, ChannelKind, MediaClass, Site, from_home
from newsspider.sites.site_lines import cells_line, fit_columns

SCREEN_WIDTH = 80
COLUMNS = (("list", 37), ("weight", 6), ("share", 5), ("least", 5), ("read", 7), ("a day", 6), ("original", 8))
LONGEST_NAME = 40  # characters of a channel's name
TRADE_SHARE = 0.8  # share on topic from which a site counts as a trade site

_SEPARATOR = re.compile(r"\s*[|｜_—–»>＞·]+\s*|\s+-+\s+|(?<=[\u4e00-\u9fff])-+(?=[\u4e00-\u9fff])")
_SAYS_NOTHING = re.compile(r"(?:更多|more|首页|home|index|列表|list|rss|订阅|\W)*", re.I)
# by domain
_CLASSES = {"gov": MediaClass.OFFICIAL, "mil": MediaClass.OFFICIAL, "edu": MediaClass.LOCAL, "ac": MediaClass.LOCAL}
_KINDS = {PageType.BLOG: MediaClass.BLOG, PageType.FORUM: MediaClass.FORUM}  # by the type of most articles


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed site; the last of its channels are the new ones, in the order of ``lists``."""

    site: Site
    lists: tuple[ReadList, ...]
    is_new: bool

    def pairs(self) -> Iterator[tuple[Channel, ReadList]]:
        """Each new channel with its list."""
        return zip(self.site.channels[-len(self.lists) :], self.lists, strict=True)


def propose_channels(sites: Iterable[Sequence[ReadList]], stored: Collection[Site]) -> list[Proposal]:
    """The lists of each domain as channels of the known site on their host, else of a new one.

    Every proposed site has been read back from its TOML, so ``scrapy sites add`` accepts it.
    """
    owners = {_server(url): site for site in stored for url in (*(channel.url for channel in site.channels), site.home)}
    names = {site.name for site in stored}
    lists_of: dict[Site | int, list[ReadList]] = {}  # a watched site, or the number of a domain
    for number, lists in enumerate(sites):
        for listed in lists:
            lists_of.setdefault(owners.get(_server(listed.url), number), []).append(listed)
    proposed: list[Proposal] = []
    for owner, own in lists_of.items():
        watched = owner if isinstance(owner, Site) else None
        site = _checked(_extended(watched, own) if watched else _new(own, names))
        names.add(site.name)
        proposed.append(Proposal(site, tuple(own), watched is None))
    return proposed


def proposals_table(proposed: Iterable[Proposal]) -> Iterator[str]:
    """Lines of at most 80 columns: a header, then each site with its new channels; long values are cut."""
    yield cells_line([head for head, _ in COLUMNS], COLUMNS)
    for proposal in proposed:
        site, more = proposal.site, len(proposal.lists)
        status = (
            f"new: weight {site.weight}, {site.media_class}"
            if proposal.is_new
            else f"watched: {more} channel{'s'[: more > 1]} more"
        )
        yield ""
        yield fit_columns(f"{site.name}  ({status})", SCREEN_WIDTH).rstrip()
        for channel, listed in proposal.pairs():
            a_day = "-" if listed.a_day is None else f"{listed.a_day:.1f}"
            shares = (f"{listed.share:.2f}", f"{listed.least_share:.2f}", f"{len(listed.kept)}/{listed.read}")
            yield cells_line(
                [f"  {channel.name}", str(channel.weight), *shares, a_day, f"{listed.original:.0%}"], COLUMNS
            )
            yield fit_columns(f"    {channel.url}", SCREEN_WIDTH).rstrip()


def proposal_record(proposal: Proposal, channel: Channel, listed: ReadList) -> dict[str, Any]:
    return {
        "site": proposal.site.name,
        "new": proposal.is_new,
        "name": channel.name,
        "url": channel.url,
        "kind": str(channel.kind),
        "weight": channel.weight,
        "share": round(listed.share, 4),
        "least_share": round(listed.least_share, 4),
        "on_topic": len(listed.kept),
        "read": listed.read,
        "shown": len(listed.shown),
        "a_day": None if listed.a_day is None else round(listed.a_day, 3),
        "original": round(listed.original, 4),
    }


def _checked(site: Site) -> Site:
    return load_site(site_toml(site), site.name)


def _extended(site: Site, lists: Sequence[ReadList]) -> Site:
    named = _named(lists, {channel.name for channel in site.channels})
    return replace(site, channels=(*site.channels, *(_channel(listed, name) for listed, name in named)))


def _new(lists: Sequence[ReadList], names: Collection[str]) -> Site:
    """The site of these lists, on the host of most of them; named after the common end of their titles, else the
    host."""
    host, _ = Counter(host_of(listed.url) for listed in lists).most_common(1)[0]
    home = f"{urlsplit(next(listed.url for listed in lists if host_of(listed.url) == host)).scheme}://{host}/"
    channels = tuple(_channel(listed, name) for listed, name in _named(lists, ()))
    weight = max(channel.weight for channel in channels)
    bare = from_home(home)
    name = _free(_clean(_common(lists)).lstrip("- ") or bare.name, names)
    return replace(
        bare, name=name, weight=weight, media_class=_class(host, lists), channels=channels, note=_note(lists)
    )


def _channel(listed: ReadList, name: str) -> Channel:
    home = urlsplit(listed.url).path in ("", "/") and "?" not in listed.url
    kind = ChannelKind.FEED if listed.kind is PageType.FEED else ChannelKind.HOME if home else ChannelKind.LIST
    return Channel(name, listed.url, listed.weight, kind)


def _class(host: str, lists: Sequence[ReadList]) -> MediaClass:
    """The media class by domain, page types and topic share; else a portal."""
    by_domain = next((_CLASSES[label] for label in site_domain(host).split(".")[1:] if label in _CLASSES), None)
    if by_domain is not None:
        return by_domain
    kinds = Counter(article.kind for listed in lists for article in listed.kept.values())
    kind, most = kinds.most_common(1)[0]
    if kind in _KINDS and 2 * most > kinds.total():
        return _KINDS[kind]
    return (
        MediaClass.TRADE
        if sum(kinds.values()) >= TRADE_SHARE * sum(listed.read for listed in lists)
        else MediaClass.PORTAL
    )


def _note(lists: Sequence[ReadList]) -> str:
    on_topic, read = sum(len(listed.kept) for listed in lists), sum(listed.read for listed in lists)
    original = sum(article.original for listed in lists for article in listed.kept.values())
    return (
        f"Found by exploring: {on_topic} of {read} articles of its lists that were read are on topic;"
        f" {original} of these are original."
    )


def _common(lists: Sequence[ReadList]) -> str:
    """The last part that the titles of several lists have in common; empty if there is none."""
    first, *others = map(_parts, lists)
    common = [part for part in first if all(part in parts for parts in others)] if others else []
    return common[-1] if common else ""


def _parts(listed: ReadList) -> list[str]:
    """The parts of a title: the names of page, section and site, in any order."""
    return [part for part in _SEPARATOR.split(" ".join(listed.title.split())) if part]


def _named(lists: Sequence[ReadList], used_names: Collection[str]) -> Iterator[tuple[ReadList, str]]:
    """Each list with a unique name: the distinct part of its title, else its anchor text, else its path."""
    parts = {listed.url: _parts(listed) for listed in lists}
    common = Counter(part for title_parts in parts.values() for part in dict.fromkeys(title_parts))
    names = set(used_names)
    for listed in lists:
        own = [part for part in parts[listed.url] if common[part] < max(2, len(lists))]
        candidates = (*own[:1], listed.anchor, *parts[listed.url][:1], urlsplit(listed.url).path)
        name = _free(
            next((name for name in map(_clean, candidates) if not _SAYS_NOTHING.fullmatch(name)), "list"), names
        )
        names.add(name)
        yield listed, name


def _server(url: str) -> str:
    return host_of(url).removeprefix("www.")


def _clean(text: str) -> str:
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())[:LONGEST_NAME].strip()


def _free(name: str, used_names: Collection[str]) -> str:
    """The name, followed by a number if it is taken."""
    return next(free for free in chain([name], (f"{name} {number}" for number in count(2))) if free not in used_names)
