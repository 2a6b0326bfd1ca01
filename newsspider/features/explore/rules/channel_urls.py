"""Classifies the URL of a list page as a channel: a section of a site, a list by tag or query, or neither.

Sections are few and permanent. Lists by tag or query string are as many as there are words and parameters; they may
be channels, but rank behind sections. Search results and later pages of another list are no channels.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from newsspider.core.text.numbers import whole_number

# Parameters that hold search words, unless the value is a number.
_SEARCH_PARAMETER = re.compile("q|query|s|so|search(?:word|key|text)?|keywords?|kw|key|wd|words?", re.I)
_SEARCH = re.compile(r"(?:^|[/._-])(?:search|sousuo|soso|query|find)(?:[/._-]|$)", re.I)  # in host or path
_PAGE = frozenset(["page", "p", "pn", "pg", "pageno", "pagenum", "pageindex", "currentpage", "curpage", "paged"])
_FROM = frozenset(["start", "offset", "from"])
# /page/1/ is the first, index_1.html the second
_FURTHER = re.compile(r"/page/(\d+)/?$|/(?:index|default)[_-](\d+)\.\w+$", re.I)
_NUMBER = re.compile(r"[\[(【]?\s*(第\s?)?\d{1,4}(?(1)\s?[页頁])\s*[\])】]?")
_TAG = re.compile(r"/(?:tags?|labels?|keywords?|biaoqian)(?:/|$)", re.I)


def is_search(url: str) -> bool:
    """Whether a URL is a page of search results.

    >>> is_search("http://a.cn/search.php?q=%E9%AB%98%E8%80%83"), is_search("http://a.cn/list.asp?id=7&key=3")
    (True, False)
    """
    parts = urlsplit(url)
    if _SEARCH.search(parts.netloc) or _SEARCH.search(parts.path):
        return True
    return any(
        _SEARCH_PARAMETER.fullmatch(name) and not value.isdigit()
        for name, value in parse_qsl(parts.query, encoding="latin-1")
    )


def is_further_page(url: str, anchor: str = "") -> bool:
    """Whether a URL, or its anchor text, is a later page of a list.

    >>> [is_further_page(f"http://a.cn/{path}") for path in ("list.asp?page=2", "news/page/3/", "index_1.html")]
    [True, True, True]
    >>> is_further_page("http://a.cn/list_12.html")
    False
    """
    if _NUMBER.fullmatch(anchor.strip()):
        return True
    parts = urlsplit(url)
    named = _FURTHER.search(parts.path)
    if named and (named[2] or (whole_number(named[1]) or 0) > 1):
        return True
    numbers = [(name.lower(), whole_number(value) or 0) for name, value in parse_qsl(parts.query, encoding="latin-1")]
    return any((name in _PAGE and number > 1) or (name in _FROM and number > 0) for name, number in numbers)


def is_choice(url: str) -> bool:
    """Whether a list is one of many that a site generates by tag or by query string.

    >>> is_choice("http://a.cn/tag/gaokao/"), is_choice("http://a.cn/list.asp?id=7"), is_choice("http://a.cn/gaokao/")
    (True, True, False)
    """
    parts = urlsplit(url)
    return bool(parts.query) or _TAG.search(parts.path) is not None


def choices_of(url: str) -> str:
    """The common part of such lists of one kind: the URL without its query, or the folder of the tags.

    >>> choices_of("http://a.cn/list.asp?id=7"), choices_of("http://a.cn/tag/gaokao/")
    ('http://a.cn/list.asp', 'http://a.cn/tag/')
    """
    path, mark, _ = url.partition("?")
    return path if mark else path.rstrip("/").rpartition("/")[0] + "/"
