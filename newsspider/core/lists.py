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
from functools import lru_cache

from lxml.html import HtmlElement

from newsspider.core.model import Region
from newsspider.core.url import site_domain

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
_LISTED_FOLDER = re.compile(r"/(?:authors?|users?|u|space|tags?|search|member|profile|login|passport|account)/", re.I)
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)日?(?:[\sT]{0,3}(\d{1,2}):(\d\d)(?!\d))?"
)
_SHORT_DATE = re.compile(
    r"(?<!\d)\d{1,2}\s?[-/.月]\s?\d{1,2}(?!\d)日?|\d{1,2}:\d\d(?!\d)|\d+\s?(?:分钟|小时|天)前|昨天|今天"
)
_EMPTY_TEXT = re.compile(
    r"更多|详细|详情|全文|查看|阅读|下载|评论|分享|首页|返回|上一[页篇]|\W*|[\d\W]+|(?:read\s)?more\W*|more.*|\[[^\]]*\]",
    re.I,
)
_WITHOUT_DIGITS = re.compile(r"\d+")
_LIST_TAGS = frozenset(("ul", "ol", "dl", "table"))
_BLOCK_TAGS = _LIST_TAGS | {"div", "section"}
_ITEM_TAGS = frozenset(
    [
        "a",
        "li",
        "dd",
        "dt",
        "tr",
        "td",
        "th",
        "p",
        "span",
        "em",
        "i",
        "b",
        "strong",
        "font",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "tbody",
        "article",
    ]
)
_CHINA = timezone(timedelta(hours=8), "Asia/Shanghai")  # no daylight saving since 1991

# Weights of the evidence that one link leads to an article; a link is one from THRESHOLD on.
THRESHOLD = 2.0
_ARTICLE_URL, _LIST_URL, _HOME_URL = 2.0, -2.0, -6.0
_DATE_WEIGHT, _SHORT_DATE_WEIGHT = 2.0, 1.0
_TEXT = (-2.0,) * 4 + (-0.8,) * 2 + (0.0,) * 2 + (0.8,) * 3 + (1.5,) * 5 + (2.0,)  # by Chinese characters, from 0 to 16
_BESIDE_LIMIT = 400  # characters of a list item looked through for a date
_TITLE_LENGTH = 9
_LABEL_LENGTH = 8
_SLACK = 2.5  # how far one link of a good group may fall below THRESHOLD
_FEW, _MOST = 5, 0.7  # an element with so many titles, and this share of the page's, is its main part
_REGION = {Region.FOOTER: -4.0, Region.NAVIGATION: -4.0, Region.SIDE: -4.0, Region.BODY: -4.0}


@dataclass(slots=True, eq=False)
class Anchor:
    """One link as it stands in the tree; :func:`place` fills in where."""

    element: HtmlElement
    url: str
    text: str
    path: str = ""  # tags and classes from the root
    region: Region = Region.MAIN
    item: HtmlElement | None = None  # the largest element around it that holds no other URL
    published_at: datetime | None = None
    weight: float = 0.0


@dataclass(slots=True, eq=False)
class _Node:
    """An element with links in it."""

    element: HtmlElement
    parent: int
    titles: int = 0  # links in it with a text as long as a title
    url: str | None = None  # of its links, if they have but one; empty if they have several
    path: str = ""
    region: Region = Region.MAIN


def place(anchors: Sequence[Anchor]) -> None:
    """Say of all links of one page where they stand: one walk over the elements above them."""
    nodes: list[_Node] = []
    own = _climb(anchors, nodes)
    for node in reversed(nodes):  # children come after their parents
        if node.parent >= 0:
            above = nodes[node.parent]
            above.titles += node.titles
            above.url = node.url if above.url in (None, node.url) else ""
    for node in nodes:
        _settle(node, nodes[node.parent] if node.parent >= 0 else None, nodes[0].titles)
    for anchor, index in zip(anchors, own, strict=True):
        node = nodes[index]
        anchor.path, anchor.region = node.path, node.region
        while node.url and node.parent >= 0 and node.element.tag != "body":
            anchor.item = node.element
            node = nodes[node.parent]


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
        chosen = _listed(anchors)
        ours = _our_domains(chosen, page_url)
        chosen = [anchor for anchor in chosen if domain_of(anchor.url) in ours]
    for anchor in chosen:
        anchor.published_at = full_date(text_beside(anchor))
    return chosen


def text_beside(anchor: Anchor) -> str:
    """The text of a link's list item; of a link that shares its line with others, what follows it."""
    if anchor.item is None:
        return anchor.element.tail or ""
    return " ".join(anchor.item.itertext())[:_BESIDE_LIMIT]


@lru_cache(maxsize=4096)
def _domain_of_host(host: str) -> str:
    return site_domain(host.rpartition("@")[2].lower())


def domain_of(url: str) -> str:
    """The registered domain of an absolute URL."""
    return _domain_of_host(url.split("/", 3)[2])


@lru_cache(maxsize=8192)
def is_article_url(url: str) -> bool | None:
    """What the shape of a URL says: article, list (``False``) or nothing (``None``).

    >>> is_article_url("http://example.com/jyxw/202405/t20240517_1131.html"), is_article_url("http://example.com/edu/")
    (True, False)
    """
    path, _, query = url.partition("#")[0].partition("?")
    path = path[path.find("/", 8) :] if "/" in path[8:] else "/"
    name = path.rpartition("/")[2]
    if _LISTED_FOLDER.search(path) or (_LISTED.search(name) and not _ID.search(query)):
        return False
    if (
        _ID.search(query)
        or _NUMBERED.search(name)
        or (_DATED.search(path) and path.count("/") > 1)
        or _NAMED.search(name)
    ):
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


def _climb(anchors: Sequence[Anchor], nodes: list[_Node]) -> list[int]:
    """Fill ``nodes`` with all elements that hold links, parents first; return which of them each link stands in."""
    known: dict[HtmlElement, int] = {}
    own = []
    for anchor in anchors:
        chain = []
        element = anchor.element.getparent()
        while element is not None and element not in known:
            chain.append(element)
            element = element.getparent()
        parent = -1 if element is None else known[element]
        for element in reversed(chain):
            known[element] = len(nodes)
            nodes.append(_Node(element, parent))
            parent = len(nodes) - 1
        node = nodes[parent]
        node.titles += len(anchor.text) >= _TITLE_LENGTH
        node.url = anchor.url if node.url in (None, anchor.url) else ""
        own.append(parent)
    return own


def _settle(node: _Node, above: _Node | None, titles: int) -> None:
    """Give a node its path and region; what holds most titles of the page is its main part, whatever its name."""
    element = node.element
    tag = element.tag
    name = f"{element.get('class') or ''} {element.get('id') or ''}".strip()
    node.region = above.region if above else Region.MAIN
    if (
        node.region is Region.MAIN
        and tag not in ("body", "html")
        and (node.titles < _FEW or node.titles < _MOST * titles)
    ):
        headed = _headed_region(element) if tag in _BLOCK_TAGS else Region.MAIN
        node.region = _PART_TAGS.get(tag) or _named_region(name) or headed
    own = tag if tag in _ITEM_TAGS or not name else f"{tag}.{_WITHOUT_DIGITS.sub('', name.split()[0])}"
    node.path = f"{above.path}/{own}" if above else own


@lru_cache(maxsize=4096)
def _named_region(name: str) -> Region | None:
    if name and len(name) < 100:
        for region, pattern in _PARTS:
            if pattern.search(name):
                return region
    return None


def _headed_region(block: HtmlElement) -> Region:
    """What the heading of a block says: its own first short text, or that of the element just before it."""
    for head in (block.getprevious(), block[0] if len(block) else None):
        if head is None or len(head) > 4 or head.tag in _LIST_TAGS:
            continue
        text = "".join(head.itertext()).strip() if len(head) else (head.text or "").strip()
        if 0 < len(text) <= 14 and (len(head) < 2 or len(head.findall(".//a")) < 2):
            if _FOOTER_HEADING.search(text):
                return Region.FOOTER
            if _SIDE_HEADING.search(text):
                return Region.SIDE
    return Region.MAIN


def _listed(anchors: Sequence[Anchor]) -> list[Anchor]:
    """The links that their own weight and that of their group make articles, of whatever site."""
    groups: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        anchor.weight = _weight(anchor)
        groups.setdefault(anchor.path, []).append(anchor)
    found = {id(anchor) for group in groups.values() for anchor in _items(group)}
    return [anchor for anchor in anchors if id(anchor) in found]


def _weight(anchor: Anchor) -> float:
    shape = is_article_url(anchor.url)
    weight = _ARTICLE_URL if shape else 0.0 if shape is None else _LIST_URL
    if anchor.url.count("/") < 4 and anchor.url.endswith("/"):
        weight = _HOME_URL
    if anchor.region is not Region.MAIN:
        return weight + _REGION[anchor.region]
    if not anchor.text or _EMPTY_TEXT.fullmatch(anchor.text) or _is_time(anchor.text):
        return weight - 4.0
    weight += _TEXT[min(len(anchor.text[:60].encode("gb18030", "replace")) // 2, 16)]  # two letters for one character
    beside = text_beside(anchor)
    if _DATE.search(beside):
        weight += _DATE_WEIGHT
    elif _SHORT_DATE.search(beside):
        weight += _SHORT_DATE_WEIGHT
    return weight


def _is_time(text: str) -> bool:
    """Whether a text is a time and at most a label, as of a forum's last reply."""
    return len(text) < 30 and len(rest := _SHORT_DATE.sub("", _DATE.sub("", text))) <= _LABEL_LENGTH and rest != text


def _items(group: list[Anchor]) -> list[Anchor]:
    """The articles of one group: its mean weight decides, single links may fall out of it.

    Beside links with the URL of an article, one with the URL of a list is a channel with a long name.
    """
    mean = sum(anchor.weight for anchor in group) / len(group)
    shapes = [is_article_url(anchor.url) for anchor in group]
    return [
        anchor
        for anchor, shape in zip(group, shapes, strict=True)
        if (anchor.weight + 2 * mean) / 3 >= THRESHOLD
        and anchor.weight >= THRESHOLD - _SLACK
        and not (shape is False and True in shapes)
    ]


def _our_domains(chosen: Sequence[Anchor], page_url: str) -> set[str]:
    own = domain_of(page_url)
    domains = Counter(domain_of(anchor.url) for anchor in chosen)
    main, count = domains.most_common(1)[0] if domains else (own, 0)
    return {own, main} if count > len(chosen) / 2 and count >= 3 else {own}
