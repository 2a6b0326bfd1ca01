"""Reads feeds (RSS 0.9 to 2.0, RDF, Atom) and sitemaps (XML, index, news, gzip, text) as lists of links.

XML that is broken, in a wrong charset or hostile is a case: the parser recovers, expands no entity of the document's own and
never goes to the network; what cannot be read gives nothing.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from html import unescape

from lxml import etree

from newsspider.core.listing.lists import full_date
from newsspider.core.model import Kind, Link, LinkKind, Region
from newsspider.core.reading.charset import decode
from newsspider.core.url import absolute

MOST_URLS = 50_000  # of one sitemap, by its protocol
UNPACKED_LIMIT = 50 * 1024 * 1024  # bytes of a sitemap, by its protocol

_FEED_ROOTS = frozenset(("rss", "rdf", "feed", "channel"))
_SITEMAP_ROOTS = frozenset(("urlset", "sitemapindex"))
_FEED_DATES = ("pubdate", "published", "date", "issued", "created", "updated", "modified")
_HEAD = 4096  # characters in which a document says what it is
_HTML = re.compile(rb"<(?:!doctype\s+)?html\b", re.I)
_HTML_HEAD = 1024  # bytes in which a page says that it is one
_ROOT = re.compile(rb"<(?![?!])(?:[A-Za-z_][\w.-]*:)?([A-Za-z]+)")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.I | re.S)
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#[xX][0-9a-fA-F]+);)([A-Za-z][A-Za-z0-9]*;)?")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_MARKUP = re.compile(r"<[^<>]*>")
_ZONES = {
    "CST": "+0800",
    "BJT": "+0800",
    "北京时间": "+0800",
}  # e-mail's CST is Chicago's; in Chinese feeds it is China's
_ZONE_NAME = re.compile("|".join(_ZONES))
_ISO = re.compile(
    r"(\d{4})-(\d\d?)(?:-(\d\d?))?(?:[T ]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?", re.I
)
_CHINA = timezone(timedelta(hours=8), "Asia/Shanghai")


@dataclass(frozen=True, slots=True)
class Sitemap:
    """One sitemap: the pages it lists and the sitemaps it lists."""

    urls: tuple[Link, ...] = ()
    sitemaps: tuple[str, ...] = ()


def is_html(body: bytes) -> bool:
    """Whether a document says that it is HTML.

    >>> is_html(b"<!DOCTYPE html><p>x"), is_html(b"http://a.cn/1.html"), is_html(b"<?xml version='1.0'?><urlset/>")
    (True, False, False)
    """
    return _HTML.search(body, 0, _HTML_HEAD) is not None


def read_feed(body: bytes, url: str) -> tuple[Link, ...]:
    """The entries of a feed as article links, in its order, each URL once; empty if it is no feed."""
    root = _root(body)
    if root is None or _name(root) not in _FEED_ROOTS:
        return ()
    found: dict[str, Link] = {}
    for entry in root.iter():
        if _name(entry) not in ("item", "entry"):
            continue
        target = _target(entry, url)
        if target is not None:
            dates = {_name(child): child for child in entry}
            moment = next((at for name in _FEED_DATES if name in dates and (at := moment_of(_text(dates[name])))), None)
            title = _plain(_text(dates["title"])) if "title" in dates else ""
            found.setdefault(target, Link(target, title, LinkKind.ARTICLE, Region.MAIN, moment))
    return tuple(found.values())


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """What a sitemap lists, at most 50,000 URLs; of a news sitemap with titles and publication dates.

    ``<lastmod>`` is not a publication date and is left out.
    """
    body = _unpacked(body)
    if _first_tag(body) is None:
        return Sitemap(tuple(_text_links(body)))
    root = _root(body)
    if root is None or _name(root) in _FEED_ROOTS:
        return Sitemap(read_feed(body, url))  # the protocol allows a feed as a sitemap
    links: dict[str, Link] = {}
    sitemaps: dict[str, None] = {}
    for entry in root.iter():
        name = _name(entry)
        if name not in ("url", "sitemap") or len(links) + len(sitemaps) >= MOST_URLS:
            continue
        target = _absolute(next((_text(child) for child in entry if _name(child) == "loc"), entry.text or ""), url)
        if target is not None and name == "sitemap":
            sitemaps.setdefault(target)
        elif target is not None:
            links.setdefault(target, _sitemap_link(entry, target))
    return Sitemap(tuple(links.values()), tuple(sitemaps))


def document_kind(body: bytes, content_type: str | None = None) -> Kind | None:
    """``FEED`` or ``SITEMAP`` by the first tag of the document, ``None`` for all others; the bytes win over the header.

    A gzipped body is looked into. A text sitemap has no sign of its own: its channel must say what it is.
    """
    root = _first_tag(_unpacked(body, 64 * 1024))
    if root == "channel" and "xml" not in (content_type or "xml"):
        return None
    return Kind.FEED if root in _FEED_ROOTS else Kind.SITEMAP if root in _SITEMAP_ROOTS else None


def moment_of(text: str) -> datetime | None:
    """The moment that a feed or sitemap writes: RFC 822, ISO 8601 or a Chinese form; without a zone, it is Chinese time.

    >>> moment_of("Fri, 17 May 2024 08:30:00 GMT").isoformat(), moment_of("2024-05-17").isoformat()
    ('2024-05-17T08:30:00+00:00', '2024-05-17T00:00:00+08:00')
    """
    text = text.strip()
    try:
        if found := _ISO.match(text):
            year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
            return datetime(year, month, day or 1, hour, minute, min(second, 59), tzinfo=_zone(found[7]))
        moment = parsedate_to_datetime(_ZONE_NAME.sub(lambda zone: _ZONES[zone[0]], text))
        return moment if moment.tzinfo else moment.replace(tzinfo=_CHINA)
    except (ValueError, OverflowError, TypeError, IndexError):
        return full_date(text)


def _zone(text: str | None) -> timezone:
    if text is None:
        return _CHINA
    if text in "Zz":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))


def _unpacked(body: bytes, limit: int = UNPACKED_LIMIT) -> bytes:
    """A gzipped body without its packing, as far as it can be read, up to a limit."""
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        return zlib.decompressobj(wbits=31).decompress(body, limit)
    except zlib.error:
        return b""


def _first_tag(body: bytes) -> str | None:
    """The name of the first element, without its prefix, in lower case."""
    head = body[:_HEAD]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.replace(b"\x00", b"")
    head = re.sub(rb"<!--.*?-->", b"", head, flags=re.S)
    found = _ROOT.search(head)
    return found[1].decode("ascii").lower() if found else None


def _root(body: bytes) -> etree._Element | None:
    """The root of an XML document; entities of HTML are resolved, its own stand as they are written: none can expand."""
    text = _DECLARATION.sub("", _CONTROL.sub("", decode(body).text.lstrip("\ufeff")))
    doctype = _DOCTYPE.search(text, 0, _HEAD)
    text = text[doctype.end() :] if doctype else text
    text = _ENTITY.sub(lambda found: _named_entity(found[1]), text.strip())
    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        encoding="utf-8",
        strip_cdata=True,
    )
    try:
        return etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None


def _named_entity(name: str | None) -> str:
    known = unescape(f"&{name}") if name else "&"
    return "&amp;" + (name or "") if known.startswith("&") else known


def _name(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(element.tag, str) else ""


def _text(element: etree._Element) -> str:
    return "".join(str(part) for part in element.itertext()).strip()


def _plain(text: str) -> str:
    """A title without markup; feeds escape it once or twice."""
    return " ".join(unescape(_MARKUP.sub("", unescape(text))).split())


def _target(entry: etree._Element, url: str) -> str | None:
    """Where an entry leads: Atom's alternate link, RSS's <link>, a permanent <guid>, at last any web address."""
    for child in entry:
        if _name(child) == "link" and child.get("href") and child.get("rel", "alternate") == "alternate":
            return _absolute(str(child.get("href")), url)
    guids = []
    for name in ("link", "origlink", "guid", "id"):
        for child in entry:
            text = _text(child) if _name(child) == name else ""
            if text.startswith(("http://", "https://")) or (text and name in ("link", "origlink")):
                if str(child.get("isPermaLink", "true")).lower() != "false":
                    return _absolute(text, url)
                guids.append(text)
    about = next((str(value) for key, value in entry.attrib.items() if str(key).endswith("about")), "")
    guids += [about] if about.startswith(("http://", "https://")) else []
    return _absolute(guids[0], url) if guids else None


def _absolute(href: str, url: str) -> str | None:
    return absolute(url, told) if (told := href.strip()) else None


def _sitemap_link(entry: etree._Element, target: str) -> Link:
    title, moment = "", None
    for element in entry.iter():
        if "/sitemap-news/" not in str(element.tag) and not str(element.tag).startswith("news:"):
            continue
        if _name(element) == "title":
            title = _plain(_text(element))
        elif _name(element) == "publication_date":
            moment = moment_of(_text(element))
    return Link(target, title, LinkKind.ARTICLE, Region.MAIN, moment)


def _text_links(body: bytes) -> Iterator[Link]:
    lines = decode(body).text.lstrip("\ufeff").split()
    for line in dict.fromkeys(lines[: MOST_URLS * 2]):
        if line.startswith(("http://", "https://")):
            yield Link(line, "", LinkKind.ARTICLE)
