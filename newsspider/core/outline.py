"""Flattens a page's tree into lines of text and the containers they stand in: the one walk that all of the reader uses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from newsspider.core.page import Page

# Elements that end a line of text; all others run on inside it.
BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "html", "legend", "li", "main", "menu", "nav", "noframes", "ol", "optgroup", "p", "pre", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
))  # fmt: skip
SKIPPED = frozenset((
    "title", "script", "style", "noscript", "template", "textarea", "select", "option", "button", "iframe", "object",
    "embed", "applet", "svg", "math", "canvas", "audio", "video", "head", "rp", "rt", "map", "input",
))  # fmt: skip
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
ASIDE_TAGS = frozenset(("nav", "footer", "aside", "menu", "figcaption"))
# Chinese punctuation wherever it stands, and other before a space; one set first, which a search runs through fast.
MARKS = re.compile(r"[，。！？；：、“”…,.!?;](?:(?<![,.!?;])|(?!\S))")

# Words of class and id names. A name with a BESIDE word holds what stands beside the article, with a TEXT word the article.
BESIDE = re.compile(
    r"comment|pinglun|reply|replies|discuss|foot(?!ball)|copyright|banquan|sidebar|aside|(?<![a-z])side(?![a-z])|(?<![a-z])(?<!arrow-)(?<!text-)(?<!align-)right(?![a-z])|promo(?:[-_]|$)|newsletter|caption(?![a-z])|"
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


ICONS = re.compile("[\ue000-\uf8ff\u200b-\u200f\u2060\ufeff]+")  # icon fonts and characters without width


# What an element does to the text that it stands in; plain numbers, for the walk asks for each element.
_BLOCK, _HEADING, _PRE, _SKIPPED, _BREAK, _LINK, _IMAGE, _TIME = range(8)
PARTS = (
    dict.fromkeys(BLOCKS, _BLOCK)
    | dict.fromkeys(HEADINGS, _HEADING)
    | dict.fromkeys(SKIPPED, _SKIPPED)
    | {"pre": _PRE, "br": _BREAK, "a": _LINK, "img": _IMAGE, "time": _TIME}
)


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
    """A container of lines; parents come before their children."""

    tag: str
    parent: int
    name: str = ""  # class and id
    beside: bool = False  # it is named for what stands beside an article
    named_text: bool = False
    hidden: bool = False
    first: int = 0  # its lines are lines[first:last]
    last: int = 0


class Picture(NamedTuple):
    """An image and where it stands: the line that follows it and the container."""

    element: etree._Element
    line: int
    node: int


@dataclass(slots=True)
class Outline:
    """All lines of a page in order, with what else the walk met."""

    lines: list[Line] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    title: str | None = None  # <title>
    headings: list[tuple[str, str, int]] = field(default_factory=list)  # tag, text, index of the line
    times: list[tuple[str, int]] = field(default_factory=list)  # <time datetime> and the index of its line
    ld_json: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    passwords: int = 0


def outline_of(page: Page) -> Outline:
    """The outline of ``page``, made on the first call."""
    if page.outline is None:
        page.outline = _Walk().over(page.tree)
    return page.outline


def lines_under(element: etree._Element) -> list[str]:
    """The lines of text in one element; also of one that a page does not show, like ``<title>``."""
    lines = [line.text for line in _Walk().over(element).lines]
    return lines or [text for part in element.itertext() if (text := " ".join(str(part).split()))]


class _Walk:
    """The state of the one walk: the line being written and where it stands."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.nodes = [Node("html", -1)]
        self.outline = Outline(self.lines, self.nodes)
        self.node = 0
        self.pieces: list[str] = []
        self.linked = 0
        self.link_depth = 0
        self.pre_depth = 0
        self.heading = ""

    def over(self, root: etree._Element) -> Outline:
        """Walk in document order, without recursion: markup may be hundreds of thousands deep."""
        stack: list[tuple[int, int | None, str | None]] = []
        left = 2  # elements still to come where the walk stands, the root's own place never being done
        beneath = 0  # elements still to come below a skipped one
        part_of, pieces = PARTS.get, self.pieces
        for element in root.iter():
            count = len(element)
            if beneath:
                beneath += count - 1
                continue
            tag = element.tag
            part = part_of(tag)
            tail = element.tail if element is not root else None
            if part == _SKIPPED:
                self.special(tag, element)
                beneath, part = count, None
            else:
                if part is not None:
                    self.start(part, tag, element)
                if (text := element.text) and (pieces or not text.isspace()):
                    self.say(text)
                if count:
                    stack.append((left, part, tail))
                    left = count
                    continue
            while True:
                if part is not None:
                    self.end(part)
                if tail and (pieces or not tail.isspace()):
                    self.say(tail)
                left -= 1
                if left:
                    break
                left, part, tail = stack.pop()
        if self.pieces:
            self.flush()
        self.nodes[0].last = len(self.lines)
        return self.outline

    def special(self, tag: str, element: etree._Element) -> None:
        """What a skipped element still tells."""
        if tag == "head":
            for script in element.iterfind("script[@type='application/ld+json']"):
                self.outline.ld_json.append(script.text or "")
            for title in element.iterfind("title"):
                self.special("title", title)
        elif tag == "title":
            self.outline.title = self.outline.title or " ".join(str(element.xpath("string()")).split()) or None
        elif tag == "script":
            if element.get("type") == "application/ld+json":
                self.outline.ld_json.append(element.text or "")
        elif tag == "input":
            self.outline.passwords += (element.get("type") or "").lower() == "password"

    def say(self, text: str) -> None:
        """Go on with the line."""
        self.pieces.append(text)
        if self.link_depth:
            self.linked += len(text.strip())

    def start(self, part: int, tag: str, element: etree._Element) -> None:
        if part == _LINK:
            self.link_depth += 1
        elif part == _IMAGE:
            self.outline.pictures.append(Picture(element, len(self.lines) + bool(self.pieces), self.node))
        elif part == _TIME:
            self.outline.times.append((element.get("datetime") or element.text or "", len(self.lines)))
        else:
            if self.pieces:
                self.flush()
            if part != _BREAK:
                self.enter(part, tag, element)

    def enter(self, part: int, tag: str, element: etree._Element) -> None:
        get, nodes = element.get, self.nodes
        name, beside, text = _named(get("class"), get("id"))
        hidden = (style := get("style")) is not None and HIDDEN.search(style) is not None
        node = Node(tag, self.node, name, beside or tag in ASIDE_TAGS, text, hidden, len(self.lines))
        self.node = len(nodes)
        nodes.append(node)
        self.heading = tag if part == _HEADING else ""  # a heading that is never closed ends at the next block
        if part == _PRE:
            self.pre_depth += 1

    def end(self, part: int) -> None:
        if part == _LINK:
            self.link_depth -= 1
        elif part <= _PRE:
            if self.pieces:
                self.flush()
            if part == _HEADING:
                self.heading = ""
            elif part == _PRE:
                self.pre_depth -= 1
            node = self.nodes[self.node]
            node.last = len(self.lines)
            self.node = node.parent

    def flush(self) -> None:
        """End the line that is being written."""
        raw = "".join(self.pieces)
        self.pieces.clear()
        lines, linked, self.linked = self.lines, self.linked, 0
        for part in raw.split("\n") if self.pre_depth else (raw,):
            text = " ".join(part.split())
            if text and not text.isascii() and not text.isprintable():
                text = ICONS.sub("", text).strip()
            if text:
                if self.heading:
                    self.outline.headings.append((self.heading, text, len(lines)))
                marks = len(MARKS.findall(text))
                lines.append(Line(text, self.node, min(linked, len(text)), marks, self.heading))


@lru_cache(maxsize=4096)
def _named(class_: str | None, id_: str | None) -> tuple[str, bool, bool]:
    """An element's name, whether it names what stands beside an article, and whether it names its text."""
    if class_ is None and id_ is None:
        return "", False, False
    name = f"{class_ or ''} {id_ or ''}"
    return name, BESIDE.search(name) is not None, TEXT.search(name) is not None
