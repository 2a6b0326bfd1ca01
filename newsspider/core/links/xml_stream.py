"""Tells feeds and sitemaps by their head, and reads such an XML document in pieces, without keeping it in memory."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from html import unescape
from typing import Protocol

from lxml import etree

from newsspider.core.extraction.dom.charset import EURO_ERRORS, decode
from newsspider.core.fetching.content_encoding import DamagedBodyError, gunzipped
from newsspider.core.model import PageType

UNPACKED_LIMIT = 50 * 1024 * 1024  # bytes of a sitemap, by its protocol
MOST_ELEMENTS = 3_000_000
MOST_ATTRIBUTES = 1_000  # of one tag: libxml2 keeps all of them at once
PIECE_BYTES = 64 * 1024  # bytes
SAMPLE_BYTES = 1024 * 1024  # bytes by which the charset is decided
HEAD_CHARACTERS = 4096  # characters in which the declaration and the first tag of a document are
LONGEST_ENTITY = 40  # characters

TOO_LONG = f"more than {UNPACKED_LIMIT >> 20} MiB"
MOST_GZIP = 1_032  # bytes that one byte of gzip can unpack to

GZIP = b"\x1f\x8b"
ROOT = r"<(?:[A-Za-z_][\w.-]*:)?(?:rss|rdf|feed|channel|document|urlset|sitemapindex)\b"  # content stands behind it
_ROOT = re.compile(ROOT, re.I)
_DECLARATION = re.compile(r"<\?xml\s[^>]*\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.I | re.S)
_BARE = re.compile(r"&(?![A-Za-z#])")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#[xX][0-9a-fA-F]+);)([A-Za-z][A-Za-z0-9]*;)?")
_WINDOWS = re.compile(r"&#(?:1(?:2[89]|[345]\d)|x[89][0-9a-f]);", re.I)  # &#146; is a quotation mark, as in HTML
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
FEED_ROOTS = frozenset(("rss", "rdf", "feed", "channel", "document"))  # the last of Baidu's news XML
_SITEMAP_ROOTS = frozenset(("urlset", "sitemapindex"))
_HTML = re.compile(rb"<(?:!doctype\s+)?html\b", re.I)
_HTML_HEAD = 1024  # bytes in which the tag of an HTML page is
_HEAD_DECLARATION = re.compile(rb"<\?xml\s")  # may follow the warnings of a PHP program
_KNOWN_ROOT = re.compile(ROOT.encode(), re.I)
_BAIDU = re.compile(rb"<(?:webSite|webMaster|updatePeri|item)\b", re.I)  # of Baidu's news XML, whose root says little
_FIRST_ROOT = re.compile(rb"<(?![?!])(?:[A-Za-z_][\w.-]*:)?([A-Za-z]+)")


def is_html(body: bytes) -> bool:
    """Whether a document is declared to be HTML.

    >>> is_html(b"<!DOCTYPE html><p>x"), is_html(b"http://a.cn/1.html"), is_html(b"<?xml version='1.0'?><urlset/>")
    (True, False, False)
    """
    return _HTML.search(body, 0, _HTML_HEAD) is not None


def document_kind(body: bytes, content_type: str | None = None) -> PageType | None:
    """``FEED`` or ``SITEMAP`` by the first tag of a document, gzipped or not; ``None`` for all others.

    The content type counts only for documents that begin with ``<channel>``. A text sitemap cannot be recognised.
    """
    head = next(unpacked_body(body), b"")
    root = first_tag(head)
    if root == "channel" and "xml" not in (content_type or "xml"):
        return None
    if root == "document" and _BAIDU.search(head.replace(b"\0", b""), 0, HEAD_CHARACTERS) is None:
        return None
    return PageType.FEED if root in FEED_ROOTS else PageType.SITEMAP if root in _SITEMAP_ROOTS else None


def first_tag(body: bytes) -> str | None:
    """The name of the first element, without its prefix, in lower case."""
    head = body[:HEAD_CHARACTERS]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.replace(b"\x00", b"")
    head = re.sub(rb"<!--.*?-->", b"", head, flags=re.S)
    known = _KNOWN_ROOT.search(head)
    declaration = _HEAD_DECLARATION.search(head, 0, known.start() if known else len(head))
    match = _FIRST_ROOT.search(head, declaration.end() if declaration else 0)
    return match[1].decode("ascii").lower() if match else None


class EnoughError(Exception):
    """The reader stops; the message says at which limit."""


class ElementReader(Protocol):
    """Receives the elements of a document in their order; may raise :exc:`EnoughError`."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""

    def end(self, tag: str) -> None:
        """It ends."""

    def data(self, text: str) -> None:
        """A piece of text."""

    def close(self) -> None:
        """The document ends."""


def read_xml(body: bytes, reader: ElementReader) -> str | None:
    """Pass the elements of an XML document to a reader; return the limit that ended the reading, ``None`` if none did.

    A gzipped body is unpacked. Broken XML is read as far as libxml2 understands it. HTML entities are resolved; those
    that the document defines stay as written, so that none expands.
    """
    source, target = _Source(_markup(body)), _Counted(reader)
    parser = etree.XMLParser(
        target=target,  # type: ignore[arg-type] # it receives str only
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        encoding="utf-8",
        strip_cdata=True,
    )
    try:
        etree.parse(source, parser)  # type: ignore[arg-type] # a file is what can be read
    except etree.XMLSyntaxError:
        pass
    except EnoughError as enough:
        return str(enough)
    finally:
        del target.reader
    return source.cut or ends_early(body)


def decoded_texts(body: bytes) -> Iterator[str]:
    """The decoded text of a document, gzipped or not, in pieces."""
    name = _charset(body)
    decoder = codecs.getincrementaldecoder(name)(EURO_ERRORS if name in ("gb18030", "big5hkscs") else "replace")
    for piece in unpacked_body(body):
        yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)


def unpacked_body(body: bytes, limit: int = UNPACKED_LIMIT) -> Iterator[bytes]:
    """A body in pieces, unpacked if it is gzipped, as far as it is intact, up to a limit in bytes."""
    pieces = (
        gunzipped(body)
        if body.startswith(GZIP)
        else (body[at : at + PIECE_BYTES] for at in range(0, len(body), PIECE_BYTES))
    )
    with suppress(zlib.error, DamagedBodyError):
        for piece in pieces:
            yield piece[:limit]
            limit -= len(piece)
            if limit <= 0:
                return


def ends_early(body: bytes) -> str | None:
    """The message that a document is too long to be read to its end; ``None`` if it is not."""
    if not body.startswith(GZIP):
        return TOO_LONG if len(body) > UNPACKED_LIMIT else None
    if len(body) * MOST_GZIP <= UNPACKED_LIMIT:
        return None
    return TOO_LONG if sum(map(len, unpacked_body(body, UNPACKED_LIMIT + 1))) > UNPACKED_LIMIT else None


def _charset(body: bytes) -> str:
    """The charset of a document, by its beginning and by later pieces that are not ASCII."""
    sample: list[bytes] = []
    size = 0
    for piece in unpacked_body(body):
        if not sample or not piece.isascii():
            sample.append(piece)
            size += len(piece)
        if size >= SAMPLE_BYTES:
            break
    return decode(b"".join(sample)).charset


def _markup(body: bytes) -> Iterator[str]:
    """The text of a document without declaration and DOCTYPE, with the entities of XML only."""
    rest, begun = "", False
    for text in decoded_texts(body):
        rest += _CONTROL.sub("", text)
        if not begun:
            if len(rest) < PIECE_BYTES // 4:  # characters of up to four bytes
                continue
            rest, begun = _without_head(rest), True
        at = rest.rfind("&", max(0, len(rest) - LONGEST_ENTITY))
        at = at if at >= 0 else len(rest)
        yield _resolved(rest[:at])
        rest = rest[at:]
    yield _resolved(rest if begun else _without_head(rest))


def _without_head(text: str) -> str:
    """A document without its declaration and DOCTYPE and anything before them, such as the warnings of PHP."""
    text = text.lstrip("\ufeff\ufffd")  # a byte order mark, perhaps decoded with another charset
    root = _ROOT.search(text, 0, HEAD_CHARACTERS)
    start = 0
    for pattern in (_DECLARATION, _DOCTYPE):
        if match := pattern.search(text, start, root.start() if root else HEAD_CHARACTERS):
            start = match.end()
    return text[start:].lstrip()


def _resolved(text: str) -> str:
    if "&" not in text:
        return text
    text = _WINDOWS.sub(lambda result: unescape(result[0]), _BARE.sub("&amp;", text).replace("&#X", "&#x"))
    return _ENTITY.sub(lambda result: _named_entity(result[1]), text)


def _named_entity(name: str | None) -> str:
    character = unescape(f"&{name}") if name else "&"
    return "&amp;" + (name or "") if character.startswith("&") else character


class _Source:
    """A file for the parser; it ends before a tag with too many attributes."""

    def __init__(self, markup: Iterable[str]) -> None:
        self.markup = iter(markup)
        self.cut: str | None = None
        self._attributes = 0  # of the tag that is open

    def read(self, size: int = -1) -> bytes:
        for text in self.markup:
            if self.cut:
                break
            if text:
                return self._before_endless(text).encode("utf-8", "replace")
        return b""

    def _before_endless(self, text: str) -> str:
        """The text; only the part before its last tag if that has too many attributes."""
        start, end = text.rfind("<"), text.rfind(">")
        if start > end:
            self._attributes = text.count("=", start)
        else:
            self._attributes = 0 if end >= 0 else self._attributes + text.count("=")
        if self._attributes > MOST_ATTRIBUTES:
            self.cut = f"a tag of more than {MOST_ATTRIBUTES:,} attributes"
            return text[: max(start, 0)]
        return text


class _Counted:
    """Stops after too many elements.

    The parser and its target refer to each other until garbage is collected, so the reader with its links is detached
    at the end.
    """

    def __init__(self, reader: ElementReader) -> None:
        self.count = 0
        self.reader = reader

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise EnoughError(f"more than {MOST_ELEMENTS:,} elements")
        self.reader.start(tag, attributes)

    def end(self, tag: str) -> None:
        self.reader.end(tag)

    def data(self, text: str) -> None:
        self.reader.data(text)

    def close(self) -> None:
        self.reader.close()
