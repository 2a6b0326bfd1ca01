"""The text that an entry of a feed brings along, as a page: its article where the page itself cannot be had."""

from __future__ import annotations

import base64
import re
import zlib
from datetime import datetime
from html import escape
from typing import NamedTuple

LEAST_CHARACTERS = 200  # of markup; less is a summary
LONGEST_HTML = 300_000  # characters of one entry
MOST_HTML = 6_000_000  # characters of all entries of a feed; later ones bring none
_STYLE = re.compile(r"""\sstyle\s*=\s*(?:"[^"]*"|'[^']*')""", re.IGNORECASE)
_PROXIED = re.compile(
    r"""(\ssrc\s*=\s*["'])[^"']*?/(?=https?://)""", re.IGNORECASE
)  # by the program that wrote the feed
_CDATA = re.compile(r"^\s*<!\[CDATA\[(.*)\]\]>\s*$", re.DOTALL)  # escaped, as text


class FeedText(NamedTuple):
    """The markup of an entry and its author, who may be missing."""

    html: str
    author: str = ""


def packed(text: FeedText, title: str, published_at: datetime | None, feed: str) -> str:
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
