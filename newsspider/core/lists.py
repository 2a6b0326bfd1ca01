"""Finds the list of a list page: which links of a page lead to its articles, and where on the page each link stands.

Links that stand in the same place (one path of tags and classes from the root) form a group, so several blocks of one make speak
for each other. Each link is weighed by its URL, its text, a date beside it and its place, and shares the verdict of its group.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from lxml.html import HtmlElement

from newsspider.core.model import Region
from newsspider.core.url import host_of, site_domain

# Names (class, id) and tags of the parts of a page.
_PARTS = (
    (Region.FOOTER, re.compile(r"foot(?!ball)|copyright|banquan|friend|flink|yqlj|youqing|partner|beian", re.I)),
    (
        Region.NAVIGATION,
        re.compile(
            r"(?<![a-z])nav|nav(?![a-z])|navi|menu|crumb|position(?![a-z])|weizhi|location|top-?bar|(?<![a-z])head(?:er)?(?![a-z])|login"
            r"|search|share|toolbar|(?<![a-z])tabs?(?![a-z])|pagination|pager(?![a-z])|paging|page-?(?:nav|bar|turn|list|num)",
            re.I,
        ),
    ),
    (
        Region.SIDE,
        re.compile(
            r"aside|side-?bar|(?<![a-z])hot|rank|paihang|phb|top-?10|recommend|tuijian|related|relate|xiangguan|guess|(?<![a-z])tags?(?![a-z])"
            r"|tag-?cloud|keywords|(?<![a-z])ads?(?![a-z])|advert|guanggao|banner|comment|download|qrcode|(?<![a-z])float",
            re.I,
        ),
    ),
)
_PART_TAGS = {"nav": Region.NAVIGATION, "footer": Region.FOOTER, "aside": Region.SIDE}
# Headings of blocks that hold no news of their own.
_SIDE_HEADING = re.compile(
    r"排行|点击榜|热榜|周榜|月榜|热门|最热|推荐阅读|相关(?:阅读|新闻|文章|链接|推荐|专题)|猜你喜欢|标签|广告|赞助|推广"
    r"|快速(?:链接|通道|入口)|常用|下载中心"
)
_FOOTER_HEADING = re.compile(r"友情链接|友情鏈接|相关链接|合作(?:伙伴|媒体|网站)|网站链接|^links$", re.I)

# The URL of an article: a date in its path, a number in its name, an id in its query, a long name with a file suffix.
_DATED = re.compile(r"/(?:19|20)\d\d(?:[/_-]|\d{2,4}[/_-]|\d{4}(?!\d))(?=.)|[/_-]t?(?:19|20)\d{6}[_/A-Z]")
_NUMBERED = re.compile(r"\d{4,}[^/]*$|(?:^|[^a-z0-9])\d+\.(?:s?html?|jsp|php|aspx?|do)$|[0-9a-f]{12,}[^/]*$", re.I)
_NAMED = re.compile(r"[^/]{16,}\.s?html?$", re.I)
_ID = re.compile(r"(?:^|&)[a-z_]*(?:id|no|news|article|doc|info|content|tid|bh|key)=[0-9a-f-]*\d", re.I)
# The URL of a list: a folder, a name that says so.
_LISTED = re.compile(
    r"(?:^|[_.-])(?:i?list|index|default|main|home|node|col|more|channel|column|category|catalog|class|forum|about|contact|copyright|login"
    r"|register|search|sitemap|rss|tags?|keywords?|special|topics?|help|user|member)(?:[_-]?\d+)*(?:[_-]\d+)*(?:\.\w+)?$",
    re.I,
)
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)日?(?:[\sT]{0,3}(\d{1,2}):(\d\d)(?!\d))?"
)
_SHORT_DATE = re.compile(r"(?<!\d)\d{1,2}\s?[-/.月]\s?\d{1,2}(?!\d)日?|\d{1,2}:\d\d(?!\d)|\d+\s?(?:分钟|小时|天)前|昨天|今天")
_EMPTY_TEXT = re.compile(
    r"更多|详细|详情|全文|查看|阅读|下载|评论|分享|首页|返回|上一[页篇]|\W*|[\d\W]+|(?:read\s)?more\W*|more.*|\[[^\]]*\]", re.I
)
_ITEM_TAGS = frozenset(["a", "li", "dd", "dt", "tr", "td", "th", "p", "span", "em", "i", "b", "strong", "font", "h1", "h2", "h3", "h4", "h5", "h6", "tbody", "article"])
_CHINA = timezone(timedelta(hours=8), "Asia/Shanghai")  # no daylight saving since 1991

# Weights of the evidence that one link leads to an article; a link is one from THRESHOLD on.
THRESHOLD = 2.0
_ARTICLE_URL, _LIST_URL, _HOME_URL = 2.0, -2.0, -6.0
_DATE_WEIGHT, _SHORT_DATE_WEIGHT = 2.0, 1.0
_TEXT = ((16, 2.0), (11, 1.5), (8, 0.8), (6, 0.0), (4, -0.8), (0, -2.0))  # from so many characters on
_REGION = {Region.FOOTER: -4.0, Region.NAVIGATION: -4.0, Region.SIDE: -4.0, Region.BODY: -4.0}


@dataclass(slots=True, frozen=True)
class Place:
    """An element that links stand in: the path that makes a group of them, and its region."""

    path: str
    region: Region


@dataclass(slots=True)
class Anchor:
    """One link as it stands in the tree."""

    element: HtmlElement
    url: str
    text: str
    place: Place
    beside: str = ""  # the text of its list item
    published_at: datetime | None = None
    weight: float = 0.0


def place_of(element: HtmlElement, known: dict[HtmlElement, Place]) -> Place:
    """Where an element stands; ``known`` remembers the elements above it for the next call on the same page."""
    chain = []
    node: HtmlElement | None = element
    while node is not None and node not in known:
        chain.append(node)
        node = node.getparent()
    place = known[node] if node is not None else Place("", Region.MAIN)
    for node in reversed(chain):
        place = known[node] = _inside(place, node)
    return place


def article_anchors(anchors: Sequence[Anchor], page_url: str, article_url: re.Pattern[str] | None = None) -> list[Anchor]:
    """Those of a page's links that lead to the articles of its list or lists, in page order, with their dates.

    Articles of other sites are left out unless ``article_url`` says that they are ours, or the lists lead mainly to one other
    domain: then the site serves its articles there. With ``article_url``, nothing else is an article.
    """
    items = _item_texts(anchors)
    for anchor in anchors:
        anchor.beside = items.get(anchor.element, "")
        anchor.weight = _weight(anchor, article_url)
    groups: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        groups.setdefault(anchor.place.path, []).append(anchor)
    found = {id(anchor) for group in groups.values() for anchor in _items(group)}
    chosen = [anchor for anchor in anchors if id(anchor) in found]
    if article_url is None:
        ours = _our_domains(chosen, page_url)
        chosen = [anchor for anchor in chosen if site_domain(host_of(anchor.url)) in ours]
    for anchor in chosen:
        anchor.published_at = full_date(anchor.beside)
    return chosen


def is_article_url(url: str) -> bool | None:
    """What the shape of a URL says: article, list (``False``) or nothing (``None``).

    >>> is_article_url("http://example.com/jyxw/202405/t20240517_1131.html"), is_article_url("http://example.com/edu/")
    (True, False)
    """
    path, _, query = url.partition("#")[0].partition("?")
    path = path[path.find("/", 8) :] if "/" in path[8:] else "/"
    name = path.rpartition("/")[2]
    if _LISTED.search(name) and not _ID.search(query):
        return False
    if _ID.search(query) or _NUMBERED.search(name) or (_DATED.search(path) and path.count("/") > 1) or _NAMED.search(name):
        return True
    return False if not name or "." not in name else None


def full_date(text: str) -> datetime | None:
    """The first full date of a text, in Chinese time; ``None`` if it names no year or is not a date.

    >>> full_date("[2024-05-17]").isoformat()
    '2024-05-17T00:00:00+08:00'
    """
    found = _DATE.search(text)
    if not found:
        return None
    try:
        return datetime(*(int(part or 0) for part in found.groups()), tzinfo=_CHINA)  # type: ignore[misc,arg-type]
    except ValueError:
        return None


def _inside(outer: Place, node: HtmlElement) -> Place:
    tag = node.tag if isinstance(node.tag, str) else "?"
    name = f"{node.get('class') or ''} {node.get('id') or ''}".strip()
    region = outer.region
    if region is Region.MAIN and tag not in ("body", "html"):
        region = _PART_TAGS.get(tag) or _named_region(name) or _headed_region(node, tag) or region
    own = "" if tag in _ITEM_TAGS or not name else "." + re.sub(r"\d+", "", name.split()[0])
    return Place(f"{outer.path}/{tag}{own}", region)


def _named_region(name: str) -> Region | None:
    if name and len(name) < 100:
        for region, pattern in _PARTS:
            if pattern.search(name):
                return region
    return None


def _headed_region(node: HtmlElement, tag: str) -> Region | None:
    """What the heading of a block says: its own first short text, or for a list the one just before it."""
    if tag not in ("div", "ul", "ol", "dl", "table", "section", "td", "form"):
        return None
    before = node.getprevious() if tag in ("ul", "ol", "dl", "table", "div") else None
    for head in (before, node[0] if len(node) else None):
        if head is None or len(head) > 4 or head.tag in ("ul", "ol", "dl", "table") or len(head.findall(".//a")) > 1:
            continue
        text = (head.text or "").strip() or "".join(head.itertext()).strip()
        if 0 < len(text) <= 14:
            if _FOOTER_HEADING.search(text):
                return Region.FOOTER
            if _SIDE_HEADING.search(text):
                return Region.SIDE
    return None


def _item_texts(anchors: Sequence[Anchor]) -> dict[HtmlElement, str]:
    """The text around each link that belongs to it alone: of the largest element above it that holds no other URL."""
    owner: dict[HtmlElement, str] = {}
    shared: set[HtmlElement] = set()
    for anchor in anchors:
        for node in anchor.element.iterancestors():
            if node in shared:
                break
            if owner.setdefault(node, anchor.url) != anchor.url:
                shared.add(node)
    shared_text: dict[HtmlElement, str] = {}
    for anchor in anchors:
        if anchor.place.region is not Region.MAIN:
            continue
        node = anchor.element
        for above in node.iterancestors():
            if above in shared or above.tag == "body":
                break
            node = above
        shared_text[anchor.element] = " ".join(node.itertext())[:600] if node is not anchor.element else anchor.element.tail or ""
    return shared_text


def _weight(anchor: Anchor, article_url: re.Pattern[str] | None) -> float:
    if article_url is not None:
        return _ARTICLE_URL * 2 + _REGION.get(anchor.place.region, 0.0) / 2 if article_url.search(anchor.url) else -9.0
    shape = is_article_url(anchor.url)
    weight = _ARTICLE_URL if shape else 0.0 if shape is None else _LIST_URL
    if anchor.url.count("/") < 4 and anchor.url.endswith("/"):
        weight = _HOME_URL
    weight += _REGION.get(anchor.place.region, 0.0)
    if anchor.text and _EMPTY_TEXT.fullmatch(anchor.text):
        return weight - 4.0
    size = sum(1.0 if mark >= "\u2e80" else 0.5 for mark in anchor.text[:60])
    weight += next(value for least, value in _TEXT if size >= least)
    if _DATE.search(anchor.beside):
        weight += _DATE_WEIGHT
    elif _SHORT_DATE.search(anchor.beside):
        weight += _SHORT_DATE_WEIGHT
    return weight


def _items(group: list[Anchor]) -> list[Anchor]:
    """The articles of one group: its mean weight decides, single links may fall out of it."""
    mean = sum(anchor.weight for anchor in group) / len(group)
    return [anchor for anchor in group if (anchor.weight + mean) / 2 >= THRESHOLD and anchor.weight >= THRESHOLD - 1.5]


def _our_domains(chosen: Sequence[Anchor], page_url: str) -> set[str]:
    own = site_domain(host_of(page_url))
    domains = Counter(site_domain(host_of(anchor.url)) for anchor in chosen)
    main, count = domains.most_common(1)[0] if domains else (own, 0)
    return {own, main} if count > len(chosen) / 2 and count >= 3 else {own}
