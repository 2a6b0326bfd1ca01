"""Feed and sitemap parsing, as lists of links: RSS 0.9 to 2.0, RDF, Atom, the news XML of Baidu (<document> with
<webSite> and <item>s); XML, index, news, gzip and text sitemaps.

Broken or hostile XML and wrong charsets are expected: the parser recovers, expands no entities of the document and
never uses the network. Unreadable documents have no links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from newsspider.core.links.feed_entries import FEED_ROOTS, MOST_ENTRIES, MOST_URLS, TOO_MANY, WEB, Entries
from newsspider.core.links.feed_texts import FeedText
from newsspider.core.links.xml_stream import HEAD_CHARACTERS, PIECE_BYTES, ROOT, ends_early, read_xml, texts, unpacked
from newsspider.core.model import Link, LinkKind, PageType

LONGEST_LINE = 2 * PIECE_BYTES  # characters of a line of a text sitemap, which holds one URL

_SITEMAP_ROOTS = frozenset(("urlset", "sitemapindex"))
_HTML = re.compile(rb"<(?:!doctype\s+)?html\b", re.I)
_HTML_HEAD = 1024  # bytes in which the tag of an HTML page is
_DECLARATION = re.compile(rb"<\?xml\s")  # may follow the warnings of a PHP program
_KNOWN_ROOT = re.compile(ROOT.encode(), re.I)
_BAIDU = re.compile(rb"<(?:webSite|webMaster|updatePeri|item)\b", re.I)  # of Baidu's news XML, whose root says little
_ROOT = re.compile(rb"<(?![?!])(?:[A-Za-z_][\w.-]*:)?([A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class Sitemap:
    """One sitemap or feed: the pages and the sitemaps it lists; ``cut`` says why it was not read to its end. ``texts``:
    those of entries by URL, if they were asked for."""

    urls: tuple[Link, ...] = ()
    sitemaps: tuple[str, ...] = ()
    cut: str = ""
    texts: Mapping[str, FeedText] = field(default_factory=dict)


def is_html(body: bytes) -> bool:
    """Whether a document is declared to be HTML.

    >>> is_html(b"<!DOCTYPE html><p>x"), is_html(b"http://a.cn/1.html"), is_html(b"<?xml version='1.0'?><urlset/>")
    (True, False, False)
    """
    return _HTML.search(body, 0, _HTML_HEAD) is not None


def read_feed(body: bytes, url: str) -> tuple[Link, ...]:
    """The entries of a feed as article links in its order, each URL once, at most 50,000; empty if it is no feed."""
    return read_document(body, url, PageType.FEED).urls


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """The contents of a sitemap, at most 50,000 URLs, with the titles and dates of a news sitemap. ``<lastmod>`` is no
    date of publication."""
    return read_document(body, url, PageType.SITEMAP)


def read_document(body: bytes, url: str, kind: PageType, *, with_texts: bool = False) -> Sitemap:
    """The contents of a feed or sitemap. At most 50 MiB are read, as a stream that keeps only the links in memory."""
    if kind is PageType.SITEMAP and _first_tag(next(unpacked(body), b"")) is None:
        return _text_links(body)
    entries = Entries(url, feeds_only=kind is PageType.FEED, with_texts=with_texts)
    cut = read_xml(body, entries)
    return Sitemap(entries.links(), tuple(entries.sitemaps), cut or "", entries.texts)


def document_kind(body: bytes, content_type: str | None = None) -> PageType | None:
    """``FEED`` or ``SITEMAP`` by the first tag of a document, gzipped or not; ``None`` for all others.

    The content type counts only for documents that begin with ``<channel>``. A text sitemap cannot be recognised.
    """
    head = next(unpacked(body), b"")
    root = _first_tag(head)
    if root == "channel" and "xml" not in (content_type or "xml"):
        return None
    if root == "document" and _BAIDU.search(head.replace(b"\0", b""), 0, HEAD_CHARACTERS) is None:
        return None
    return PageType.FEED if root in FEED_ROOTS else PageType.SITEMAP if root in _SITEMAP_ROOTS else None


def _first_tag(body: bytes) -> str | None:
    """The name of the first element, without its prefix, in lower case."""
    head = body[:HEAD_CHARACTERS]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.replace(b"\x00", b"")
    head = re.sub(rb"<!--.*?-->", b"", head, flags=re.S)
    known = _KNOWN_ROOT.search(head)
    declaration = _DECLARATION.search(head, 0, known.start() if known else len(head))
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
    line = line.lstrip("\ufeff\ufffd")  # a byte order mark, perhaps decoded with another charset
    scheme, mark, rest = line.partition("://")
    return scheme.lower() + mark + rest if WEB.match(line) else None
