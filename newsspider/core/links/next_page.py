"""Finds a list's next page: by relation, words, a sign, a number, a pager's script or field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from lxml.html import HtmlElement

from newsspider.core.extraction.dom.outline import HEADINGS
from newsspider.core.extraction.dom.page import Page
from newsspider.core.links.link_places import Anchor
from newsspider.core.url import absolute, canonical, same_site

_WORDS = re.compile(
    r"[\[(（【<←«‹]?\s*(?:[下后後]\s?一?\s?[页頁]|next(?:\s*page)?|older(?:\s*(?:posts|entries))?"
    r"|(?:[较更]早|较旧|早期)的?(?:文章|博文|日志))\s*(?:[(（]\d+[)）])?\s*[\])）】»›>→]*"
    r"|(?:点击|點擊)?(?:加载|載入|显示)更多\W*|load\s?more\W*",
    re.I,
)
_SIGNS = frozenset(("›", "»", ">", "&gt;", "→", ">>", "»»", "››"))
_NEAR_SIGNS = frozenset(("›", ">", "&gt;", "→"))  # beside one of these, the other signs lead to the last page
_NUMBER = re.compile(r"[\[(【]?\s*(第\s?)?(\d{1,4})(?(1)\s?[页頁])\s*[\])】]?")
_CURRENT = re.compile(r"cur|active|(?<![a-z])on(?![a-z])|now|this|select|page-?on", re.I)
_DIGITS = re.compile(r"(?<![0-9A-Za-z%])\d{1,4}(?![0-9A-Za-z])")
_NEXT_NAMES = frozenset(("next", "next-page", "nextpage", "next_page", "page-next", "page_next", "pagenext"))
_CELLS = frozenset(("li", "span", "td"))
_LONGEST_WORDS = 16  # the text of a link to the next page is shorter
_LONGEST_PAGER = 60  # elements
_BETWEEN = " \t\r\n\xa0\u3000|[]()【】"  # characters between the numbers of a pager
_AROUND = 8  # elements around an arrow, the names of which say what it turns
_NAMED = re.compile(r"pag(?:e|ing|ination|er)|fenye|fanye", re.I)
_SHOW = re.compile(r"carousel|slide|swiper|slick|owl-|lunbo|focus|banner|gallery", re.I)
# The pager of TRS WCM: createPageHTML(pages, current from 0, "index", "html") makes index.html, index_1.html ...
# With its element as first argument, createPageHTML("page", pages, 1, "index", "html", items), index_2.html is next.
_SCRIPT = re.compile(
    r"""createPageHTML\(\s*(["'][\w-]+["']\s*,\s*)?(\d{1,9})\s*,\s*(\d{1,9})\s*,\s*"""
    r"""["']([\w-]+)["']\s*,\s*["'](\w+)["']"""
)
# The same with named arguments: Pager({size: pages, current: 0, prefix: "index", suffix: "html"}).
_BY_NAME = re.compile(
    r"""size:\s*(\d{1,9})\s*,\s*current:\s*(\d{1,9})\s*,\s*prefix:\s*["']([\w-]+)["']\s*,\s*suffix:\s*["'](\w+)["']"""
)


def next_url(page: Page, anchors: Sequence[Anchor]) -> str | None:
    """The absolute URL of the list's next page; ``None`` if the page links to none."""
    return next((url for url in _candidates(page, anchors) if url and _is_another_page(url, page.url)), None)


def _candidates(page: Page, anchors: Sequence[Anchor]) -> Iterator[str | None]:
    yield from related(page)
    yield from (anchor.url for anchor in anchors if _is_worded(anchor.text))
    yield _signed(page, anchors)
    yield _numbered(page, anchors)
    yield scripted_url(page)


def _is_another_page(url: str, page_url: str) -> bool:
    """Whether a URL is one of the same site, but not that of the page: lists do not go on elsewhere, and a wrong
    candidate must not hide the right one."""
    return same_site(url, page_url) and _without_scheme(url) != _without_scheme(page_url)


def _without_scheme(url: str) -> str:
    return (canonical(url) or url).partition("://")[2].removeprefix("www.")


def scripted_url(page: Page) -> str | None:
    """The absolute URL of the next page that a pager script would link to."""
    if match := _SCRIPT.search(page.text) if "createPageHTML" in page.text else None:
        element, *parts = match.groups()
    elif match := _BY_NAME.search(page.text) if "suffix" in page.text else None:
        element, *parts = None, *match.groups()
    else:
        return None
    pages, current, name, suffix = parts
    following, last = int(current) + 1, int(pages) if element else int(pages) - 1
    return absolute(page.base_url, f"{name}_{following}.{suffix}") if following <= last else None


def is_page_number(anchor: Anchor) -> bool:
    """Whether a link looks like one of a pager's numbers."""
    return _NUMBER.fullmatch(anchor.text) is not None


def _is_worded(text: str) -> bool:
    return len(text) < _LONGEST_WORDS and _WORDS.fullmatch(text) is not None


def related(page: Page) -> Iterator[str]:
    """The absolute URLs of links with ``rel=next``."""
    for element in page.tree.iter("a", "link") if any(word in page.text for word in ("next", "Next", "NEXT")) else ():
        if "next" in (element.get("rel") or "").lower().split():
            href = (element.get("href") or "").strip()
            if href.strip("#") and (url := absolute(page.base_url, href)):
                yield url


def _signed(page: Page, anchors: Sequence[Anchor]) -> str | None:
    """The URL of a sign in a pager. Beside numbers it may skip ten pages, so the next number is taken instead."""
    for anchor in anchors:
        if anchor.text in _SIGNS and _is_of_pager(anchor.element.iterancestors()):
            row = _row(anchor)
            links = {
                int(number[2]): other
                for other in anchors
                if (number := _NUMBER.fullmatch(other.text)) and _row(other) is row
            }
            current = None if row is None else _current_of(row, links, page.url)
            if current is not None and current + 1 in links:
                return links[current + 1].url
            near = (other.url for other in anchors if other.text in _NEAR_SIGNS and _row(other) is row)
            return next(near, anchor.url)
        name = "" if anchor.text else anchor.element.get("class") or ""
        is_next = name and not _NEXT_NAMES.isdisjoint(name.lower().split())
        if is_next and _is_of_pager(anchor.element.iterancestors()) is not False:
            return anchor.url
    return None


def _is_of_pager(around: Iterable[HtmlElement]) -> bool | None:
    """Whether the first of these elements whose name tells is a pager (``True``), or a show of pictures or the heading
    of a box (``False``): the arrows and numbers of these lead elsewhere."""
    for element in islice(around, _AROUND):
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        if _NAMED.search(names):
            return True
        if element.tag in HEADINGS or _SHOW.search(names):
            return False
    return None


def _numbered(page: Page, anchors: Sequence[Anchor]) -> str | None:
    """The URL of the number after the current one, which is no link, links to this page, or is marked by a class.

    Without a current number it is that of a sign beside the numbers, or that of page 2 if all numbers look like pages.
    """
    rows: dict[HtmlElement, dict[int, Anchor]] = {}
    signs: dict[HtmlElement, Anchor] = {}
    for anchor in anchors:
        number = _NUMBER.fullmatch(anchor.text)
        if (number is None and anchor.text not in _SIGNS) or (row := _row(anchor)) is None:
            continue
        if number is None:
            signs.setdefault(row, anchor)
        else:
            rows.setdefault(row, {})[int(number[2])] = anchor
    for row, links in rows.items():
        row_and_box = (row, *islice(row.iterancestors(), 1))
        if len(row) > _LONGEST_PAGER or _is_of_pager(row_and_box) is False:
            continue
        current = _current_of(row, links, page.url)
        if current is not None and current + 1 in links:
            return links[current + 1].url
        if current is None and row in signs:
            return signs[row].url
        if (
            current is None
            and {1, 2} <= links.keys()
            and all(_bears(link.url, number) for number, link in links.items() if number > 1)
        ):
            return links[2].url
    return None


def _bears(url: str, number: int) -> bool:
    """Whether a URL contains its page number, counted from 1 or from 0; the numbers of a picture show lead anywhere."""
    return any(int(result) in (number, number - 1) for result in _DIGITS.findall(url))


def _row(anchor: Anchor) -> HtmlElement | None:
    row = anchor.element.getparent()
    return row.getparent() if row is not None and row.tag in _CELLS else row


def _current_of(row: HtmlElement, links: Mapping[int, Anchor], page_url: str) -> int | None:
    """The number in a row that is marked as current, links to this page, or is no link."""
    for child in row:
        if isinstance(child.tag, str) and _CURRENT.search(child.get("class") or ""):
            number = _current(child, links, page_url)
            if number is not None:
                return number
    if (bare := _NUMBER.fullmatch((row.text or "").strip(_BETWEEN))) and int(bare[2]) not in links:
        return int(bare[2])
    for child in row:
        number = _current(child, links, page_url)
        if number is not None:
            return number
        if (bare := _NUMBER.fullmatch((child.tail or "").strip(_BETWEEN))) and int(bare[2]) not in links:
            return int(bare[2])
    return None


def _current(child: HtmlElement, links: Mapping[int, Anchor], page_url: str) -> int | None:
    match = _NUMBER.fullmatch("".join(child.itertext()).strip()) if isinstance(child.tag, str) else None
    if not match:
        return None
    number = int(match[2])
    link = links.get(number)
    names = f"{child.get('class') or ''} {link.element.get('class') or '' if link else ''}"
    if link is None or link.url.partition("#")[0] == page_url.partition("#")[0] or _CURRENT.search(names):
        return number
    return None
