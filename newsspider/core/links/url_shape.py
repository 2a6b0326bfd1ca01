"""Classifies URLs by their shape: an article, a list, or unknown; and finds the domain of a URL."""

from __future__ import annotations

import re

from newsspider.core.caching import bounded_cache
from newsspider.core.text.phrases import any_of
from newsspider.core.url import site_domain

# The URL of an article: a date in its path, a number in its name, an id in its query, a long name with a file suffix.
_DATED = re.compile(r"/(?:19|20)\d\d(?:[/_-]|\d{2,4}[/_-]|\d{4}(?!\d))(?=.)|[/_-]t?(?:19|20)\d{6}[_/A-Z]")
_NUMBERED = re.compile(r"\d{4,}[^/]*$|(?:^|[^a-z0-9])\d+\.(?:s?html?|jsp|php|aspx?|do)$|[0-9a-f]{12,}[^/]*$", re.I)
_NAMED = re.compile(r"[^/]{16,}\.s?html?$", re.I)
_ID = re.compile(r"(?:^|&)([a-z_]*(?:id|no|news|article|doc|info|content|tid|bh|key))=[0-9a-f-]*\d", re.I)
# Ids of channels, users and other collections.
_LIST_ID = re.compile(
    r"[a-z_]*(?:class|cat|category|type|col|column|channel|lanmu|node|board|section|sort|menu|dept|tree|user|"
    r"member|author)_?(?:id|no)|[cfu]id",
    re.I,
)
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|bmp|webp|svg|ico|mp[34]|avi|flv|apk|exe)$", re.I)  # or video, program
# A title made part of the URL.
_SLUG = re.compile(r"/(?:(?:[a-z0-9]+-){3,}[a-z0-9]+|[^/%]*(?:%[0-9a-f]{2}){24,}[^/]*)/?$", re.I)
# A random id: letters of both cases and digits. Names that people give have one case.
_DRAWN = re.compile(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{20,}$")
_LONGEST_URL = 2048  # that is matched, as the time of some patterns is quadratic
_SHORT_NUMBER = re.compile(r"/\d{1,4}/?$|\?p=\d+$")  # ambiguous: an article, a list, a page of one
_NUMBERED_FOLDER = re.compile(r"/\d{5,}/$")  # an article as often as a list
# The URL of a list, by its file name.
_LISTED = re.compile(rf"(?:^|[_.-])(?:{any_of('list_file_names')})(?:[_-]?\d+)?(?:[_-]\d+)*(?:\.\w+)?$", re.I)
_LISTED_FOLDER = re.compile(
    r"/(?:about(?:us)?|authors?|embed|users?|u|space|tags?|keywords?|search|member|profile|login|passport|account|"
    r"channels?|lanmu|categor(?:y|ies)|lists?)"
    r"/[^/]*/?$",
    re.I,
)
# the query of a program that lists, made part of its name
_LISTED_QUERY = re.compile(r"(?:list|search|index)-html?-[^/]*$", re.I)
_HOST_END = re.compile(r"[?#\\]")  # what ends a host besides a slash


@bounded_cache(8192)  # cache: URLs and what their shape says
def is_article_url(url: str) -> bool | None:
    """Whether a URL has the shape of an article (``True``) or a list (``False``); ``None`` if it is unknown.

    >>> is_article_url("http://example.com/jyxw/202405/t20240517_1131.html"), is_article_url("http://example.com/edu/")
    (True, False)
    """
    if len(url) > _LONGEST_URL:
        return None
    path, _, query = url.partition("#")[0].partition("?")
    path = path[path.find("/", 8) :] if "/" in path[8:] else "/"
    name = path.rpartition("/")[2]
    ids = _ID.findall(query) if query else []
    article_id = any(not _LIST_ID.fullmatch(id_) for id_ in ids)
    if (_is_listed(path) and not article_id) or _PICTURE.search(name):
        return False
    if (
        article_id
        or _NUMBERED.search(name)
        or (_DATED.search(path) and path.count("/") > 1)
        or _NAMED.match(name)
        or _SLUG.search(path)
        or _DRAWN.match(name)
    ):
        return True
    if _NUMBERED_FOLDER.search(path):
        return None
    return False if ids or not name or "." not in name else None


def may_be_article(url: str) -> bool:
    """Whether a URL may be an article's: it neither ends with a slash nor has a list's name."""
    path = url.partition("?")[0]
    return path[-1] != "/" and not _is_listed(path)


def _is_listed(path: str) -> bool:
    """Whether a folder or file name is a list's, and not the last word of a title (/2026/11/22/welcome-home.html)."""
    name = path.rpartition("/")[2]
    if _LISTED_FOLDER.search(path) or _LISTED_QUERY.match(name):
        return True
    listed = _LISTED.search(name)
    if listed is None or not listed[0].startswith("-"):
        return listed is not None
    return not (_DATED.search(path) or _SLUG.search(path.rpartition(".")[0] or path))


def is_short_number(url: str) -> bool:
    """Whether a URL ends with a number too short to tell an article from a list."""
    return (
        url.rstrip("/")[-1:].isdigit()
        and _SHORT_NUMBER.search(url) is not None
        and not _LISTED_FOLDER.search(url.partition("?")[0])
    )


def domain_of(url: str) -> str:
    """The registered domain of an absolute URL; empty if it names no host.

    >>> domain_of("http://www.example.com.cn?id=1"), domain_of("foo")
    ('example.com.cn', '')
    """
    return _domain_of_host(url.partition("://")[2].partition("/")[0])


@bounded_cache(4096)  # cache: hosts and their registered domain
def _domain_of_host(host: str) -> str:
    return site_domain(_HOST_END.split(host, maxsplit=1)[0].rpartition("@")[2].lower())
