"""Pagination of articles: which link leads to the next page of the same article, and how their texts become one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from datetime import datetime
from enum import Enum, auto
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from newsspider.core.article_fields import MOMENTS, OF_PAGE
from newsspider.core.extraction.dom.page import Page
from newsspider.core.extraction.limits import cut_text, limited_images
from newsspider.core.extraction.title.agreed_title import headline
from newsspider.core.links.next_page import related, scripted_url
from newsspider.core.model import Article, Image, Link, PageType, Part, StoredArticle
from newsspider.core.text.titles import same_title

MOST = 40  # pages of one article
FIRST_NUMBERS = (1, 2)  # of the page behind the first
LONGEST_ONWARD = 16  # characters of the text of a link onward
ONWARD = re.compile(
    r"[\W_]*(?:(?:点击|點擊)?(?:图片|圖片)?(?:进入|進入|阅读|閱讀|查看)?下一?[页頁]|[后後]一?[页頁]|继续阅读|繼續閱讀|(?:阅读|閱讀)?(?:余下|剩余|餘下|剩餘)(?:全文|"
    r"内容|內容)"
    r"|next(?:\s*page)?|第?\s*\d{1,2}\s*[页頁]?)[\W_]*|[>»›→\s]{1,3}",
    re.IGNORECASE,
)
# Where a URL says which page of an article it is: behind the name, as a folder of its own, in the query.
_IN_NAME = re.compile(r"[_-](?:p|page)?(\d{1,2})(?=\.[a-z]{3,5}$)", re.IGNORECASE)
_IN_FOLDER = re.compile(r"(?<=[^/])(?:/page)?/(\d{1,2})/?$")
_BEHIND_NAME = re.compile(r"(?<=[^/])[_-](\d{1,2})$")
_IN_QUERY = re.compile(r"(?:^|&)(?:page|pageno|pagenum|curpage|currentpage)=(\d{1,2})(?=&|$)", re.IGNORECASE)
# where that is not the number of the article
_SHORT_IN_QUERY = re.compile(r"(?:^|&)(?:p|pn)=(\d{1,2})(?=&|$)", re.IGNORECASE)
_INDEX = re.compile(r"(?<=/)(?:index|default)\.\w{3,5}$", re.IGNORECASE)  # what a folder shows
# A first page that is numbered where only parts are: a folder's number or a lone "p" is as often that of the article.
_FIRST_BY_URL = re.compile(
    r"[_-]0?[01]\.[a-z]{3,5}$|[?&](?:page|pageno|pagenum|curpage|currentpage)=[01](?=&|$)", re.IGNORECASE
)
_NUMBER = re.compile(r"[\W_]*第?\s*(\d{1,2})\s*[页頁]?[\W_]*")  # the text of one of a pager's links


def next_part(page: Page, links: Iterable[Link], *, further: bool = False) -> str | None:
    """The absolute URL of the next page of the article on ``page``, among its links and in its pager's script.

    "Next page" may lead to the next article, so the URL must be that of the page but for a number one higher. The
    number of a page that is no ``further`` one must be known to be a part's: by a pager, a count, or as a first one.
    """
    listed = tuple(links)
    for url in _onward(page, listed):
        how = _follows(url, page.url)
        if how is _Follows.FIRST or (how is _Follows.NUMBERED and (further or _is_numbered_part(page, listed))):
            return _as_safe(url, page.url)
    scripted = scripted_url(page)
    return scripted if scripted and _follows(scripted, page.url) is not None else None


def _onward(page: Page, links: Iterable[Link]) -> Iterator[str]:
    """What the links lead to that say so in words, signs or by their relation."""
    for link in links:
        if 0 < len(link.text) < LONGEST_ONWARD and ONWARD.fullmatch(link.text):
            yield link.url
    yield from related(page)


def _as_safe(url: str, page_url: str) -> str:
    """A URL with the scheme of the page: old links say http where all is https now."""
    return page_url.partition("://")[0] + "://" + url.partition("://")[2]


def is_part(page: Page, part: Article, before: StoredArticle) -> bool:
    """Whether a page goes on with the article before it: by the same title, or none. Where all pages of a site have one
    ``<title>``, the title may stand on the page as a line of its own."""
    if not part.title or same_title(part.title, before.title):
        return True
    alike = same_title(part.meta_title or "", before.meta_title or "")
    return alike and same_title(headline(page, part.title, before.title) or "", before.title)


def part_of(url: str) -> tuple[str, int | None]:
    """A URL without the number of its part, and that number; ``None`` where it has none, as most first pages have not.

    >>> part_of("http://www.example.cn/2024/c12_3.html"), part_of("http://www.example.cn/a.php?id=7&page=2")
    (('http://www.example.cn/2024/c12.html', 3), ('http://www.example.cn/a.php?id=7', 2))
    """
    scheme, host, path, query, _ = urlsplit(url)
    for pattern in (_IN_NAME, _BEHIND_NAME, _IN_FOLDER):
        if match := pattern.search(path):
            return urlunsplit((scheme, host, path[: match.start()] + path[match.end() :], query, "")), int(match[1])
    if match := _IN_QUERY.search(query) or _SHORT_IN_QUERY.search(query):
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
    *OF_PAGE, "url", "anchor", "charset", "kind", "attachments", "snapshot", "noindex", "parts", "crawled_at",
)  # fmt: skip


def partial_article(article: StoredArticle) -> str:
    """An article under way over several pages, as the next page has to know it: JSON."""
    record = {name: getattr(article, name) for name in _BEGUN}
    for name in MOMENTS:
        record[name] = record[name].isoformat() if record[name] else None
    return json.dumps(record, ensure_ascii=False, default=astuple)


def partial_anchor(partial: str) -> str | None:
    """The anchor text of a partial article; ``None`` if there is none."""
    known = _unpacked(partial)
    return None if known is None else known["anchor"]


def partial_snapshots(partial: str) -> frozenset[str]:
    """The names of the snapshots of the pages of a partial article."""
    known = _unpacked(partial)
    return (
        frozenset()
        if known is None
        else frozenset({known["snapshot"], *(part.snapshot for part in known["parts"])} - {""})
    )


def begun(partial: str, further: StoredArticle) -> StoredArticle | None:
    """The article of :func:`partial_article`, completed from its ``further`` page; ``None`` if it is none."""
    known = _unpacked(partial)
    if known is None:
        return None
    return replace(further, **{**known, "crawled_at": known["crawled_at"] or further.crawled_at})


def continued(before: StoredArticle, part: Article) -> StoredArticle | None:
    """The article with one more page, whose signature counts, too; ``None`` if that adds no text."""
    text = cut_text(joined((before.text, part.text)))
    if text == before.text:
        return None
    return replace(
        before,
        text=text,
        authors=before.authors or part.authors,
        editors=before.editors or part.editors,
        source=before.source or part.source,
        modified_at=before.modified_at or part.modified_at,
        images=limited_images(dict.fromkeys((*before.images, *part.images))),
    )


def _unpacked(text: str) -> dict[str, Any] | None:
    if not text:
        return None
    try:
        record = json.loads(text)
        record["kind"] = PageType(record["kind"])
        for name in MOMENTS:
            record[name] = datetime.fromisoformat(record[name]) if record.get(name) else None
        record["images"] = [Image(*image) for image in record.get("images", ())]
        record["parts"] = [Part(*further) for further in record.get("parts", ())]
    except (ValueError, KeyError, TypeError):
        return None
    return {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}


class _Follows(Enum):
    """How a URL follows another: as the first with a number, or with the next one."""

    FIRST = auto()
    NUMBERED = auto()


def _follows(url: str, page_url: str) -> _Follows | None:
    """Whether a URL is that of the part behind this one, and how.

    A first page is number 1, or 0 where they count so, whether its URL ends with a number of its own or not.
    """
    stem, number = part_of(url)
    if number is None or number >= MOST:
        return None
    own, before = part_of(page_url)
    if number in FIRST_NUMBERS and _same(stem, page_url.partition("#")[0]):
        return _Follows.FIRST
    return _Follows.NUMBERED if before is not None and number == before + 1 and _same(stem, own) else None


def _is_numbered_part(page: Page, links: Iterable[Link]) -> bool:
    """Whether the number in a page's URL is a part's: so says the URL, a pager or a count ("1/3")."""
    stem, own = part_of(page.url)
    assert own is not None  # or nothing follows it
    return bool(_FIRST_BY_URL.search(page.url)) or _in_pager(links, stem, own)


def _in_pager(links: Iterable[Link], stem: str, own: int) -> bool:
    """Whether a link named by a number leads to that part, counted from 1, from 0 or from this page on."""
    for link in links:
        if len(link.text) < LONGEST_ONWARD and (match := _NUMBER.fullmatch(link.text)):
            base, number = part_of(link.url)
            place = int(match[1])
            if number is None:
                if place == 1 and _same(base, stem):
                    return True
            elif _same(base, stem) and number - place in (0, -1, own - 1):
                return True
    return False


def _same(one: str, other: str) -> bool:
    return one == other or _key(one) == _key(other)


def _key(url: str) -> tuple[str, str, list[str]]:
    """What a URL leads to, whatever its scheme, the order of its query and the name of what its folder shows."""
    _, host, path, query, _ = urlsplit(url)
    return host, _INDEX.sub("", path).rstrip("/"), sorted(query.split("&"))
