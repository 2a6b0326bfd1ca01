"""Flattens a page's tree into lines of text and the containers they stand in: the one walk that all of the reader uses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from newsspider.core.page import Page

# Elements that end a line of text; all others run on inside it.
BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form frame "
    "frameset h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav noframes ol optgroup p pre section summary table tbody td "
    "tfoot th thead tr ul".split()
)
SKIPPED = frozenset(
    "title script style noscript template textarea select option button iframe object embed applet svg math canvas audio video head "
    "rp rt map input".split()
)
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
ASIDE_TAGS = frozenset(("nav", "footer", "aside", "menu"))
MARKS = re.compile(r"[，。！？；：、“”…]|[,.!?;](?=\s|$)")

# Words of class and id names. A name with a BESIDE word holds what stands beside the article, with a TEXT word the article.
BESIDE = re.compile(
    r"comment|pinglun|reply|replies|discuss|foot(?!ball)|copyright|banquan|sidebar|aside|(?<![a-z])side(?![a-z])|(?<![a-z])right(?![a-z])|"
    r"related|relative|relate[-_]|xiangguan|recommend|tuijian|hot[-_]?(?:news|list|read|topic|word)|(?<![a-z])hot(?![a-z])|rank|"
    r"(?<![a-z])nav|crumb|(?<![a-z])menu|(?<![a-z])share|bdshare|fenxiang|social|toolbar|(?<![a-z])tools?(?![a-z])|(?<![a-z])ads?(?![a-z])|adver|gg_|guanggao|"
    r"login|signin|regist|popup|modal|dialog|(?<![a-z])mask(?![a-z])|qrcode|erweima|weixin|disclaimer|statement|shengming|"
    r"editor(?![-_a-z])|zebian|keywords?(?![a-z])|(?<![a-z])tags?(?![a-z])|pagination|pager(?![a-z])|(?<![a-z])pages?[-_]?(?:nav|bar|list)|prev|"
    r"(?<![a-z])next(?![a-z])|subscribe|app[-_]?down|download|vote|survey|profile|userinfo|signature|toplist|newslist|news[-_]list|"
    r"breadcrumb|position(?![a-z])|wechat|reward|dashang|praise|zan(?![a-z])|more[-_]?(?:news|read)|guess|extra|widget|loginbar|top[-_]?bar",
    re.IGNORECASE,
)
TEXT = re.compile(
    r"article|artic|artibody|content|(?<![a-z])con(?![a-z])|endtext|main[-_]?text|body|(?<![a-z])text|entry|post(?![a-z])|detail|story|zoom|"
    r"trs_|ueditor|news[-_]?(?:text|con|body|info)|neirong|zhengwen|blog|(?<![a-z])txt|rich_media|message|postmessage|t_f(?![a-z])",
    re.IGNORECASE,
)
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(slots=True)
class Line:
    """One line of a page's text as a reader sees it."""

    text: str
    node: int  # index into Outline.nodes
    linked: int = 0  # characters of it inside links
    marks: int = 0  # punctuation
    tag: str = ""  # "h1" ... for headings


@dataclass(slots=True)
class Node:
    """A container of lines; its descendants are the nodes up to ``end``."""

    tag: str
    parent: int
    name: str  # class and id
    beside: bool = False  # it is named for what stands beside an article
    named_text: bool = False
    hidden: bool = False
    end: int = 0
    first: int = 0  # its lines are lines[first:last]
    last: int = 0


@dataclass(slots=True)
class Outline:
    """All lines of a page in order, with what else the walk met."""

    lines: list[Line] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    title: str | None = None  # <title>
    headings: list[tuple[str, str, int]] = field(
        default_factory=list
    )  # (tag or class name, text, index of the next line)
    times: list[tuple[str, int]] = field(default_factory=list)  # <time datetime> and the index of its line
    ld_json: list[str] = field(default_factory=list)
    links: int = 0
    images: int = 0
    passwords: int = 0
    frames: int = 0


def outline_of(page: Page) -> Outline:
    """The outline of ``page``, made on the first call."""
    if page.outline is None:
        page.outline = _Walk().over(page.tree)
    return page.outline


def lines_under(element: etree._Element) -> list[str]:
    """The lines of text in one element; also of one that a page does not show, like ``<title>``."""
    return [line.text for line in _Walk().over(element).lines] or [
        text for part in element.itertext() if (text := " ".join(part.split()))
    ]


class _Walk:
    """The state of the one walk: the line being written and where it stands."""

    def __init__(self) -> None:
        self.outline = Outline(nodes=[Node("html", -1, "")])
        self.node = 0
        self.pieces: list[str] = []
        self.linked = 0
        self.link_depth = 0
        self.pre_depth = 0
        self.heading = ""

    def over(self, root: etree._Element) -> Outline:
        walk = etree.iterwalk(root, events=("start", "end"))
        pieces = self.pieces
        for event, element in walk:
            tag = element.tag
            if event == "end":
                if tag in SKIPPED:
                    pass
                elif tag in BLOCKS:
                    self.leave(tag)
                elif tag == "a":
                    self.link_depth -= 1
                tail = element.tail
                if tail and element is not root:
                    if self.link_depth:
                        self.linked += len(tail.strip())
                    pieces.append(tail)
                continue
            if tag in SKIPPED:
                self.special(tag, element)
                walk.skip_subtree()
                continue
            if tag in BLOCKS:
                self.enter(tag, element)
            elif tag == "br":
                self.flush()
            elif tag == "a":
                self.link_depth += 1
                self.outline.links += 1
            elif tag == "img":
                self.outline.images += 1
            elif tag == "time":
                self.outline.times.append(
                    (element.get("datetime") or "".join(element.itertext()), len(self.outline.lines))
                )
            text = element.text
            if text:
                if self.link_depth:
                    self.linked += len(text.strip())
                pieces.append(text)
        self.flush()
        self.close(0)
        return self.outline

    def special(self, tag: str, element: etree._Element) -> None:
        """What a skipped element still tells."""
        if tag == "head":
            title = element.find("title")
            if title is not None:
                self.outline.title = " ".join("".join(title.itertext()).split()) or None
            for script in element.iterfind("script[@type='application/ld+json']"):
                self.outline.ld_json.append(script.text or "")
        elif tag == "title":  # of a page without <head>
            self.outline.title = self.outline.title or " ".join("".join(element.itertext()).split()) or None
        elif tag == "script":
            if element.get("type") == "application/ld+json":
                self.outline.ld_json.append(element.text or "")
        elif tag == "input":
            self.outline.passwords += (element.get("type") or "").lower() == "password"
        elif tag in ("iframe", "frame"):
            self.outline.frames += 1

    def enter(self, tag: str, element: etree._Element) -> None:
        self.flush()
        nodes = self.outline.nodes
        name = beside = text = hidden = None
        if element.attrib:
            name = f"{element.get('class') or ''} {element.get('id') or ''}"
            text = TEXT.search(name) or element.get("itemprop") == "articleBody"
            beside = BESIDE.search(name)
            hidden = HIDDEN.search(element.get("style") or "")
        node = Node(tag, self.node, name or "", bool(beside) or tag in ASIDE_TAGS, bool(text), bool(hidden))
        node.first = len(self.outline.lines)
        self.node = len(nodes)
        nodes.append(node)
        if tag in HEADINGS:
            self.heading = tag
        elif tag == "pre":
            self.pre_depth += 1
        elif tag == "frame":
            self.outline.frames += 1

    def leave(self, tag: str) -> None:
        self.flush()
        if tag in HEADINGS:
            self.heading = ""
        elif tag == "pre":
            self.pre_depth -= 1
        self.node = self.close(self.node)

    def close(self, index: int) -> int:
        node = self.outline.nodes[index]
        node.end, node.last = len(self.outline.nodes), len(self.outline.lines)
        return max(node.parent, 0)

    def flush(self) -> None:
        if not self.pieces:
            return
        raw = "".join(self.pieces)
        self.pieces.clear()
        linked, self.linked = self.linked, 0
        for part in raw.split("\n") if self.pre_depth else (raw,):
            text = " ".join(part.split())
            if text:
                marks = len(MARKS.findall(text))
                if self.heading:
                    self.outline.headings.append((self.heading, text, len(self.outline.lines)))
                self.outline.lines.append(Line(text, self.node, min(linked, len(text)), marks, self.heading))
