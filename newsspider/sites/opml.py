"""Sites as OPML 2.0 (http://opml.org/spec2.opml), the format in which feed readers exchange subscriptions, and as the
JSON lists of others. A folder with the name of a region holds the sites of that region."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, tostring

from lxml import etree

from newsspider.core.text.characters import printable_text
from newsspider.core.text.regions import region_name
from newsspider.core.url import canonical, host_of
from newsspider.sites.field_types import LONGEST_NAME
from newsspider.sites.loader import SiteError, load_site, site_toml
from newsspider.sites.model import HOME_WEIGHT, Channel, ChannelKind, MediaClass, Site, from_home
from newsspider.sites.rsshub_urls import door_url, web_url

MOST_OUTLINES = 10_000
DEEPEST_OUTLINE = 20  # folders in each other

_KINDS = {"rss": ChannelKind.FEED, "link": ChannelKind.CHANNEL}
_JSON_LISTS = ("subscriptions", "feeds", "items")  # where an object holds the list
_JSON_FEEDS = ("feed_url", "feedUrl", "xmlUrl", "url", "feedId", "id")
_JSON_HOMES = ("site_url", "htmlUrl", "website", "link")

Found = tuple[str, str, str, Channel]  # the name, home page and region of its site, and a channel


def opml_of(sites: Iterable[Site]) -> bytes:
    """Each site as a folder of its channels, in that of its region: feeds as ``rss``, other lists as ``link``."""
    root, body = opml_head("newsspider")
    regions: dict[str, Element] = {"": body}
    for site in sites:
        if site.region not in regions:
            regions[site.region] = SubElement(body, "outline", text=site.region)
        folder = SubElement(regions[site.region], "outline", text=printable_text(site.name), htmlUrl=site.home)
        for channel in site.channels:
            if channel.kind is ChannelKind.FEED:
                SubElement(
                    folder, "outline", type="rss", text=printable_text(channel.name), xmlUrl=door_url(channel.url)
                )
            else:
                SubElement(folder, "outline", type="link", text=printable_text(channel.name), url=door_url(channel.url))
    return opml_text(root)


def opml_head(title: str) -> tuple[Element, Element]:
    """A document of this title, and the element that its outlines go into."""
    root = Element("opml", version="2.0")
    SubElement(SubElement(root, "head"), "title").text = printable_text(title)
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
    sites = _gathered(_channels(root.find("body"), "", "", "", 0), origin, "opml")
    if not sites:
        raise SiteError(origin, "opml", "it has no outline with an xmlUrl of http or https")
    return sites


def sites_in_json(document: bytes, origin: str) -> list[Site]:
    """The sites of a JSON list of subscriptions, as Miniflux, FreshRSS, Inoreader and Feedly write it, and
    :func:`json_of`; :exc:`SiteError` says what is wrong."""
    try:
        value = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise SiteError(origin, "json", f"it is not JSON: {error}") from None
    if isinstance(value, dict):
        value = next((value[key] for key in _JSON_LISTS if isinstance(value.get(key), list)), value)
    objects = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    sites = _gathered(filter(None, map(_subscription, objects)), origin, "json")
    if not sites:
        raise SiteError(origin, "json", f"it has no object with {', '.join(_JSON_FEEDS)} of http or https")
    return sites


def json_of(sites: Iterable[Site]) -> str:
    """The channels of the sites as a JSON list of subscriptions, in the form of Miniflux."""
    feeds = [
        {
            "title": channel.name,
            "feed_url": door_url(channel.url),
            "site_url": site.home,
            "site_name": site.name,
            "kind": str(channel.kind),
            "category": {"title": site.region},
        }
        for site in sites
        for channel in site.channels
    ]
    return json.dumps(feeds, ensure_ascii=False, indent=1) + "\n"


def _gathered(found: Iterable[Found], origin: str, key: str) -> list[Site]:
    """The sites to which channels belong: one for each host of a home page."""
    gathered: dict[str, Site] = {}
    channels: defaultdict[str, list[Channel]] = defaultdict(list)
    for count, (name, home, region, channel) in enumerate(found, 1):
        if count > MOST_OUTLINES:
            raise SiteError(origin, key, f"it has more than {MOST_OUTLINES:,} feeds")
        host = host_of(home)
        if host not in gathered:
            site_name = name or from_home(home).name
            gathered[host] = Site(site_name, home, HOME_WEIGHT, MediaClass.PORTAL, (), region=region)
        channels[host].append(channel)
    names: set[str] = set()
    grown = (with_channels(with_free_name(site, names), channels[host]) for host, site in gathered.items())
    return [load_site(site_toml(site), origin) for site in grown]


def merge_sites(registered: Iterable[Site], new: Iterable[Site]) -> Iterator[Site]:
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


def _channels(body: etree._Element | None, name: str, home: str, region: str, depth: int) -> Iterator[Found]:
    """Each feed and link below an outline, with the name, home page and region of its site; name and region may be
    empty."""
    for outline in () if body is None or depth > DEEPEST_OUTLINE else body.iterchildren("outline"):
        title = _title(outline.get("text") or outline.get("title") or "")
        page = canonical((outline.get("htmlUrl") or "").strip())
        kind = ChannelKind.FEED if outline.get("xmlUrl") else _KINDS.get((outline.get("type") or "").lower())
        url = (
            canonical(web_url((outline.get("xmlUrl") or outline.get("url") or "").strip()))
            if kind is not None
            else None
        )
        if url is not None and kind is not None:
            own = home or page or _front(url)
            kind = ChannelKind.HOME if url == own else kind
            site_name = name if home else title.lstrip("- ")
            yield site_name, own, region, Channel(title or host_of(url), url, HOME_WEIGHT, kind)
        elif page is not None and not home:
            yield from _channels(outline, title.lstrip("- "), page, region, depth + 1)
        else:
            yield from _channels(outline, name, home, _region(title) or region, depth + 1)


def _subscription(item: dict[str, Any]) -> Found | None:
    """The channel of an object of a JSON list; ``None`` if it has no address."""
    addresses = (str(item[key]).strip().removeprefix("feed/") for key in _JSON_FEEDS if item.get(key))
    url = next((url for address in addresses if (url := canonical(web_url(address)))), None)
    if url is None:
        return None
    home = next((page for key in _JSON_HOMES if (page := canonical(str(item.get(key) or "").strip()))), None)
    folders = item.get("categories") or item.get("category") or item.get("folder") or ()
    labels = (_label(folder) for folder in (folders if isinstance(folders, list) else [folders]))
    title = _title(str(next((item[key] for key in ("title", "text", "name") if item.get(key)), "")))
    own = home or _front(url)
    kind = ChannelKind(item["kind"]) if item.get("kind") in list(ChannelKind) else ChannelKind.FEED
    site_name = _title(str(item.get("site_name") or "")).lstrip("- ")
    region = next(filter(None, map(_region, labels)), "")
    return site_name, own, region, Channel(title or host_of(url), url, HOME_WEIGHT, kind)


def _label(folder: Any) -> str:
    """The name of a folder."""
    if isinstance(folder, dict):
        folder = folder.get("label") or folder.get("title") or folder.get("name") or ""
    return str(folder)


def _region(title: str) -> str:
    """The region of which this is the name, or nothing."""
    return (region_name(title.strip()) or "") if not title.strip().isdecimal() else ""


def _front(url: str) -> str:
    return "{0.scheme}://{0.netloc}/".format(urlsplit(url))


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
