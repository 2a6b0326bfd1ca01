"""Sites as OPML 2.0 (http://opml.org/spec2.opml), the format in which feed readers exchange subscriptions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, tostring

from lxml import etree

from newsspider.core.text.characters import printable
from newsspider.core.url import canonical, host_of
from newsspider.sites.field_types import LONGEST_NAME
from newsspider.sites.loader import SiteError, load_site, site_toml
from newsspider.sites.model import HOME_WEIGHT, Channel, ChannelKind, MediaClass, Site, from_home

MOST_OUTLINES = 10_000
DEEPEST_OUTLINE = 20  # folders in each other

_KINDS = {"rss": ChannelKind.FEED, "link": ChannelKind.CHANNEL}
_FEED_SCHEME = re.compile(r"feed:(?://)?(?=https?:)|feed:(//)", re.IGNORECASE)


def opml_of(sites: Iterable[Site]) -> bytes:
    """Each site as a folder of its channels: feeds as ``rss``, other lists as ``link``."""
    root, body = opml_head("newsspider")
    for site in sites:
        folder = SubElement(body, "outline", text=printable(site.name), htmlUrl=site.home)
        for channel in site.channels:
            if channel.kind is ChannelKind.FEED:
                SubElement(folder, "outline", type="rss", text=printable(channel.name), xmlUrl=channel.url)
            else:
                SubElement(folder, "outline", type="link", text=printable(channel.name), url=channel.url)
    return opml_text(root)


def opml_head(title: str) -> tuple[Element, Element]:
    """A document of this title, and the element that its outlines go into."""
    root = Element("opml", version="2.0")
    SubElement(SubElement(root, "head"), "title").text = printable(title)
    return root, SubElement(root, "body")


def opml_text(root: Element) -> bytes:
    """The document as it is sent or written."""
    return bytes(tostring(root, "utf-8", xml_declaration=True))


def sites_in(document: bytes, origin: str) -> list[Site]:
    """The sites of an OPML document: its feeds and links by the site of their home page. A folder with a ``htmlUrl`` is
    a site of that name, as :func:`opml_of` writes it; :exc:`SiteError` says what is wrong."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(document, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SiteError(origin, "opml", f"it is not XML: {error}") from None
    if root.tag != "opml":
        raise SiteError(origin, "opml", "its root is not <opml>")
    gathered: dict[str, Site] = {}
    channels: defaultdict[str, list[Channel]] = defaultdict(list)
    for count, (name, home, channel) in enumerate(_channels(root.find("body"), "", "", 0), 1):
        if count > MOST_OUTLINES:
            raise SiteError(origin, "opml", f"it has more than {MOST_OUTLINES:,} feeds")
        host = host_of(home)
        if host not in gathered:
            gathered[host] = Site(name or from_home(home).name, home, HOME_WEIGHT, MediaClass.PORTAL, ())
        channels[host].append(channel)
    if not gathered:
        raise SiteError(origin, "opml", "it has no outline with an xmlUrl of http or https")
    names: set[str] = set()
    grown = (with_channels(with_free_name(site, names), channels[host]) for host, site in gathered.items())
    return [load_site(site_toml(site), origin) for site in grown]


def merged(registered: Iterable[Site], new: Iterable[Site]) -> Iterator[Site]:
    """The sites to store: a registered site of the same host with the channels that it lacks, if it lacks any, else a
    new site. A new site whose name is taken is named after its host."""
    by_host: dict[str, Site] = {}
    names: set[str] = set()
    for site in registered:
        by_host.setdefault(host_of(site.home), site)
        names.add(site.name)
    for site in new:
        host = host_of(site.home)
        old = by_host.get(host)
        grown = with_free_name(site, names) if old is None else with_channels(old, site.channels)
        by_host[host] = grown
        if grown != old:
            yield grown


def with_channels(site: Site, channels: Iterable[Channel]) -> Site:
    """The site with those of the channels whose URLs it lacks; each gets a unique name."""
    urls, names = {canonical(listed.url) for listed in site.channels}, {listed.name for listed in site.channels}
    numbers: Counter[str] = Counter()
    added = []
    for channel in channels:
        name = channel.name
        while channel.url not in urls and name in names:
            numbers[channel.name] += 1
            name = f"{channel.name[: LONGEST_NAME - 6]} {numbers[channel.name] + 1}"
        if channel.url not in urls:
            added.append(replace(channel, name=name))
            names.add(name)
            urls.add(channel.url)
    return replace(site, channels=(*site.channels, *added)) if added else site


def _channels(body: etree._Element | None, name: str, home: str, depth: int) -> Iterator[tuple[str, str, Channel]]:
    """Each feed and link below an outline, with the name and home page of its site; the name may be empty."""
    for outline in () if body is None or depth > DEEPEST_OUTLINE else body.iterchildren("outline"):
        title = _title(outline.get("text") or outline.get("title") or "")
        page = canonical((outline.get("htmlUrl") or "").strip())
        kind = ChannelKind.FEED if outline.get("xmlUrl") else _KINDS.get((outline.get("type") or "").lower())
        url = (
            canonical(_FEED_SCHEME.sub(_http, (outline.get("xmlUrl") or outline.get("url") or "").strip()))
            if kind is not None
            else None
        )
        if url is not None and kind is not None:
            own = home or page or "{0.scheme}://{0.netloc}/".format(urlsplit(url))
            kind = ChannelKind.HOME if url == own else kind
            site_name = name if home else title.lstrip("- ")
            yield site_name, own, Channel(title or host_of(url), url, HOME_WEIGHT, kind)
        elif page is not None and not home:
            yield from _channels(outline, title.lstrip("- "), page, depth + 1)
        else:
            yield from _channels(outline, name, home, depth + 1)


def _http(scheme: re.Match[str]) -> str:
    """What stands for the scheme of a feed reader: nothing before a whole URL."""
    return "http://" if scheme[1] else ""


def _title(text: str) -> str:
    """The text as a channel may be called: on one line, without the characters that join an emoji and other unseen
    ones."""
    return "".join(filter(str.isprintable, " ".join(text.split())))[:LONGEST_NAME].strip()


def with_free_name(site: Site, names: set[str]) -> Site:
    """The site, named after its host if its name is among ``names``; adds its name to them."""
    name, number = site.name if site.name not in names else from_home(site.home).name, 2
    while name in names:
        name, number = f"{from_home(site.home).name[: LONGEST_NAME - 6]} {number}", number + 1
    names.add(name)
    return replace(site, name=name)
