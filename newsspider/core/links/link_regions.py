"""The places of a page's links: the path, the region and the list item of each.

Tells the list from rankings, recommendations and other side boxes by their names (``words/list_side_class_names.txt``),
then by their headings (``words/list_box_headings.txt``); :func:`place_links` says when such a box is the list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from lxml.html import HtmlElement

from newsspider.core.caching import bounded_cache
from newsspider.core.links.url_shape import domain_of, is_article_url
from newsspider.core.model import Region
from newsspider.core.text.phrases import any_of

# Names (class, id) of the parts of a page.
_FOOTER = re.compile(r"foot(?!ball)|copyright|banquan|friend|flink|yqlj|youqing|partner|beian", re.I)
_NAVIGATION = re.compile(any_of("navigation_class_names"), re.I)
_SIDE = re.compile(any_of("list_side_class_names"), re.I)
_PARTS = ((Region.FOOTER, _FOOTER), (Region.NAVIGATION, _NAVIGATION), (Region.SIDE, _SIDE))
# Ambiguous names: of tabs, and as often of the boxes they switch; of advertisements, and as often of the headlines that
# rotate at the top of a page. An element with titles is one of the latter.
_EITHER = (
    (Region.NAVIGATION, re.compile(r"(?<![a-z])tabs?(?![a-z])", re.I)),
    (Region.SIDE, re.compile(r"banner", re.I)),
)
# Names of recommendations beside a list, and on front pages of the list itself.
_FEED = re.compile(r"recommend|tuijian|guess|(?<![a-z])hot", re.I)
_PART_TAGS = {"nav": Region.NAVIGATION, "footer": Region.FOOTER, "aside": Region.SIDE}
_SIDE_HEADING = re.compile(any_of("list_box_headings"))
_ADVERT = re.compile(r"\W*(?:广告|廣告|赞助|推广)\W*")  # the label of an advertisement
_SHOWN = ("iframe", "img", "ins", "object", "script")
_NEWS_HEADING = re.compile(r"^[^热熱荐薦榜]*(?:要闻|要聞|头条|頭條|最新|新闻|新聞|资讯|資訊|快讯|快訊|动态|動態)")
_FOOTER_HEADING = re.compile(r"友情链接|友情鏈接|相关链接|合作(?:伙伴|媒体|网站)|网站链接|^links$", re.I)

_WITHOUT_DIGITS = re.compile(r"\d+")
_LIST_TAGS = frozenset(("ul", "ol", "dl", "table"))
_BLOCK_TAGS = _LIST_TAGS | {"div", "section"}
# The parts of a list item, whose class names differ from item to item.
ITEM_TAGS = frozenset(
    (
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
    )
)
_HEADING_PIECES = 8  # pieces of text that a heading has at most
TITLE_LENGTH = 9
LONG_TITLE = 13  # longer than any channel's name
_LEAST_MAIN_TITLES = 5  # titles of a main part, at least
_LEAST_BOX_TITLES = 3  # titles by which an ambiguous name is that of a box
_ALIKE_NEIGHBOURS = 3  # neighbours of the same name by which an element is an item of a list
# An element with this share of the page's titles is its main part, whatever its name or its heading says. Names of
# wrappers are often misleading, the heading of a box seldom is.
_NAMED_SHARE, _HEADED_SHARE = 0.6, 0.85
_LEAST_BOXES, _LEAST_RANKED = 2, 15  # boxes of a ranking, and titles in them, at least
# titles of a list in a box named as a recommendation by which it may be the main one; how many times as long as any
# other it is, unless it has dates; titles by which it may be if it is headed as news or alone has dates
_FED_TITLES, _TIMES_LONGER, _FED_NEWS_TITLES = 15, 2, 8
_MOMENT = re.compile(r"\d[-/.:年月]\s?\d|\d\s?(?:秒|分钟|分鐘|小时|小時|天)前|[今昨前]天|刚刚|剛剛")
FEWEST_LINKS = 3  # links of a row
# links about the site itself, at least, and their share, by which a row is a footer
FEW_ABOUT, SHARE_ABOUT = 2, 0.3
_ABOUT = re.compile(
    r"(?:关于|联系|聯絡|關於)(?:我们|本站|本网|我們)|版权|版權|(?:免责|法律|隐私|隱私)\w{0,6}(?:声明|政策|條款|聲明)|网站(?:地图|声明|导航)|網站地圖"
    r"|ICP备|公网安备|诚聘英才|广告(?:服务|刊例)|意见反馈"
)


@dataclass(slots=True, eq=False)
class Anchor:
    """A link in the tree; :func:`place_links` sets its place."""

    element: HtmlElement
    url: str
    text: str
    path: str = ""  # tags and classes from the root
    region: Region = Region.MAIN
    item: HtmlElement | None = None  # the largest element around it that holds no other URL
    row: HtmlElement | None = None  # the smallest element around it that holds other URLs
    neighbours: int = 0  # links in the row
    item_text: str | None = None  # the text of its list item, once it was needed
    published_at: datetime | None = None
    weight: float = 0.0
    shape: bool | None = None  # True: article, False: list, None: unknown; by its URL, then by the rest of the page
    dated: bool = False  # there is a date beside it
    known: bool = False  # it is where articles of the page were before


@dataclass(slots=True, eq=False)
class _Node:
    """An element with links in it."""

    element: HtmlElement
    parent: int
    links: int = 0
    titles: int = 0  # links in it with a text as long as a title, and too long for a channel's name
    url: str | None = None  # of its links, if all have the same one; empty if they have several
    path: str = ""
    region: Region = Region.MAIN


def place_links(anchors: Sequence[Anchor], is_article: Callable[[], bool] = lambda: True, elsewhere: int = 0) -> None:
    """Set the places of all links of a page, in one walk over their ancestors.

    If boxes that are named as rankings and the like have nearly all titles, or one named as a recommendation has the
    longest list, they are the main part, unless the page ``is_article``. ``elsewhere`` is the number of titles in a
    list that is not in the tree.
    """
    nodes: list[_Node] = []
    own = _climb(anchors, nodes)
    for node in reversed(nodes):  # children come after their parents
        if node.parent >= 0:
            above = nodes[node.parent]
            above.links += node.links
            above.titles += node.titles
            above.url = node.url if above.url in (None, node.url) else ""
    stories = {anchor.element for anchor in anchors if anchor.shape and len(anchor.text) >= TITLE_LENGTH}
    titles = nodes[0].titles + elsewhere if nodes else 0
    for node in nodes:
        _settle(node, nodes[node.parent] if node.parent >= 0 else None, titles, stories)
    boxes = _main_boxes(nodes, titles) | _feeds(anchors, nodes, own, stories, elsewhere)
    if boxes and not is_article():
        changed: set[int] = set()  # the boxes and what is in them
        for index, node in enumerate(nodes):
            if node.element in boxes or node.parent in changed:
                changed.add(index)
                _settle(node, nodes[node.parent], titles, stories, boxes)
    for anchor, index in zip(anchors, own, strict=True):
        node = nodes[index]
        anchor.path, anchor.region = node.path, node.region
        while node.url and node.parent >= 0 and node.element.tag != "body":
            anchor.item = node.element
            node = nodes[node.parent]
        anchor.row, anchor.neighbours = node.element, node.links


def _climb(anchors: Sequence[Anchor], nodes: list[_Node]) -> list[int]:
    """Fill ``nodes`` with all elements that contain links, parents first; return the index of each link's parent."""
    index_of: dict[HtmlElement, int] = {}
    own = []
    for anchor in anchors:
        chain = []
        element = anchor.element.getparent()
        while element is not None and element not in index_of:
            chain.append(element)
            element = element.getparent()
        parent = -1 if element is None else index_of[element]
        for element in reversed(chain):
            index_of[element] = len(nodes)
            nodes.append(_Node(element, parent))
            parent = len(nodes) - 1
        node = nodes[parent]
        node.links += 1
        node.titles += _has_title(anchor)
        node.url = anchor.url if node.url in (None, anchor.url) else ""
        own.append(parent)
    return own


def _has_title(anchor: Anchor) -> bool:
    """Whether the text of a link is as long as a title, and too long for a channel's name."""
    return len(anchor.text) >= (LONG_TITLE if anchor.shape is False else TITLE_LENGTH)


def _main_boxes(nodes: Sequence[_Node], titles: int) -> set[HtmlElement]:
    """The boxes that are named like side boxes but hold nearly all titles of the page: several with the same path."""
    around = [node for node in nodes if node.region is not Region.MAIN and nodes[node.parent].region is Region.MAIN]
    boxes = [node for node in around if node.region is Region.SIDE and node.titles >= _LEAST_MAIN_TITLES]
    alike = Counter(box.path for box in boxes)
    boxes = [box for box in boxes if alike[box.path] >= _LEAST_BOXES]
    box_titles = sum(box.titles for box in boxes)
    main_titles = titles - sum(node.titles for node in around)
    if box_titles < max(_LEAST_RANKED, _HEADED_SHARE * (box_titles + main_titles)):
        return set()
    results = {box.element for box in boxes}
    for node in nodes:
        if nodes[node.parent].element in results:
            results.add(node.element)
    return results


def _feeds(
    anchors: Sequence[Anchor],
    nodes: Sequence[_Node],
    own: Sequence[int],
    stories: Container[HtmlElement],
    elsewhere: int,
) -> set[HtmlElement]:
    """The boxes that are named as recommendations but hold the longest list of the page, and the parts of them that
    are named so: what most links of a page stand in is no side box. ``own`` are the indexes of the nodes around
    each link."""
    box_of: list[int] = []  # for each node, -1 outside of such boxes
    for index, node in enumerate(nodes):
        above = box_of[node.parent] if node.parent >= 0 else -1
        is_top = (
            node.region is Region.SIDE and nodes[node.parent].region is Region.MAIN and node.titles >= _FED_NEWS_TITLES
        )
        box_of.append(index if is_top and _may_be_feed(node, stories) else above)
    if max(box_of, default=-1) < 0:
        return set()
    lists: dict[tuple[int, str], set[str]] = {}  # URLs by box and path
    for anchor, index in zip(anchors, own, strict=True):
        if _has_title(anchor) and (box_of[index] >= 0 or nodes[index].region is Region.MAIN):
            lists.setdefault((box_of[index], nodes[index].path), set()).add(anchor.url)
    longest = {-1: elsewhere}
    for (box, _), urls in lists.items():
        longest[box] = max(longest.get(box, 0), len(urls))
    main = {box for box, length in longest.items() if box >= 0 and _is_main(nodes, box, length, longest[-1], stories)}
    return {
        node.element
        for index, node in enumerate(nodes)
        if box_of[index] in main and (index in main or _may_be_feed(node, stories))
    }


def _is_main(nodes: Sequence[_Node], box: int, length: int, other: int, stories: Container[HtmlElement]) -> bool:
    """Whether a list in the box at an index, longer than any ``other``, is the main one."""
    if length <= max(other, _FED_NEWS_TITLES - 1):
        return False
    element = nodes[box].element
    if length >= _FED_TITLES and length >= _TIMES_LONGER * other:
        return True
    if any(_NEWS_HEADING.search(heading) for heading in _headings(element, stories)):
        return True
    moments = _moments(element)
    return 2 * moments >= length and (length >= _FED_TITLES or moments >= 2 * (_moments(nodes[0].element) - moments))


def _may_be_feed(node: _Node, stories: Container[HtmlElement]) -> bool:
    """Whether an element is a side box only by a name that front pages also give to their main list."""
    element = node.element
    name = f"{element.get('class') or ''} {element.get('id') or ''}"
    return (
        _FEED.search(name) is not None
        and _named(element.tag, _FEED.sub("", name), None)[1] is None
        and _headed_region(element, stories) is Region.MAIN
    )


def _moments(box: HtmlElement) -> int:
    """How many of the texts outside the links of a box show a date or time."""
    in_links = (text for link in box.iter("a") for text in link.itertext())
    return sum(map(bool, map(_MOMENT.search, box.itertext()))) - sum(map(bool, map(_MOMENT.search, in_links)))


def _settle(
    node: _Node, above: _Node | None, titles: int, stories: Container[HtmlElement], boxes: Container[HtmlElement] = ()
) -> None:
    """Set the path and region of a node. The element with most titles of the page is its main part, whatever its name.
    ``stories`` are the links with an article URL and a title, ``boxes`` are elements of the main part."""
    element = node.element
    tag = element.tag
    own, region, either = _named(tag, element.get("class"), element.get("id"))
    if either and node.titles >= _LEAST_BOX_TITLES and 2 * node.titles >= node.links:
        region = None
    if above is None:
        node.path = own
    else:
        node.path = f"{above.path}/{own}"
        node.region = above.region
    if element in boxes:
        node.region = Region.MAIN
    elif node.region is Region.MAIN and tag not in ("body", "html"):
        share = node.titles / titles if node.titles >= _LEAST_MAIN_TITLES else 0.0
        if region is not None and share < _NAMED_SHARE and not _is_of_an_item(node):
            node.region = region
        elif tag in _BLOCK_TAGS and share < _HEADED_SHARE:
            node.region = _headed_region(element, stories)


def _is_of_an_item(node: _Node) -> bool:
    """Whether an element is named for its role in a list: the header of an article, or one title among neighbours with
    the same first class name, such as a hot one."""
    element = node.element
    if element.tag == "header":
        return next(element.iterancestors("article"), None) is not None
    first, _, more = (element.get("class") or "").strip().partition(" ")
    if not more or node.titles != 1 or _named(element.tag, first, None)[1] is not None:
        return False
    alike = 0
    for preceding in (True, False):
        for other in islice(element.itersiblings(element.tag, preceding=preceding), 2 * _ALIKE_NEIGHBOURS):
            alike += (other.get("class") or "").split()[:1] == [first]
    return alike >= _ALIKE_NEIGHBOURS


@bounded_cache(4096)  # cache: tags, classes and ids
def _named(tag: str, class_: str | None, id_: str | None) -> tuple[str, Region | None, bool]:
    """An element's step in a path, the region by its tag and names, and whether these names are ambiguous."""
    name = f"{class_ or ''} {id_ or ''}".strip()
    own = tag if tag in ITEM_TAGS or not name else f"{tag}.{_WITHOUT_DIGITS.sub('', name.split()[0])}"
    region = _PART_TAGS.get(tag)
    if region is None and 0 < len(name) < 100:
        region = next((region for region, pattern in _PARTS if pattern.search(name)), None)
        for either, pattern in _EITHER if region is None else ():
            if pattern.search(name):
                return own, either, True
    return own, region, False


def _headed_region(block: HtmlElement, stories: Container[HtmlElement]) -> Region:
    """The region by the heading of a block."""
    for text in _headings(block, stories):
        if _FOOTER_HEADING.search(text):
            return Region.FOOTER
        if _SIDE_HEADING.search(text):
            return Region.SIDE
    return Region.MAIN


def _headings(block: HtmlElement, stories: Container[HtmlElement]) -> Iterator[str]:
    """What may be the heading of a block: the text of the element just before it, its own first short text.

    A link to an article is no heading, nor is the label of an advertisement.
    """
    for head in (block.getprevious(), block[0] if len(block) else None):
        if head is None or len(head) > 4 or head.tag in _LIST_TAGS:
            continue
        text = "".join(islice(head.itertext(), _HEADING_PIECES)).strip() if len(head) else (head.text or "").strip()
        if not 0 < len(text) <= 14 or (_ADVERT.fullmatch(text) and next(head.iter(*_SHOWN), None) is not None):
            continue
        links = list(islice(head.iter("a"), 2))
        if len(links) < 2 and not any(link in stories for link in links):
            yield text


def settle_rows(anchors: Sequence[Anchor], articles: Collection[int], page_url: str) -> None:
    """Set the region of links in the main part that are no articles; ``articles`` are the ids of anchors.

    A row of links about the site is its footer, a row of short names of lists is navigation, and a link to another site
    is beside the list.
    """
    own = domain_of(page_url)
    others = [anchor for anchor in anchors if anchor.region is Region.MAIN and id(anchor) not in articles]
    for row in _rows(others):
        about = sum(_ABOUT.search(anchor.text) is not None for anchor in row)
        if about >= FEW_ABOUT and about >= SHARE_ABOUT * len(row):
            region = Region.FOOTER
        elif all(len(anchor.text) < TITLE_LENGTH and is_article_url(anchor.url) is False for anchor in row):
            region = Region.NAVIGATION
        else:
            continue
        for anchor in row:
            anchor.region = region
    for anchor in others:
        if anchor.region is Region.MAIN and domain_of(anchor.url) != own:
            anchor.region = Region.SIDE


def _rows(anchors: Sequence[Anchor]) -> list[list[Anchor]]:
    """The links in one element, each directly or in a cell of its own."""
    near: dict[HtmlElement, list[Anchor]] = {}
    far: dict[HtmlElement, list[Anchor]] = {}
    for anchor in anchors:
        parent = anchor.element.getparent()
        if parent is not None:
            near.setdefault(parent, []).append(anchor)
    for parent, row in near.items():
        above = parent.getparent()
        if len(row) < FEWEST_LINKS and above is not None:
            far.setdefault(above, []).extend(row)
    return [row for row in (*near.values(), *far.values()) if len(row) >= FEWEST_LINKS]
