"""A watched site: its weight, delay and channels, and the rules for its pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

from ada_url import idna_to_unicode

from newsspider.core.model import NO_RULES
from newsspider.core.url import host_of
from newsspider.sites.field_types import (
    LEAST_WEIGHT,
    MOST_WEIGHT,
    STRICT,
    Channels,
    Delay,
    Items,
    ListUrl,
    Name,
    Pattern,
    Place,
    Regions,
    SiteName,
    Switch,
    Text,
    WebUrl,
    Weight,
    XPath,
    XPaths,
    must_be,
)

_HOST = re.compile(r"(.*?)(:\d+)?$")
HOME_WEIGHT = 5  # of a site of which only the home page is known


class MediaClass(StrEnum):
    """The kind of publisher."""

    CENTRAL = "central"
    PORTAL = "portal"
    LOCAL = "local"
    TRADE = "trade"
    COLUMN = "column"
    BLOG = "blog"
    FORUM = "forum"
    OFFICIAL = "official"


class ChannelKind(StrEnum):
    """How a channel's page lists its articles."""

    HOME = "home"
    CHANNEL = "channel"
    LIST = "list"
    ROLLING = "rolling"
    FEED = "feed"
    SITEMAP = "sitemap"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Channel:
    """One page that lists articles. ``regions`` and ``next_page`` are XPaths, ``items`` a JMESPath."""

    __pydantic_config__ = STRICT
    name: Name
    url: ListUrl
    weight: Weight
    kind: Annotated[ChannelKind, must_be(f"one of {', '.join(ChannelKind)}")] = ChannelKind.CHANNEL
    regions: Regions = ()
    next_page: XPath | None = None
    items: Items | None = None  # of an answer in JSON: its list of objects


@dataclass(frozen=True, slots=True)
class Site:
    """One watched site. ``delay_seconds`` is the time between two requests; ``None``: the host policy decides."""

    __pydantic_config__ = STRICT
    name: SiteName
    home: WebUrl
    weight: Weight
    media_class: Annotated[MediaClass, must_be(f"one of {', '.join(MediaClass)}")]
    channels: Annotated[tuple[Channel, ...], Channels]
    delay_seconds: Delay | None = None
    delay_reason: Text = ""
    article_url: Pattern | None = None  # searched in the URLs of links
    rules: XPaths = NO_RULES
    render: Switch = False  # a browser runs the scripts of its pages
    enabled: Switch = True
    region: Place = ""  # the province or city that it is of
    note: Text = ""  # why this weight

    def channel(self, name: str) -> Channel | None:
        """Its channel of this name, if it has one."""
        return next((channel for channel in self.channels if channel.name == name), None)


def from_home(url: str) -> Site:
    """The site of which only a URL is known: named after its host, with that page as its only channel.

    >>> from_home("http://edu.example.cn/").name, from_home("http://xn--fiq228c.xn--fiqs8s:8080/").name
    ('edu.example.cn', '中文.中国:8080')
    """
    host, port = _HOST.match(host_of(url)).groups("")  # type: ignore[union-attr]
    name = (idna_to_unicode(host) + port).lstrip("-") or "site"
    home = Channel("首页", url, HOME_WEIGHT, ChannelKind.HOME)
    return Site(name, url, HOME_WEIGHT, MediaClass.PORTAL, (home,))


def reweight_site(site: Site, weight: int) -> Site:
    """The site with another weight; the weights of its channels change by as much, within the limits."""
    channels = tuple(
        replace(channel, weight=min(max(channel.weight + weight - site.weight, LEAST_WEIGHT), MOST_WEIGHT))
        for channel in site.channels
    )
    return replace(site, weight=weight, channels=channels)
