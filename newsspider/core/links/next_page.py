"""Finds a list's next page: by relation, words, a sign, a number, a pager's script or field. The words for the next
page of an article are those of ``article_parts.py``."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from urllib.parse import urlencode, urlsplit, urlunsplit

from lxml.html import HtmlElement

from newsspider.core.extraction.dom.outline import HEADINGS
from newsspider.core.extraction.dom.page import Page
from newsspider.core.links.link_regions import Anchor
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
_GO = re.compile(r"""location(?:\.href)?\s*=\s*["']([^"'<>]+)["']""")
_CELLS = frozenset(("li", "span", "td"))
_LONGEST_WORDS = 16  # the text of a link to the next page is shorter
_LONGEST_PAGER = 60  # elements
_BETWEEN = " \t\r\n\xa0\u3000|[]()【】"  # characters between the numbers of a pager
_ELEMENTS_AROUND = 8  # elements around an arrow, the names of which say what it turns
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
# The same as plain code: var currentPage = 0; var countPage = 25; ... "index"+"_" + nextPage + "."+"html"
_WRITTEN_COUNT = re.compile(r"\bcurrentPage\s*=\s*(\d{1,9})\b.{0,600}?\bcountPage\s*=\s*(\d{1,9})\b", re.S)
_WRITTEN_NAME = re.compile(
    r"""\b([\w-]+?)(?:["']\s*\+\s*["'])?_["']\s*\+\s*nextPage\s*\+\s*["']\.(?:["']\s*\+\s*["'])?(\w+)"""
)
_NEXT_PAGE = re.compile(r"\+\s*nextPage\s*\+")
_WRITTEN_BEFORE, _WRITTEN_BEHIND = 80, 40  # characters around "nextPage" in which the URL is put together
# The options of a pager's select field, and the script that makes a URL of one: 'index_'+this.value+'.html'.
_CHOICE = re.compile(r"\W*(?:第|page)?\s*(\d{1,4})\s*[页頁]?(?:\s*[/／]?\s*[共of]*\s*\d{1,4}\s*[页頁]?)?\W*", re.I)
_VALUE = r"(?:(?:this|\w+)\.value|this\[this\.selectedIndex\]\.value|this\.options\[this\.selectedIndex\]\.value)"
_TEMPLATE = re.compile(rf"""["']([^"']*)["']\s*\+\s*{_VALUE}(?:\s*\+\s*["']([^"']*)["'])?""")
_FIELD = re.compile(r"[\w-]*page[\w-]*|pn?|pg", re.I)  # the name of a field that a form sends
_MOST_PAGES = 2000  # options of a field
_FIRST_YEAR = 1900
_MOST_BUTTONS = 50  # pager scripts that are looked at: a page has one, or one for each box
_DATA = re.compile(r"\.json\b|\.js\b|callback=|json", re.I)


def next_url(page: Page, anchors: Sequence[Anchor]) -> str | None:
    """The absolute URL of the list's next page; ``None`` if the page links to none."""
    return next((url for url in _candidates(page, anchors) if url and _is_another_page(url, page.url)), None)


def _candidates(page: Page, anchors: Sequence[Anchor]) -> Iterator[str | None]:
    yield from rel_next_urls(page)
    yield from (anchor.url for anchor in anchors if _is_worded(anchor.text))
    yield _signed(page, anchors)
    yield _numbered(page, anchors)
    yield scripted_url(page)
    yield _selected(page)
    yield _pushed(page)


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
    elif "nextPage" in page.text and (written := _written(page.text)):
        element, *parts = None, *written
    else:
        return None
    pages, current, name, suffix = parts
    following, last = int(current) + 1, int(pages) if element else int(pages) - 1
    return absolute(page.base_url, f"{name}_{following}.{suffix}") if following <= last else None


def _written(markup: str) -> tuple[str, str, str, str] | None:
    """From a pager's script: the number of pages, the current page, and the name and suffix of the others."""
    for result in islice(_NEXT_PAGE.finditer(markup), _MOST_BUTTONS):
        name = _WRITTEN_NAME.search(markup, max(0, result.start() - _WRITTEN_BEFORE), result.end() + _WRITTEN_BEHIND)
        if name:
            count = _WRITTEN_COUNT.search(markup)
            return (count[2], count[1], name[1], name[2]) if count else None
    return None


def is_page_number(anchor: Anchor) -> bool:
    """Whether a link looks like one of a pager's numbers."""
    return _NUMBER.fullmatch(anchor.text) is not None


def _selected(page: Page) -> str | None:
    """The URL that a pager's select field has for the next page, in the option, by its script or by its form."""
    for field in page.tree.iter("select") if "<option" in page.text or "<OPTION" in page.text else ():
        pages = list(islice(field.iter("option"), _MOST_PAGES))
        numbers = [
            int(match[1]) if (match := _CHOICE.fullmatch("".join(choice.itertext()).strip())) else 0 for choice in pages
        ]
        first = numbers[0] if numbers else 0
        if len(pages) < 2 or not first or numbers != list(range(first, first + len(pages))):
            continue
        urls = [_chosen(field, choice, page) for choice in pages]
        if first > 1 and not all(url and _bears(url, number) for url, number in zip(urls, numbers, strict=True)):
            continue
        if first >= _FIRST_YEAR:  # years are no pages
            continue
        marked = (at for at, choice in enumerate(pages) if choice.get("selected") is not None)
        same = (at for at, url in enumerate(urls) if url and _without_scheme(url) == _without_scheme(page.url))
        current = next(marked, next(same, 0 if first == 1 else len(pages)))
        if current + 1 >= len(pages):
            return None
        if url := urls[current + 1]:
            return url
    return None


def _chosen(field: HtmlElement, choice: HtmlElement, page: Page) -> str | None:
    """The absolute URL that one option of a select field leads to."""
    value = (choice.get("value") or "").strip()
    script = field.get("onchange") or ""
    if template := _TEMPLATE.search(script) if value and "/" not in value else None:
        return absolute(page.base_url, template[1] + value + (template[2] or ""))
    if any(mark in value for mark in "./?"):
        return absolute(page.base_url, value)
    name = field.get("name") or ""
    form = next(field.iterancestors("form"), None) if value.isdigit() and _FIELD.fullmatch(name) else None
    if form is None or (form.get("method") or "get").lower() != "get":
        return None
    target = urlsplit(absolute(page.base_url, form.get("action") or "") or page.url)
    sent = {hidden.get("name") or "": hidden.get("value") or "" for hidden in form.iter("input") if _is_hidden(hidden)}
    return urlunsplit(target._replace(query=urlencode(sent | {name: value}), fragment=""))


def _is_hidden(field: HtmlElement) -> bool:
    return (field.get("type") or "").lower() == "hidden" and bool(field.get("name"))


def _pushed(page: Page) -> str | None:
    """The URL that a button, or a link without one, opens by a plain script or a data attribute."""
    # the search below is slow
    if "下一页" not in page.text or not any(match in page.text for match in ("location", "data-href", "data-url")):
        return None
    for element in page.tree.iter("a", "button", "input", "span"):
        match = _GO.search(element.get("onclick") or element.get("href") or "")
        url = match[1] if match else element.get("data-href") or element.get("data-url") or ""
        if not (match or any(mark in url for mark in "/.?")):
            continue
        if _is_worded((element.get("value") or "".join(element.itertext())).strip()):
            return None if _DATA.search(url) else absolute(page.base_url, url)
    return None


def _is_worded(text: str) -> bool:
    return len(text) < _LONGEST_WORDS and _WORDS.fullmatch(text) is not None


def rel_next_urls(page: Page) -> Iterator[str]:
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
    for element in islice(around, _ELEMENTS_AROUND):
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
        if len(row) > _LONGEST_PAGER or _is_calendar(row, rows) or _is_of_pager(row_and_box) is False:
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


def _is_calendar(row: HtmlElement, rows: Container[HtmlElement]) -> bool:
    """Whether a row of a table has rows of numbers beside it."""
    return row.tag == "tr" and any(other in rows for other in (row.getprevious(), row.getnext()))


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
