"""Pagination of articles: which link leads to the next page of the same article, and how their texts become one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import astuple, replace
from datetime import datetime
from enum import Enum, auto
from itertools import chain
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from newsspider.core.extraction.article import limited_images
from newsspider.core.extraction.dom.page import Page
from newsspider.core.extraction.title.title import choose_headline
from newsspider.core.links.next_page import rel_next_urls, scripted_url
from newsspider.core.model import (
    LONGEST_TEXT,
    MOMENT_FIELDS,
    PAGE_FIELDS,
    Article,
    ArticlePart,
    Image,
    Link,
    PageType,
    StoredArticle,
)
from newsspider.core.text.characters import printable_text
from newsspider.core.text.text_comparison import same_title

MOST_PARTS = 40  # pages of one article
FIRST_NUMBERS = (1, 2)  # numbers that the second page may have
LONGEST_ONWARD = 16  # characters of the text of a link to the next page
ONWARD = re.compile(
    r"[\W_]*(?:(?:点击|點擊)?(?:图片|圖片)?(?:进入|進入|阅读|閱讀|查看)?下一?[页頁]|[后後]一?[页頁]|继续阅读|繼續閱讀|(?:阅读|閱讀)?(?:余下|剩余|餘下|剩餘)(?:全文|"
    r"内容|內容)"
    r"|next(?:\s*page)?|第?\s*\d{1,2}\s*[页頁]?)[\W_]*|[>»›→\s]{1,3}",
    re.IGNORECASE,
)
# Where a URL has the number of an article's page: after the name, as a folder of its own, in the query.
_IN_NAME = re.compile(r"[_-](?:p|page)?(\d{1,2})(?=\.[a-z]{3,5}$)", re.IGNORECASE)
_IN_FOLDER = re.compile(r"(?<=[^/])(?:/page)?/(\d{1,2})/?$")
_BEHIND_NAME = re.compile(r"(?<=[^/])[_-](\d{1,2})$")
_IN_QUERY = re.compile(r"(?:^|&)(?:page|pageno|pagenum|curpage|currentpage)=(\d{1,2})(?=&|$)", re.IGNORECASE)
# may also be the number of the article
_SHORT_IN_QUERY = re.compile(r"(?:^|&)(?:p|pn)=(\d{1,2})(?=&|$)", re.IGNORECASE)
_INDEX = re.compile(r"(?<=/)(?:index|default)\.\w{3,5}$", re.IGNORECASE)
# A number that is that of a first page. A folder's number or a lone "p" is as often the article's own number.
_FIRST_BY_URL = re.compile(
    r"[_-]0?[01]\.[a-z]{3,5}$|[?&](?:page|pageno|pagenum|curpage|currentpage)=[01](?=&|$)", re.IGNORECASE
)
_NUMBER = re.compile(r"[\W_]*第?\s*(\d{1,2})\s*[页頁]?[\W_]*")  # the text of one of a pager's links


def next_part(page: Page, links: Iterable[Link], *, further: bool = False) -> str | None:
    """The absolute URL of the next page of the article on ``page``, among its links and in its pager's script.

    "Next page" may lead to the next article, so the URL must equal that of the page except for a number that is one
    higher. Unless the page is a ``further`` one already, a pager or the URL of a first page must show that the number
    counts pages.
    """
    listed = tuple(links)
    onward = (link.url for link in listed if 0 < len(link.text) < LONGEST_ONWARD and ONWARD.fullmatch(link.text))
    for url in chain(onward, rel_next_urls(page)):
        follows = _follows(url, page.url)
        if follows is _Follows.FIRST or (follows is _Follows.NUMBERED and (further or _is_numbered_part(page, listed))):
            # old links still say http on sites that have moved to https
            return page.url.partition("://")[0] + "://" + url.partition("://")[2]
    scripted = scripted_url(page)
    return scripted if scripted and _follows(scripted, page.url) is not None else None


def is_part(page: Page, part: Article, article_so_far: StoredArticle) -> bool:
    """Whether a page continues an article that has begun: it has the same title, or none. Where all pages of a site
    share one ``<title>``, the title may stand on the page as a line of its own."""
    if not part.title or same_title(part.title, article_so_far.title):
        return True
    alike = same_title(part.meta_title or "", article_so_far.meta_title or "")
    return alike and same_title(choose_headline(page, part.title, article_so_far.title) or "", article_so_far.title)


def part_of(url: str) -> tuple[str, int | None]:
    """A URL without its page number, and that number; ``None`` if it has none, as on most first pages.

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
    """The texts of an article's pages as one text. Opening lines that a page repeats (title, introduction) occur once.

    >>> joined(["导语在这里。\\n第一页。", "导语在这里。\\n第二页。"])
    '导语在这里。\\n第一页。\\n第二页。'
    """
    lines: list[str] = []
    earlier_lines: set[str] = set()
    for text in texts:
        new = text.split("\n") if text else []
        while new and new[0] in earlier_lines:
            del new[0]
        lines += new
        earlier_lines.update(new)
    return "\n".join(lines)


# The fields of a partial article that come from its first page.
_BEGUN = (*PAGE_FIELDS, "url", "anchor", "charset", "kind", "attachments", "snapshot", "noindex", "parts", "crawled_at")


def partial_article(article: StoredArticle) -> str:
    """An article whose further pages are still to be read, as JSON that the next page is stored with."""
    record = {name: getattr(article, name) for name in _BEGUN}
    for name in MOMENT_FIELDS:
        record[name] = record[name].isoformat() if record[name] else None
    return json.dumps(record, ensure_ascii=False, default=astuple)


def partial_anchor(partial: str) -> str | None:
    """The anchor text of a partial article; ``None`` if there is none."""
    record = _unpacked(partial)
    return None if record is None else record["anchor"]


def partial_snapshots(partial: str) -> frozenset[str]:
    """The names of the snapshots of the pages of a partial article."""
    record = _unpacked(partial)
    return (
        frozenset()
        if record is None
        else frozenset({record["snapshot"], *(part.snapshot for part in record["parts"])} - {""})
    )


def begun_article(partial: str, further: StoredArticle) -> StoredArticle | None:
    """The article that :func:`partial_article` wrote, with the other fields of its ``further`` page; ``None`` if the
    text is invalid."""
    record = _unpacked(partial)
    if record is None:
        return None
    return replace(further, **{**record, "crawled_at": record["crawled_at"] or further.crawled_at})


def continued_article(article_so_far: StoredArticle, part: Article) -> StoredArticle | None:
    """The article with one more page, which may also name its authors and source; ``None`` if the page adds no text."""
    text = printable_text(joined((article_so_far.text, part.text))[:LONGEST_TEXT])
    if text == article_so_far.text:
        return None
    return replace(
        article_so_far,
        text=text,
        authors=article_so_far.authors or part.authors,
        editors=article_so_far.editors or part.editors,
        source=article_so_far.source or part.source,
        modified_at=article_so_far.modified_at or part.modified_at,
        images=limited_images(dict.fromkeys((*article_so_far.images, *part.images))),
    )


def _unpacked(text: str) -> dict[str, Any] | None:
    if not text:
        return None
    try:
        record = json.loads(text)
        record["kind"] = PageType(record["kind"])
        for name in MOMENT_FIELDS:
            record[name] = datetime.fromisoformat(record[name]) if record.get(name) else None
        record["images"] = [Image(*image) for image in record.get("images", ())]
        record["parts"] = [ArticlePart(*further) for further in record.get("parts", ())]
    except (ValueError, KeyError, TypeError):
        return None
    return {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}


class _Follows(Enum):
    """How a URL follows another: as the first numbered one, or with the next number."""

    FIRST = auto()
    NUMBERED = auto()


def _follows(url: str, page_url: str) -> _Follows | None:
    """Whether a URL is that of the page after this one, and how.

    A first page counts as number 1, or as 0 on sites that count from 0, even if its URL ends with another number.
    """
    stem, number = part_of(url)
    if number is None or number >= MOST_PARTS:
        return None
    page_stem, page_number = part_of(page_url)
    if number in FIRST_NUMBERS and _same(stem, page_url.partition("#")[0]):
        return _Follows.FIRST
    is_next = page_number is not None and number == page_number + 1
    return _Follows.NUMBERED if is_next and _same(stem, page_stem) else None


def _is_numbered_part(page: Page, links: Iterable[Link]) -> bool:
    """Whether the number in a page's URL counts the pages of an article, as the URL or a pager shows."""
    stem, own = part_of(page.url)
    assert own is not None  # or nothing follows it
    return bool(_FIRST_BY_URL.search(page.url)) or _in_pager(links, stem, own)


def _in_pager(links: Iterable[Link], stem: str, own: int) -> bool:
    """Whether a link whose text is a number leads to that page, counted from 1, from 0 or from this page."""
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


def _same(first: str, second: str) -> bool:
    return first == second or _key(first) == _key(second)


def _key(url: str) -> tuple[str, str, list[str]]:
    """A URL without its scheme, the order of its query and the name of an index page."""
    _, host, path, query, _ = urlsplit(url)
    return host, _INDEX.sub("", path).rstrip("/"), sorted(query.split("&"))
