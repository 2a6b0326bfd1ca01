"""Articles in several pages: which link leads to the next page of the same article, and how their texts become one."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b85decode, b85encode
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from newsspider.core.model import Article, Image, Kind, Link, Part, StoredArticle
from newsspider.core.page import Page
from newsspider.core.pager import scripted_url

MOST = 40  # pages of one article
FIRST_NUMBERS = (1, 2)  # of the page behind the first
LONGEST_ONWARD = 16  # characters of the text of a link onward
ONWARD = re.compile(
    r"[\W_]*(?:(?:阅读|閱讀)?下一?[页頁]|[后後]一?[页頁]|继续阅读|繼續閱讀|next(?:\s*page)?|第?\s*\d{1,2}\s*[页頁]?)[\W_]*", re.IGNORECASE
)
# Where a URL says which page of an article it is: behind the name, as a folder of its own, in the query.
_IN_NAME = re.compile(r"[_-](\d{1,2})(?=\.[a-z]{3,5}$)", re.IGNORECASE)
_IN_FOLDER = re.compile(r"(?<=[^/])/(\d{1,2})/?$")
_BEHIND_NAME = re.compile(r"(?<=[^/])[_-](\d{1,2})$")
_IN_QUERY = re.compile(r"(?:^|&)(?:page|pageno|pagenum|p|pn|curpage|currentpage)=(\d{1,2})(?=&|$)", re.IGNORECASE)


def next_part(page: Page, links: Iterable[Link]) -> str | None:
    """The absolute URL of the next page of the article on ``page``, among its links and in its pager's script.

    A link that says so is not believed alone, for "next page" may lead to the next article: its URL must be that of the page but
    for the number of the part, and that one more than its own.
    """
    for link in links:
        if 0 < len(link.text) < LONGEST_ONWARD and ONWARD.fullmatch(link.text) and _follows(link.url, page.url):
            return link.url
    scripted = scripted_url(page)
    return scripted if scripted and _follows(scripted, page.url) else None


def part_of(url: str) -> tuple[str, int | None]:
    """A URL without the number of its part, and that number; ``None`` where it has none, as most first pages have not.

    >>> part_of("http://www.example.cn/2024/c12_3.html"), part_of("http://www.example.cn/a.php?id=7&page=2")
    (('http://www.example.cn/2024/c12.html', 3), ('http://www.example.cn/a.php?id=7', 2))
    """
    scheme, host, path, query, _ = urlsplit(url)
    for pattern in (_IN_NAME, _BEHIND_NAME, _IN_FOLDER):
        if match := pattern.search(path):
            return urlunsplit((scheme, host, path[: match.start()] + path[match.end() :], query, "")), int(match[1])
    if match := _IN_QUERY.search(query):
        rest = (query[: match.start()] + query[match.end() :]).lstrip("&")
        return urlunsplit((scheme, host, path, rest, "")), int(match[1])
    return urlunsplit((scheme, host, path, query, "")), None


def joined(texts: Sequence[str]) -> str:
    """The texts of the pages of one article as one: what a page repeats of the first (title, introduction) stands once.

    >>> joined(["导语在这里。\\n第一页。", "导语在这里。\\n第二页。"])
    '导语在这里。\\n第一页。\\n第二页。'
    """
    lines: list[str] = []
    seen: set[str] = set()
    for text in texts:
        new = text.split("\n") if text else []
        while new and new[0] in seen:
            del new[0]
        lines += new
        seen.update(new)
    return "\n".join(lines)


# What the record of an article in parts is taken from: the page on which it begins.
_BEGUN = (
    "url", "canonical_url", "anchor", "title", "authors", "source", "published_at", "meta_keywords", "meta_description",
    "text", "summary", "language", "charset", "kind", "meta_title", "headings", "attachments", "snapshot", "noindex",
    "editors", "modified_at", "images", "comments", "parts",
)  # fmt: skip


_MOMENTS = ("published_at", "modified_at")


def carried(article: StoredArticle) -> str:
    """What the next page of an article has to know of it, packed into a short text."""
    told = {name: getattr(article, name) for name in _BEGUN}
    for name in _MOMENTS:
        told[name] = told[name].isoformat() if told[name] else None
    return b85encode(zlib.compress(json.dumps(told, ensure_ascii=False).encode())).decode()


def begun(told: str, further: StoredArticle) -> StoredArticle | None:
    """The article as far as :func:`carried` told it, with what a record of its ``further`` page has besides; ``None`` if it is no such."""
    known = _unpacked(told)
    return None if known is None else replace(further, **known)


def continued(before: StoredArticle, part: Article) -> StoredArticle | None:
    """The article with the text and pictures of one more page; ``None`` if that adds no text. Who signs on the last page is its author."""
    text = joined((before.text, part.text))
    if text == before.text:
        return None
    return replace(
        before,
        text=text,
        authors=before.authors or part.authors,
        editors=before.editors or part.editors,
        source=before.source or part.source,
        modified_at=before.modified_at or part.modified_at,
        images=tuple(dict.fromkeys((*before.images, *part.images))),
    )


def _unpacked(text: str) -> dict[str, Any] | None:
    try:
        told = json.loads(zlib.decompress(b85decode(text)))
        told["kind"] = Kind(told["kind"])
        for name in _MOMENTS:
            told[name] = datetime.fromisoformat(told[name]) if told.get(name) else None
        told["images"] = [Image(*image) for image in told.get("images", ())]
        told["parts"] = [Part(*further) for further in told.get("parts", ())]
    except (ValueError, zlib.error, KeyError, TypeError):
        return None
    return {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}


def _follows(url: str, page_url: str) -> bool:
    """Whether a URL is that of the part behind this one.

    A first page is number 1, or 0 where they count so, whether its URL ends with a number of its own or not.
    """
    stem, number = part_of(url)
    if number is None or number >= MOST:
        return False
    own, before = part_of(page_url)
    plain = page_url.partition("#")[0]
    return (before is not None and _same(stem, own) and number == before + 1) or (_same(stem, plain) and number in FIRST_NUMBERS)


def _same(one: str, other: str) -> bool:
    return one.rstrip("/") == other.rstrip("/")
