"""Finds the list of a list page: which links of a page lead to its articles.

Links that stand in the same place (one path of tags and classes from the root) form a group, so several blocks of one make speak
for each other. Each link is weighed by its URL, its text, a date beside it and its place, and shares the verdict of its group.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from itertools import islice

from newsspider.core.listing.groups import LIST_URL, articles_of, dated_titles
from newsspider.core.listing.place import LONG_TITLE, TITLE_LENGTH, Anchor
from newsspider.core.model import Region
from newsspider.core.reading.dates import boxed
from newsspider.core.url import site_domain

# The URL of an article: a date in its path, a number in its name, an id in its query, a long name with a file suffix.
_DATED = re.compile(r"/(?:19|20)\d\d(?:[/_-]|\d{2,4}[/_-]|\d{4}(?!\d))(?=.)|[/_-]t?(?:19|20)\d{6}[_/A-Z]")
_NUMBERED = re.compile(r"\d{4,}[^/]*$|(?:^|[^a-z0-9])\d+\.(?:s?html?|jsp|php|aspx?|do)$|[0-9a-f]{12,}[^/]*$", re.I)
_NAMED = re.compile(r"[^/]{16,}\.s?html?$", re.I)
_ID = re.compile(r"(?:^|&)([a-z_]*(?:id|no|news|article|doc|info|content|tid|bh|key))=[0-9a-f-]*\d", re.I)
# Ids of what holds articles.
_LIST_ID = re.compile(
    r"[a-z_]*(?:class|cat|category|type|col|column|channel|lanmu|node|board|section|sort|menu|dept|tree)_?(?:id|no)|[cf]id", re.I
)
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|bmp|webp|svg|ico|mp[34]|avi|flv|apk|exe)$", re.I)  # or a film, a program
_SLUG = re.compile(r"/(?:(?:[a-z0-9]+-){3,}[a-z0-9]+|(?:%[0-9a-f]{2}){24,})/?$", re.I)  # a title made part of the URL
_LONGEST_URL = 2048  # that is looked at; the patterns look for an end from every beginning
_DIGITS = re.compile(r"\d+")
_SHORT_NUMBER = re.compile(r"/\d{1,4}/?$|\?p=\d+$")  # says nothing alone: an article, a list, a page of one
_NUMBERED_FOLDER = re.compile(r"/\d{5,}/$")  # an article as often as a list
# The URL of a list: a folder, a name that says so.
_LISTED = re.compile(
    r"(?:^|[_.-])(?:i?list|index|default|main|home|node|col|more|channel|column|category|catalog|class|forum|about|contact|copyright|login"
    r"|register|search|sitemap|rss|tags?|keywords?|special|topics?|help|user|member)(?:[_-]?\d+)?(?:[_-]\d+)*(?:\.\w+)?$",
    re.I,
)
_LISTED_FOLDER = re.compile(
    r"/(?:about(?:us)?|authors?|users?|u|space|tags?|keywords?|search|member|profile|login|passport|account|channels?|lanmu|categor(?:y|ies)|lists?)"
    r"/[^/]*/?$",
    re.I,
)
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)日?(?:[\sT]{0,3}(\d{1,2}):(\d\d)(?!\d))?"
)
_SHORT_DATE = re.compile(
    r"(?<!\d)\d{1,2}\s?[-/.月]\s?\d{1,2}(?!\d)日?|\d{1,2}:\d\d(?!\d)|\d+\s?(?:分钟|小时|天)前|昨天|前天|今天|半小时前"
)
_EMPTY_TEXT = re.compile(
    r"更多|详细|详情|全文|查看|阅读|下载|评论|分享|返回|[首尾末]页|\W*[上下前后後]\s?[一\d]?\s?[页篇頁]\W*(?:\d+\W)?|new|\W*|[\d\W]+|(?:read\s)?more\W*|more.*|\[[^\]]*\]|\S+\.(?:jpe?g|png|gif|bmp)"
    r"|(?:阅读|查看|展开)(?:全文|原文|详情|更多)\W*|\W*(?:共?\s?\d+\s?[条次个人]?\s?)?(?:评论|回复|留言|跟[贴帖]|阅读|浏览|点击|收藏|comments?)\W*\d*\W*",
    re.I,
)
_BRACKETED = re.compile(r"\w{4,}\s?[(（【\[]")
_HOST_END = re.compile(r"[?#\\]")  # what ends a host besides a slash
_CHINA = timezone(timedelta(hours=8), "Asia/Shanghai")  # no daylight saving since 1991

# Weights of the evidence that one link leads to an article.
_ARTICLE_URL, _HOME_URL = 2.0, -6.0
_DATE_WEIGHT, _SHORT_DATE_WEIGHT = 2.0, 1.0
_TEXT = (-2.0,) * 4 + (-0.8,) * 2 + (0.0,) * 2 + (0.8,) * 3 + (1.5,) * 5 + (2.0,)  # by Chinese characters, from 0 to 16
_BESIDE_PIECES, _BESIDE_LIMIT = 60, 400  # pieces of text and characters of a list item looked through for a date
_LONGEST_TIME, _LABEL_LENGTH = 30, 8
_MANY = 4  # links whose URLs are alike make a form
_REGION = {Region.FOOTER: -4.0, Region.NAVIGATION: -4.0, Region.SIDE: -4.0, Region.BODY: -4.0}


def article_anchors(
    anchors: Sequence[Anchor], page_url: str, article_url: re.Pattern[str] | None = None
) -> list[Anchor]:
    """Those of a page's links that lead to the articles of its list or lists, in page order, with their dates.

    Articles of other sites are left out unless ``article_url`` says that they are ours, or the lists lead mainly to one other
    domain: then the site serves its articles there. With ``article_url``, all links that match it are articles, those
    beside the main part only if there are no others, and nothing else is one.
    """
    if article_url is not None:
        matching = [anchor for anchor in anchors if article_url.search(anchor.url)]
        chosen = [anchor for anchor in matching if anchor.region is Region.MAIN] or matching
    else:
        chosen = _listed(anchors, page_url)
        ours = _our_domains(chosen, page_url)
        chosen = [anchor for anchor in chosen if domain_of(anchor.url) in ours]
    for anchor in chosen:
        anchor.published_at = full_date(text_beside(anchor))
    return chosen


def text_beside(anchor: Anchor) -> str:
    """The text of a link's list item; of a link that shares its line with others, what follows it."""
    if anchor.beside is None:
        item = anchor.item
        anchor.beside = (
            anchor.element.tail or ""
            if item is None
            else " ".join(islice(item.itertext(), _BESIDE_PIECES))[:_BESIDE_LIMIT]
        )
    return anchor.beside


@lru_cache(maxsize=4096)
def _domain_of_host(host: str) -> str:
    return site_domain(_HOST_END.split(host, maxsplit=1)[0].rpartition("@")[2].lower())


def domain_of(url: str) -> str:
    """The registered domain of an absolute URL; empty if it names no host.

    >>> domain_of("http://www.example.com.cn?id=1"), domain_of("foo")
    ('example.com.cn', '')
    """
    return _domain_of_host(url.partition("://")[2].partition("/")[0])


@lru_cache(maxsize=8192)
def is_article_url(url: str) -> bool | None:
    """What the shape of a URL says: article, list (``False``) or nothing (``None``).

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
    if ((_LISTED_FOLDER.search(path) or _LISTED.search(name)) and not article_id) or _PICTURE.search(name):
        return False
    if (
        article_id
        or _NUMBERED.search(name)
        or (_DATED.search(path) and path.count("/") > 1)
        or _NAMED.search(name)
        or _SLUG.search(path)
    ):
        return True
    if _NUMBERED_FOLDER.search(path):
        return None
    return False if ids or not name or "." not in name else None


def full_date(text: str) -> datetime | None:
    """The first full date of a text, in Chinese time; ``None`` if it names no year or is not a date.

    >>> full_date("[2024-05-17]").isoformat()
    '2024-05-17T00:00:00+08:00'
    """
    if found := _DATE.search(text):
        parts = found.groups()
    elif found := boxed(" ".join(text.split())):
        parts = found.group("year", "month", "day")
    else:
        return None
    try:
        return datetime(*(int(part or 0) for part in parts), tzinfo=_CHINA)  # type: ignore[misc,arg-type]
    except ValueError:
        return None


def _listed(anchors: Sequence[Anchor], page_url: str) -> list[Anchor]:
    """The links that their own weight and that of their group make articles, of whatever site."""
    groups: dict[tuple[str, Region], list[Anchor]] = {}
    numbered = _numbered(anchors)
    alike = _alike(anchors, numbered, page_url.partition("?")[0])
    for anchor in anchors:
        if anchor.url in alike:
            anchor.shape = True
        elif numbered.get(anchor.url):
            anchor.shape = None
        anchor.weight = _weight(anchor)
        groups.setdefault((anchor.path, anchor.region), []).append(anchor)  # blocks of one make differ by their headings
    found = {id(anchor) for group in groups.values() for anchor in articles_of(group)}
    if not found:
        found = {id(anchor) for group in groups.values() for anchor in dated_titles(group)}
    return [anchor for anchor in anchors if id(anchor) in found]


def _numbered(anchors: Sequence[Anchor]) -> dict[str, bool]:
    """The URLs with a short number, and whether each has a title and may be an article by it: what stands behind the link to an
    article is its source."""
    found: dict[str, bool] = {}
    behind = False
    for anchor in anchors:
        if anchor.region is not Region.MAIN:
            continue
        titled = len(anchor.text) >= TITLE_LENGTH
        if anchor.shape is False and _is_short_number(anchor.url):
            found[anchor.url] = found.get(anchor.url, False) or (titled and not behind)
            behind = behind and not titled
        elif not behind and anchor.shape and titled and not _is_time(anchor.text):
            behind = True
    return found


def _alike(anchors: Sequence[Anchor], numbered: Mapping[str, bool], own: str) -> set[str]:
    """The URLs that say nothing or a short number, but differ only by their numbers from others of the page, most of which have titles;
    and those that share their folder, or all but their query, with others, most of which have long ones: not that of the page, ``own``."""
    forms: dict[str, dict[str, bool]] = {}
    folders: dict[str, dict[str, bool]] = {}
    for anchor in anchors:
        url = anchor.url
        if anchor.shape or anchor.region is not Region.MAIN:
            continue
        if anchor.shape is None or url in numbered:
            _note(forms, _DIGITS.sub("0", url), url, numbered.get(url, len(anchor.text) >= TITLE_LENGTH))
        base, _, query = url.partition("?")
        if not query or base != own:
            _note(folders, base if query else base.rpartition("/")[0], url, len(anchor.text) >= LONG_TITLE and numbered.get(url, True))
    return {*_mostly_titled(forms), *(url for url in _mostly_titled(folders) if _may_be_article(url))}


def _mostly_titled(forms: Mapping[str, Mapping[str, bool]]) -> Iterator[str]:
    for titled in forms.values():
        if len(titled) >= _MANY and 2 * sum(titled.values()) > len(titled):
            yield from titled


def _may_be_article(url: str) -> bool:
    """Whether nothing in a URL but its lack of a suffix or its query says that it is a list's."""
    path = url.partition("?")[0]
    return path[-1] != "/" and not _LISTED_FOLDER.search(path) and not _LISTED.search(path.rpartition("/")[2])


def _note(forms: dict[str, dict[str, bool]], form: str, url: str, has_title: bool) -> None:
    titled = forms.setdefault(form, {})
    titled[url] = titled.get(url, False) or has_title


def _is_short_number(url: str) -> bool:
    return url.rstrip("/")[-1:].isdigit() and _SHORT_NUMBER.search(url) is not None and not _LISTED_FOLDER.search(url.partition("?")[0])


def _weight(anchor: Anchor) -> float:
    weight = _ARTICLE_URL if anchor.shape else 0.0 if anchor.shape is None else LIST_URL
    if anchor.url.count("/") < 4 and anchor.url.endswith("/"):
        weight = _HOME_URL
    if anchor.region is not Region.MAIN:
        return weight + _REGION[anchor.region]
    if not anchor.text or _EMPTY_TEXT.fullmatch(anchor.text) or _is_time(anchor.text):
        return weight - 4.0
    weight += _TEXT[min(len(anchor.text[:60].encode("gb18030", "replace")) // 2, 16)]  # two letters for one character
    beside = text_beside(anchor)
    dated = _DATE_WEIGHT if _DATE.search(beside) else _SHORT_DATE_WEIGHT if _SHORT_DATE.search(beside) else 0.0
    anchor.dated = dated > 0
    return weight + dated


def _is_time(text: str) -> bool:
    """Whether a text is a time and at most a label, as of a forum's last reply; a title may end with a day in brackets."""
    if len(text) >= _LONGEST_TIME:
        return False
    rest = _SHORT_DATE.sub("", _DATE.sub("", text))
    return len(rest) <= _LABEL_LENGTH and rest != text and _BRACKETED.match(rest) is None


def _our_domains(chosen: Sequence[Anchor], page_url: str) -> set[str]:
    """The page's own domain, and that of most of its articles, or of the longest list that has one, where dated links count twice."""
    lists: dict[str, list[Anchor]] = {}
    for anchor in chosen:
        lists.setdefault(anchor.path, []).append(anchor)
    longest = sorted(lists.values(), key=lambda group: -sum(1 + anchor.dated for anchor in group))
    return {domain_of(page_url), _main_domain(chosen), next(filter(None, map(_main_domain, longest)), "")}


def _main_domain(chosen: Sequence[Anchor]) -> str:
    domains = Counter(domain_of(anchor.url) for anchor in chosen)
    main, count = domains.most_common(1)[0] if domains else ("", 0)
    return main if count > len(chosen) / 2 and count >= 3 else ""
