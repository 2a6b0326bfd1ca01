"""Feed and sitemap parsing, as lists of links: RSS 0.9 to 2.0, RDF, Atom, the news XML of Baidu (<document> with
<webSite> and <item>s); XML, index, news, gzip and text sitemaps.

Broken or hostile XML and wrong charsets are expected: the parser recovers, expands no entities of the document and
never uses the network. Unreadable documents have no links. The text that an entry brings along serves where its page
cannot be had. ``core/dates/date_reader.py`` reads the moments of entries.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from html import escape, unescape
from typing import NamedTuple

from newsspider.core.dates.date_reader import feed_moment
from newsspider.core.links.xml_stream import (
    FEED_ROOTS,
    PIECE_BYTES,
    EnoughError,
    decoded_texts,
    ends_early,
    first_tag,
    read_xml,
    unpacked_body,
)
from newsspider.core.model import Link, LinkKind, PageType, Region
from newsspider.core.url import absolute

LEAST_CHARACTERS = 200  # of markup; less is a summary
LONGEST_HTML = 300_000  # characters of one entry
MOST_HTML = 6_000_000  # characters of all entries of a feed; later ones bring none
_STYLE = re.compile(r"""\sstyle\s*=\s*(?:"[^"]*"|'[^']*')""", re.IGNORECASE)
_PROXIED = re.compile(
    r"""(\ssrc\s*=\s*["'])[^"']*?/(?=https?://)""", re.IGNORECASE
)  # by the program that wrote the feed
_CDATA = re.compile(r"^\s*<!\[CDATA\[(.*)\]\]>\s*$", re.DOTALL)  # escaped, as text

MOST_URLS = 50_000  # of one sitemap, by its protocol
MOST_ENTRIES = 2 * MOST_URLS  # those of the same URL included
MOST_CHARACTERS = 10_000_000  # of addresses and titles
MOST_CHILDREN = 100  # of an entry, that are read
LONGEST_TEXT = 10_000  # characters of such a child
LONGEST_TITLE = 512
DEEPEST_ELEMENT = 1_000  # elements within each other: libxml2 reads 256
TOO_MANY = f"more than {MOST_URLS:,} entries"

BASE = "{http://www.w3.org/XML/1998/namespace}base"
FEED_DATES = ("pubdate", "published", "date", "issued", "created", "updated", "modified")
_TEXTS = ("encoded", "content", "description", "summary")  # the text of an entry, the fullest first
_AUTHORS = ("creator", "author")
_FEED_CHILDREN = frozenset(("title", "link", "origlink", "content", "guid", "id", *FEED_DATES))
_NEWS_CHILDREN = frozenset(("title", "publication_date"))
# Children that count only in the namespace of their entry: image:loc is that of a picture. So does the title, unless
# the entry has none: media:title may be that of a picture.
_OWN_CHILDREN = frozenset(("content", "loc"))
_ATTRIBUTES = ("href", "rel", "isPermaLink", "src", "type")  # that say where an entry leads
_MARKUP = re.compile(r"<[/!]?[A-Za-z-][^<>]*>")  # <b>, no <教师法>
WEB = re.compile("https?://", re.I)  # how the address of a page begins

LONGEST_LINE = 2 * PIECE_BYTES  # characters of a line of a text sitemap, which holds one URL


@dataclass(frozen=True, slots=True)
class Sitemap:
    """One sitemap or feed: the pages and the sitemaps it lists; ``cut`` says why it was not read to its end. ``texts``:
    those of entries by URL, if they were asked for."""

    urls: tuple[Link, ...] = ()
    sitemaps: tuple[str, ...] = ()
    cut: str = ""
    texts: Mapping[str, FeedText] = field(default_factory=dict)


def read_feed(body: bytes, url: str) -> tuple[Link, ...]:
    """The entries of a feed as article links in its order, each URL once, at most 50,000; empty if it is no feed."""
    return read_document(body, url, PageType.FEED).urls


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """The contents of a sitemap, at most 50,000 URLs, with the titles and dates of a news sitemap. ``<lastmod>`` is no
    date of publication. All sitemaps of an index are followed, however old; ``core/fetching/traps.py`` bounds them."""
    return read_document(body, url, PageType.SITEMAP)


def read_document(body: bytes, url: str, kind: PageType, *, with_texts: bool = False) -> Sitemap:
    """The contents of a feed or sitemap. At most 50 MiB are read, as a stream that keeps only the links in memory."""
    if kind is PageType.SITEMAP and first_tag(next(unpacked_body(body), b"")) is None:
        return _text_links(body)
    entries = Entries(url, feeds_only=kind is PageType.FEED, with_texts=with_texts)
    cut = read_xml(body, entries)
    return Sitemap(entries.links(), tuple(entries.sitemaps), cut or "", entries.texts)


def _text_links(body: bytes) -> Sitemap:
    results: dict[str, Link] = {}
    rest, words = "", 0
    for text in decoded_texts(body):
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


@dataclass(slots=True)
class _Child:
    """An element of an entry that is read; ``news``: it is one of a news sitemap."""

    name: str
    depth: int
    base: str  # the URL to which its addresses are relative
    attributes: Mapping[str, str]
    news: bool = False
    own: bool = True  # of the namespace of its entry
    longest: int = LONGEST_TEXT
    parts: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, text: str) -> None:
        if self.size < self.longest:
            self.parts.append(text[: self.longest])
            self.size += len(text)

    @property
    def text(self) -> str:
        return "".join(self.parts).strip()


@dataclass(slots=True)
class _Entry:
    name: str
    depth: int
    place: int  # in the order of the document
    about: str
    own: _Child  # its text before its first child
    children: list[_Child] = field(default_factory=list)
    open: _Child | None = None


class Entries:
    """Collects the links of the entries, each URL once, as a :class:`~newsspider.core.links.xml_stream.ElementReader`.

    A document that is no feed is read as a sitemap, unless ``feeds_only``. ``with_texts``: the texts of entries are
    kept, too.
    """

    def __init__(self, url: str, *, feeds_only: bool, with_texts: bool = False) -> None:
        self.feeds_only, self.with_texts = feeds_only, with_texts
        self.texts: dict[str, FeedText] = {}  # by URL of the entry
        self._texts_size = 0
        self.sitemaps: dict[str, None] = {}
        self._links: dict[str, tuple[int, Link]] = {}
        self._names: frozenset[str] | None = None  # of entries; None before the first element
        self._open: list[_Entry] = []
        self._tags: list[str] = []  # that are open
        self._bases = [url]  # of the document, and of each of them
        self._places = self._size = 0

    def links(self) -> tuple[Link, ...]:
        """The links of the document in its order, including those of entries that never ended."""
        try:
            while self._open:
                self._take(self._open.pop())
        except EnoughError:
            pass
        return tuple(link for _, link in sorted(self._links.values(), key=lambda result: result[0]))

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self._tags.append(tag)
        base = absolute(self._bases[-1], attributes[BASE]) if BASE in attributes else None
        self._bases.append(base or self._bases[-1])
        if len(self._tags) > DEEPEST_ELEMENT:
            raise EnoughError(f"elements more than {DEEPEST_ELEMENT:,} deep")
        name = _name(tag)
        if self._names is None:
            self._begin(name)
        if self._open:
            self._child(self._open[-1], tag, name, attributes)
        if name in (self._names or ()):
            self._places += 1
            if self._places > MOST_ENTRIES:
                raise EnoughError(TOO_MANY)
            about = next((value[:LONGEST_TEXT] for key, value in attributes.items() if key.endswith("about")), "")
            own = _Child("", len(self._tags), self._bases[-1], {})
            self._open.append(_Entry(name, len(self._tags), self._places, about, own, open=own))

    def end(self, tag: str) -> None:
        """An element ends, and with it those inside it: libxml2 reports no end for a broken tag."""
        if tag not in self._tags:
            return
        while self._end() != tag:
            pass

    def data(self, text: str) -> None:
        """A piece of text."""
        if self._open and (child := self._open[-1].open) is not None:
            child.add(text)

    def close(self) -> None:
        """The document ends."""

    def _end(self) -> str:
        if self._open:
            entry = self._open[-1]
            if entry.open is not None and entry.open.depth == len(self._tags):
                entry.open = None
            if entry.depth == len(self._tags):
                self._take(self._open.pop())
        self._bases.pop()
        return self._tags.pop()

    def _begin(self, root: str) -> None:
        if root in FEED_ROOTS:
            self._names = frozenset(("item", "entry"))
        elif self.feeds_only:
            raise EnoughError("")
        else:
            self._names = frozenset(("url", "sitemap"))

    def _child(self, entry: _Entry, tag: str, name: str, attributes: Mapping[str, str]) -> None:
        if entry.open is entry.own:
            entry.open = None
        direct = len(self._tags) == entry.depth + 1
        if entry.name in ("item", "entry"):
            is_news = False
            is_text = self.with_texts and direct and (name in _TEXTS or name in _AUTHORS) and "src" not in attributes
            speaks = is_text or (name in _FEED_CHILDREN and direct and (name != "content" or "src" in attributes))
        else:
            is_news = name in _NEWS_CHILDREN and "/sitemap-news/" in tag
            speaks = is_news or (name == "loc" and direct)
        own = is_news or _namespace(tag) == _namespace(self._tags[-2])
        speaks = speaks and (own or name not in _OWN_CHILDREN)
        longest = LONGEST_HTML if self.with_texts and name in _TEXTS else LONGEST_TEXT
        if speaks and entry.open is None and len(entry.children) < MOST_CHILDREN:
            values = {key: attributes[key][:LONGEST_TEXT] for key in _ATTRIBUTES if key in attributes}
            entry.open = _Child(name, len(self._tags), self._bases[-1], values, is_news, own, longest)
            entry.children.append(entry.open)

    def _take(self, entry: _Entry) -> None:
        link = (_feed_link if entry.name in ("item", "entry") else _sitemap_link)(entry)
        if link is None or (entry.name == "sitemap" and link.url in self.sitemaps):
            return
        earlier = self._links.get(link.url) if entry.name != "sitemap" else None
        if earlier is not None and earlier[0] < entry.place:
            return
        if earlier is None and len(self._links) + len(self.sitemaps) >= MOST_URLS:
            raise EnoughError(TOO_MANY)
        self._size += len(link.url) + len(link.text)
        if self._size > MOST_CHARACTERS:
            raise EnoughError(f"more than {MOST_CHARACTERS:,} characters of addresses and titles")
        if entry.name == "sitemap":
            self.sitemaps[link.url] = None
        else:
            self._links[link.url] = (entry.place, link)
            if self.with_texts and (text := _text(entry)) and self._texts_size + len(text.html) <= MOST_HTML:
                self._texts_size += len(text.html)
                self.texts[link.url] = text


def _name(tag: str) -> str:
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def _namespace(tag: str) -> str:
    return tag[: len(tag) - len(_name(tag))]


def _plain(text: str) -> str:
    """A title without markup, which feeds escape once or twice."""
    return " ".join(unescape(_MARKUP.sub("", unescape(text))).split())[:LONGEST_TITLE]


def _feed_link(entry: _Entry) -> Link | None:
    target = _target(entry)
    if target is None:
        return None
    children = {child.name: child for child in entry.children}
    moment = next((at for name in FEED_DATES if name in children and (at := feed_moment(children[name].text))), None)
    titles = sorted((child for child in entry.children if child.name == "title"), key=lambda child: not child.own)
    title = next(filter(None, (_plain(child.text) for child in titles)), "")
    return Link(target, title, LinkKind.ARTICLE, Region.MAIN, moment)


def _text(entry: _Entry) -> FeedText | None:
    """The fullest text of an entry with its author, if it has more than a summary."""
    texts = sorted(
        (child for child in entry.children if child.name in _TEXTS and "src" not in child.attributes),
        key=lambda child: _TEXTS.index(child.name),
    )
    html = next((child.text for child in texts if len(child.text) >= LEAST_CHARACTERS), None)
    author = next((child.text for child in entry.children if child.name in _AUTHORS and child.text), "")
    return None if html is None else FeedText(html[:LONGEST_HTML], _plain(author))


def _target(entry: _Entry) -> str | None:
    """The URL of an entry: Atom's alternate link, RSS's <link>, the page that is its content, a permanent <guid>, else
    any URL; the first of these that is valid."""
    return next((url for address, base in _addresses(entry) if (url := _absolute(address, base))), None)


def _addresses(entry: _Entry) -> Iterator[tuple[str, str]]:
    """The addresses that may be the URL of an entry, best first, each with its base."""
    alternates = [child for child in entry.children if child.name == "link" and _is_alternate(child)]
    for child in sorted(alternates, key=lambda child: not _is_html(child)):
        yield child.attributes.get("href", ""), child.base
    guids = []
    for name in ("link", "origlink", "content", "guid", "id"):
        for child in entry.children:
            if child.name != name:
                continue
            if name == "content":
                if _is_html(child):
                    yield child.attributes["src"], child.base
            elif (WEB.match(child.text) or (child.text and name in ("link", "origlink"))) and _is_alternate(child):
                if child.attributes.get("isPermaLink", "true").lower() != "false":
                    yield child.text, child.base
                else:
                    guids.append((child.text, child.base))
    yield from guids
    if WEB.match(entry.about):
        yield entry.about, entry.own.base


def _is_alternate(link: _Child) -> bool:
    """Whether an Atom link leads to the page of its entry; the relation may be a URI."""
    return link.attributes.get("rel", "alternate").rpartition("/")[2].lower() == "alternate"


def _is_html(child: _Child) -> bool:
    return "html" in child.attributes.get("type", "html").lower()


def _sitemap_link(entry: _Entry) -> Link | None:
    loc = next((child for child in entry.children if child.name == "loc"), entry.own)
    target = _absolute(loc.text, loc.base)
    if target is None:
        return None
    news = {child.name: child.text for child in entry.children if child.news}
    moment = feed_moment(news["publication_date"]) if "publication_date" in news else None
    return Link(target, _plain(news.get("title", "")), LinkKind.ARTICLE, Region.MAIN, moment)


def _absolute(href: str, base: str) -> str | None:
    # libxml2 leaves entities in attributes, xml_stream in CDATA
    reference = href.strip().replace("&#38;", "&").replace("&amp;", "&")
    return absolute(base, reference) if reference else None


class FeedText(NamedTuple):
    """The markup of an entry and its author, who may be missing."""

    html: str
    author: str = ""


def packed_entry(text: FeedText, title: str, published_at: datetime | None, feed: str) -> str:
    """The page of an entry, for the ledger: ASCII."""
    return base64.b85encode(zlib.compress(page_of(text, title, published_at, feed).encode(), 9)).decode()


def unpacked_page(packed_page: str) -> bytes:
    """The page again; :exc:`ValueError` if it is none."""
    try:
        return zlib.decompress(base64.b85decode(packed_page))
    except zlib.error as error:
        raise ValueError(str(error)) from None


def page_of(text: FeedText, title: str, published_at: datetime | None, feed: str) -> str:
    """The page: pictures are where the feed says, or relative to it. Styles say nothing of a text."""
    html = cdata[1] if (cdata := _CDATA.match(text.html)) else text.html
    html = _PROXIED.sub(r"\1", _STYLE.sub("", html))
    moment = f'<meta property="article:published_time" content="{published_at.isoformat()}">' if published_at else ""
    author = f'<meta name="author" content="{escape(text.author)}">' if text.author else ""
    return (
        f'<html><head><meta charset="utf-8"><base href="{escape(feed)}"><title>{escape(title)}</title>{moment}{author}</head>'
        f"<body><h1>{escape(title)}</h1><article>{html}</article></body></html>"
    )
