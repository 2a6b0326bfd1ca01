"""Feed and sitemap parsing: RSS 0.9 to 2.0, RDF, Atom; XML, index, news, gzip and text sitemaps, as lists of links.

XML that is broken, in a wrong charset or hostile is a case: the parser recovers, expands no entity of the document's
own and never goes to the network; what cannot be read gives nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from newsspider.core.links.feed_dates import moment_of
from newsspider.core.links.feed_entries import FEED_ROOTS, MOST_ENTRIES, MOST_URLS, TOO_MANY, WEB, Entries
from newsspider.core.links.xml_stream import HEAD, PIECE, ends_early, read_xml, texts, unpacked
from newsspider.core.model import Link, LinkKind, PageType

__all__ = ["Sitemap", "document_kind", "is_html", "moment_of", "read_document", "read_feed", "read_sitemap"]

LONGEST_LINE = 2 * PIECE  # characters of a sitemap of text, which has an address a line

_SITEMAP_ROOTS = frozenset(("urlset", "sitemapindex"))
_HTML = re.compile(rb"<(?:!doctype\s+)?html\b", re.I)
_HTML_HEAD = 1024  # bytes in which a page says that it is one
_DECLARATION = re.compile(rb"<\?xml\s")  # before it may stand what the program behind the page complains of
_ROOT = re.compile(rb"<(?![?!])(?:[A-Za-z_][\w.-]*:)?([A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class Sitemap:
    """One sitemap: the pages it lists and the sitemaps it lists; ``cut`` says what of it was left out."""

    urls: tuple[Link, ...] = ()
    sitemaps: tuple[str, ...] = ()
    cut: str = ""


def is_html(body: bytes) -> bool:
    """Whether a document says that it is HTML.

    >>> is_html(b"<!DOCTYPE html><p>x"), is_html(b"http://a.cn/1.html"), is_html(b"<?xml version='1.0'?><urlset/>")
    (True, False, False)
    """
    return _HTML.search(body, 0, _HTML_HEAD) is not None


def read_feed(body: bytes, url: str) -> tuple[Link, ...]:
    """The entries of a feed as article links, in its order, each URL once, at most 50,000; empty if it is no feed."""
    return read_document(body, url, PageType.FEED).urls


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """What a sitemap lists, at most 50,000 URLs, with the titles and dates of a news sitemap; ``<lastmod>`` is none."""
    return read_document(body, url, PageType.SITEMAP)


def read_document(body: bytes, url: str, kind: PageType) -> Sitemap:
    """What a feed or a sitemap lists, read as a stream: 50 MiB of it at most, in the memory of what it lists."""
    if kind is PageType.SITEMAP and _first_tag(next(unpacked(body), b"")) is None:
        return _text_links(body)
    entries = Entries(url, feeds_only=kind is PageType.FEED)
    cut = read_xml(body, entries)
    return Sitemap(entries.links(), tuple(entries.sitemaps), cut or "")


def document_kind(body: bytes, content_type: str | None = None) -> PageType | None:
    """``FEED`` or ``SITEMAP`` by the first tag of the document, ``None`` for all others; the bytes win over the header.

    A gzipped body is looked into. A text sitemap has no sign of its own: its channel must say what it is.
    """
    root = _first_tag(next(unpacked(body), b""))
    if root == "channel" and "xml" not in (content_type or "xml"):
        return None
    return PageType.FEED if root in FEED_ROOTS else PageType.SITEMAP if root in _SITEMAP_ROOTS else None


def _first_tag(body: bytes) -> str | None:
    """The name of the first element, without its prefix, in lower case."""
    head = body[:HEAD]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.replace(b"\x00", b"")
    head = re.sub(rb"<!--.*?-->", b"", head, flags=re.S)
    declaration = _DECLARATION.search(head)
    match = _ROOT.search(head, declaration.end() if declaration else 0)
    return match[1].decode("ascii").lower() if match else None


def _text_links(body: bytes) -> Sitemap:
    results: dict[str, Link] = {}
    rest, words = "", 0
    for text in texts(body):
        *lines, rest = re.split(r"\s+", (rest + text)[-LONGEST_LINE:])
        words += len(lines)
        results |= {
            line: Link(line, "", LinkKind.ARTICLE) for line in map(_web_address, lines) if line and line not in results
        }
        if len(results) > MOST_URLS or words > MOST_ENTRIES:
            return Sitemap(tuple(results.values())[:MOST_URLS], (), TOO_MANY)
    if line := _web_address(rest):
        results.setdefault(line, Link(line, "", LinkKind.ARTICLE))
    return Sitemap(tuple(results.values()), (), ends_early(body) or "")


def _web_address(line: str) -> str | None:
    line = line.lstrip("\ufeff\ufffd")  # a mark, or one that is not that of the charset
    scheme, mark, rest = line.partition("://")
    return scheme.lower() + mark + rest if WEB.match(line) else None
