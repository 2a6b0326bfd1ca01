"""Sites as OPML 2.0 (http://opml.org/spec2.opml), the format in which feed readers hand over what they follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, tostring

from lxml import etree

from newsspider.core.text.characters import printable
from newsspider.core.url import canonical, host_of
from newsspider.sites.field_types import LONGEST_NAME
from newsspider.sites.loader import BadSite, load_site, site_toml
from newsspider.sites.model import HOME_WEIGHT, Channel, ChannelKind, MediaClass, Site, from_home

MOST_OUTLINES = 10_000
DEEPEST = 20  # folders in each other

_KINDS = {"rss": ChannelKind.FEED, "link": ChannelKind.CHANNEL}


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
    a site of that name, as :func:`opml_of` writes it; :exc:`BadSite` says what is wrong."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(document, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise BadSite(origin, "opml", f"it is not XML: {error}") from None
    if root.tag != "opml":
        raise BadSite(origin, "opml", "its root is not <opml>")
    gathered: dict[str, Site] = {}
    for count, (name, home, channel) in enumerate(_channels(root.find("body"), "", "", 0), 1):
        if count > MOST_OUTLINES:
            raise BadSite(origin, "opml", f"it has more than {MOST_OUTLINES:,} feeds")
        named = name or from_home(home).name
        site = gathered.get(host_of(home)) or Site(named, home, HOME_WEIGHT, MediaClass.PORTAL, ())
        gathered[host_of(home)] = with_channel(site, channel)
    if not gathered:
        raise BadSite(origin, "opml", "it has no outline with an xmlUrl of http or https")
    return [load_site(site_toml(site), origin) for site in _with_names(gathered.values())]


def merged(registered: Sequence[Site], new: Iterable[Site]) -> Iterator[Site]:
    """The sites as they are to be: one that is registered, by its host or its name, keeps all that it has and gets the
    channels that it lacks; those that lack none are left out."""
    for site in new:
        old = next((one for one in registered if host_of(one.home) == host_of(site.home)), None)
        old = old or next((one for one in registered if one.name == site.name), None)
        grown = site if old is None else old
        for channel in site.channels:
            grown = with_channel(grown, channel)
        if grown != old:
            yield grown


def with_channel(site: Site, channel: Channel) -> Site:
    """The site with one more channel, unless it has its URL; two have not one name."""
    if channel.url in (canonical(one.url) for one in site.channels):
        return site
    names, name, number = {one.name for one in site.channels}, channel.name, 2
    while name in names:
        name, number = f"{channel.name[: LONGEST_NAME - 4]} {number}", number + 1
    return replace(site, channels=(*site.channels, replace(channel, name=name)))


def _channels(body: etree._Element | None, name: str, home: str, depth: int) -> Iterator[tuple[str, str, Channel]]:
    """Each feed and link below an outline, with the name and home page of its site; the name may be empty."""
    for outline in () if body is None or depth > DEEPEST else body.iterchildren("outline"):
        said = " ".join(printable(outline.get("text") or outline.get("title") or "").split())[:LONGEST_NAME]
        page = canonical((outline.get("htmlUrl") or "").strip())
        kind = ChannelKind.FEED if outline.get("xmlUrl") else _KINDS.get((outline.get("type") or "").lower())
        url = canonical((outline.get("xmlUrl") or outline.get("url") or "").strip()) if kind is not None else None
        if url is not None and kind is not None:
            own = home or page or "{0.scheme}://{0.netloc}/".format(urlsplit(url))
            kind = ChannelKind.HOME if url == own else kind
            yield name if home else said, own, Channel(said or host_of(url), url, HOME_WEIGHT, kind)
        elif page is not None and not home:
            yield from _channels(outline, said, page, depth + 1)
        else:
            yield from _channels(outline, name, home, depth + 1)


def _with_names(sites: Iterable[Site]) -> Iterator[Site]:
    """The sites; of two that say one name the second is called by its host."""
    names: set[str] = set()
    for site in sites:
        name = from_home(site.home).name if site.name in names else site.name
        names.add(name)
        yield replace(site, name=name)
