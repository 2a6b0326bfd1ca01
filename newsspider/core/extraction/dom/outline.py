"""Flattens a page's tree into lines of text and their containers, in the one walk that the whole reader uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lxml import etree

from newsspider.core.extraction.dom.charset import markup_in, unescape_entities
from newsspider.core.extraction.dom.container_names import SIDE_NAME as SIDE_NAME  # noqa: PLC0414 - exported
from newsspider.core.extraction.dom.container_names import Roles, roles_of
from newsspider.core.extraction.dom.page import Page
from newsspider.core.extraction.dom.visibility import Visibility
from newsspider.core.text.characters import UNPRINTABLE_BUT_C1, one_line
from newsspider.core.text.text_comparison import SHORTEST_TITLE, stands_in, title_key

# Elements that end a line of text; all others run on inside it.
BLOCKS = frozenset(
    (
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "frame",
        "frameset",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "noframes",
        "ol",
        "optgroup",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    )
)
SKIPPED = frozenset(
    (
        "title",
        "script",
        "style",
        "noscript",
        "template",
        "textarea",
        "select",
        "option",
        "button",
        "iframe",
        "object",
        "embed",
        "applet",
        "svg",
        "math",
        "canvas",
        "audio",
        "video",
        "head",
        "rp",
        "rt",
        "map",
        "input",
        "xml",
    )
)
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
ASIDE_TAGS = frozenset(("nav", "footer", "aside", "menu", "figcaption"))
# Chinese punctuation wherever it stands, and other before a space; one set first, which a search runs through fast.
MARKS = re.compile(r"[，。！？；：、“”…,.!?;](?:(?<![,.!?;])|(?!\S))")

ALL_LINK = 0.8  # share of linked characters from which a line is a link
RUNNING = re.compile(r"[，。！？]")  # what sentences have
# characters of sentences that make a page one that shows its text, and how many times as many of it are hidden
LEAST_SHOWN, HIDDEN_TIMES = 40, 3
# what a button says that shows the hidden rest of a text
EXPANDS = re.compile(
    r"\W*(?:点击|點擊)?(?:展[开開]|查看|[阅閱][读讀]|[显顯]示){1,2}(?:[剩余餘下]{2}(?:全文|部分|[内內]容)?|全文|全部)\s?[\d.%％]*\W*"
)
MOST_HEADINGS = 200  # of a page that are looked at
LEAST_UNCLOSED = 3  # paragraphs and sentences of a link that is none

# Icon fonts, characters without width, controls; C1 stay until the text is judged: they show misread UTF-8.
ICONS = re.compile(f"[\xad\ue000-\uf8ff\u200b-\u200f\u2060\ufeff{UNPRINTABLE_BUT_C1}]+")
LONGEST_LINE = 65_536  # characters; a longer one is read as several: no pattern holds up other threads for long
LONGEST_TITLE = 2_048  # characters of <title> that are looked at


# What an element does to the text around it. These are plain numbers, because the walk looks each element up.
_BLOCK, _HEADING, _PRE, _BREAK, _LINK, _SKIPPED, _IMAGE, _TIME, _CODE, _INLINE = range(10)
PARTS = (
    dict.fromkeys(BLOCKS, _BLOCK)
    | dict.fromkeys(HEADINGS, _HEADING)
    | dict.fromkeys(SKIPPED, _SKIPPED)
    | {"pre": _PRE, "br": _BREAK, "a": _LINK, "img": _IMAGE, "time": _TIME, "code": _CODE}
)
_PLAIN: tuple[list[str | bytes], ...] = ([], ["href"])  # attributes of most links and elements inside a line


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
    is_side: bool = False  # its name or tag says that it holds side content
    is_text: bool = False  # its name says that it holds the article
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
    """All lines of a page in order, and the other elements that the walk met."""

    lines: list[Line] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    title: str | None = None  # <title>
    headings: list[tuple[str, str, int]] = field(default_factory=list)  # tag, text, index of the line
    times: list[tuple[str, int]] = field(default_factory=list)  # <time datetime> and the index of its line
    ld_json: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    passwords: int = 0
    is_forum: bool | None = None  # filled on the first call of user_posts.is_forum


def outline_of(page: Page) -> Outline:
    """The outline of ``page``, made on the first call."""
    if page.outline is None:
        walk = _Walk()
        page.outline = walk.over(page.tree)
        if walk.hidden or any(node.hidden for node in walk.nodes):
            page.outline = _with_hidden_text(page.outline, walk.hidden, page.tree)
    return page.outline


def _with_hidden_text(outline: Outline, skipped: Sequence[etree._Element], tree: etree._Element) -> Outline:
    """The outline, with the text that a button shows; of a page that shows no text until a script runs, with the hidden
    text as if it were shown."""
    _expand(outline)
    box_of = _hidden_boxes(outline.nodes)
    boxes: dict[int, int] = {}  # the characters of their sentences
    shown = 0
    for at, line in enumerate(outline.lines):
        if RUNNING.search(line.text) and 2 * line.linked <= len(line.text):
            if box := box_of.get(at):
                boxes[box] = boxes.get(box, 0) + len(line.text)
            else:
                shown += len(line.text)
                if shown >= LEAST_SHOWN:
                    return outline
    texts = ["".join(map(str, element.itertext())) for element in skipped]
    inline = sum(len(text) for text in texts if RUNNING.search(text))
    hidden = sum(boxes.values())
    named = not shown and any(outline.nodes[box].is_text and not outline.nodes[box].is_side for box in boxes)
    if hidden + inline < (LEAST_SHOWN // 2 if named else HIDDEN_TIMES * max(shown, LEAST_SHOWN // 2)):
        return outline
    if inline > hidden:
        return _Walk(skips_hidden=False).over(tree)
    best = max(boxes, key=boxes.__getitem__)
    for box in [best] if 2 * boxes[best] >= hidden else boxes:
        outline.nodes[box].hidden = False
    return outline


def _expand(outline: Outline) -> None:
    """Show the hidden rest of a text beside the button that shows it."""
    lines = outline.lines
    for node in outline.nodes:
        if not node.hidden or not any(RUNNING.search(line.text) for line in lines[node.first : node.last]):
            continue
        beside = (*lines[node.last : node.last + 1], *lines[max(0, node.first - 1) : node.first])
        if any(EXPANDS.fullmatch(line.text) for line in beside):
            node.hidden = False


def _hidden_boxes(nodes: Sequence[Node]) -> dict[int, int]:
    """The hidden lines, each with the outermost hidden container around it."""
    box_of: dict[int, int] = {}
    end = 0
    for at, node in enumerate(nodes):
        if node.hidden and node.last > end:
            box_of |= dict.fromkeys(range(node.first, node.last), at)
            end = node.last
    return box_of


def titles_of(outline: Outline) -> list[int]:
    """The lines of the headings that stand in ``<title>``."""
    title = title_key(outline.title or "")
    headings = outline.headings[:MOST_HEADINGS] if title else []
    return [at for _, text, at in headings if stands_in(text, title, SHORTEST_TITLE)]


def ancestors(outline: Outline, node: int) -> Iterator[int]:
    """The containers that one stands in, the nearest first, without the root."""
    while (node := outline.nodes[node].parent) > 0:
        yield node


def next_texts(lines: Sequence[Line], at: int) -> tuple[str, ...]:
    """The texts of the two lines behind one: what stands beside it in a notice."""
    return tuple(line.text for line in lines[at + 1 : at + 3])


def lines_under(element: etree._Element) -> list[str]:
    """The lines of text in one element; also of one that a page does not show, like ``<title>``."""
    lines = [line.text for line in _Walk().over(element).lines]
    return lines or [text for part in element.itertext() if (text := " ".join(str(part).split()))]


class _Walk:
    """The one walk over a tree. For speed, its loop handles most elements without calls."""

    def __init__(self, *, skips_hidden: bool = True) -> None:
        self.skips_hidden = skips_hidden  # of elements inside a line; a hidden container is only marked
        self.in_code = False  # whether the current line has code, in which an entity is meant
        self.hidden: list[etree._Element] = []  # those skipped
        self.visibility = Visibility()
        self.hides = self.visibility.hides if skips_hidden else lambda *_: False
        self.known: dict[tuple[str | None, str | None], Roles] = {}  # by class and id
        self.lines: list[Line] = []
        self.nodes = [Node("html", -1)]
        self.outline = Outline(self.lines, self.nodes)

    def over(self, root: etree._Element) -> Outline:  # noqa: PLR0912, PLR0915 - calls cost too much here
        """Walk in document order, without recursion: markup may be hundreds of thousands deep."""
        lines, nodes, pieces = self.lines, self.nodes, list[str]()  # pieces: of the line that is being written
        stack: list[tuple[int, int, str | None]] = []
        remaining, heading = 2, ""  # elements still to come where the walk stands; the root's own place is never done
        remaining_skipped = at = linked = link_depth = pre_depth = 0  # elements still to come below a skipped one
        hides, part_of, say, push, pop = self.hides, PARTS.get, pieces.append, stack.append, stack.pop
        for element in root.iter():
            if remaining_skipped:
                remaining_skipped += len(element) - 1
                continue
            part = part_of(tag := element.tag, _INLINE)
            if part <= _BREAK:
                if pieces:
                    linked = self.end_line(pieces, linked, at, heading, pre_depth)
                if part != _BREAK:
                    nodes.append(self.node(element, tag, at, len(lines)))
                    at = len(nodes) - 1
                    heading = tag if part == _HEADING else ""  # a heading that is never closed ends at the next block
                    pre_depth += part == _PRE
            elif _LINK < part < _INLINE:
                self.note(part, tag, element, at, len(lines) + bool(pieces))
            elif (names := element.keys()) not in _PLAIN and hides(element, names):
                part = self.skip(element)
            elif part == _LINK:
                part = _part_of_link(element)
                link_depth += part == _LINK
            if part == _SKIPPED:
                remaining_skipped, part = len(element), _INLINE
            else:
                if (text := element.text) and (pieces or not text.isspace()):
                    say(text)
                    if link_depth:
                        linked += len(text.strip())
                if count := len(element):
                    push((remaining, part, element.tail if stack else None))  # what follows the root is not of it
                    remaining = count
                    continue
            tail = element.tail if stack else None
            while True:  # this element ends, and those around it that it was the last of
                if part <= _PRE:
                    if pieces:
                        linked = self.end_line(pieces, linked, at, heading, pre_depth)
                    heading = ""
                    pre_depth -= part == _PRE
                    nodes[at].last = len(lines)
                    at = nodes[at].parent
                elif part == _LINK:
                    link_depth -= 1
                if tail and (pieces or not tail.isspace()):
                    say(tail)
                    if link_depth:
                        linked += len(tail.strip())
                remaining -= 1
                if remaining:
                    break
                remaining, part, tail = pop()
        self.end_line(pieces, linked, at, heading, pre_depth)
        nodes[0].last = len(lines)
        return self.outline

    def skip(self, element: etree._Element) -> int:
        """Note a hidden element, and say what becomes of it."""
        self.hidden.append(element)
        return _SKIPPED

    def end_line(self, pieces: list[str], linked: int, at: int, heading: str, pre_depth: int) -> int:
        """Add the current line, or those of a text with line breaks. Returns 0: the linked characters of the next."""
        raw = pieces[0] if len(pieces) == 1 else "".join(pieces)
        pieces.clear()
        if "&" in raw and not (pre_depth or self.in_code):
            raw = unescape_entities(raw)
        self.in_code = False
        if len(raw) > LONGEST_LINE:
            for start in range(0, len(raw), LONGEST_LINE):
                self.end_line([raw[start : start + LONGEST_LINE]], linked, at, heading, pre_depth)
                linked = 0
            return 0
        if pre_depth and "\n" in raw:
            for part in raw.split("\n"):
                self.end_line([part], linked, at, heading, 0)
                linked = 0
            return 0
        if raw[-1:] == ">" and not pre_depth and (inner := markup_in(raw)) is not None:
            self.add_inner(inner, at)
            return 0
        text = " ".join(raw.split())
        if not text.isprintable():
            text = ICONS.sub("", text).strip()
        if text:
            length = len(text)
            if heading:
                self.outline.headings.append((heading, text, len(self.lines)))
            marks = len(MARKS.findall(text)) if linked <= ALL_LINK * length else 0  # of a link nobody asks
            self.lines.append(Line(text, at, linked if linked < length else length, marks, heading))
        return 0

    def add_inner(self, root: etree._Element, at: int) -> None:
        """Add the lines and pictures of markup that stands as text in a container."""
        walk, start = _Walk(skips_hidden=self.skips_hidden), len(self.lines)
        inner = walk.over(root)
        self.outline.pictures += [Picture(element, start + line, at) for element, line, _ in inner.pictures]
        for line in inner.lines:
            line.node = at
            self.lines.append(line)

    def note(self, part: int, tag: str, element: etree._Element, at: int, line: int) -> None:
        """Record an element that has no text of its own."""
        if part == _CODE:
            self.in_code = True
        elif part == _IMAGE:
            self.outline.pictures.append(Picture(element, line, at))
        elif part == _TIME:
            self.outline.times.append((element.get("datetime") or element.text or "", len(self.lines)))
        elif tag == "head":
            for script in element.iterfind("script[@type='application/ld+json']"):
                self.outline.ld_json.append(script.text or "")
            for title in element.iterfind("title"):
                self.note(part, "title", title, at, line)
        elif tag == "title":
            self.outline.title = (
                self.outline.title
                or one_line(unescape_entities("".join(map(str, element.itertext()))), LONGEST_TITLE)
                or None
            )
        elif tag == "script":
            if element.get("type") == "application/ld+json":
                self.outline.ld_json.append(element.text or "")
        elif tag == "input":
            self.outline.passwords += (element.get("type") or "").lower() == "password"

    def node(self, element: etree._Element, tag: str, parent: int, first: int) -> Node:
        """The container that an element is."""
        attributes: Sequence[tuple[Any, Any]] = element.items()
        if not attributes:
            return Node(tag, parent, "", tag in ASIDE_TAGS, False, False, first)
        class_ = id_ = style = None
        hidden = False
        for key, value in attributes:
            if key == "class":
                class_ = value
            elif key == "id":
                id_ = value
            elif key == "style":
                style = value
            elif key == "hidden":
                hidden = True
        if (known := self.known.get((class_, id_))) is None:
            known = self.known[class_, id_] = roles_of(class_, id_)
        name, is_side, is_text, hides = known
        hidden = hidden or hides or (style is not None and self.visibility.style_hides(element, style))
        return Node(tag, parent, name, is_side or tag in ASIDE_TAGS, is_text, hidden, first)


def _part_of_link(element: etree._Element) -> int:
    """What an anchor is: a bookmark, as Word leaves them around words, an address to write to, and one that is never
    closed are no links."""
    href = element.get("href")
    is_text = element.get("name") is not None if href is None else href.lstrip()[:7].lower() == "mailto:"
    return _INLINE if is_text or (len(element) >= LEAST_UNCLOSED and _is_unclosed(element)) else _LINK


def _is_unclosed(link: etree._Element) -> bool:
    """Whether a link holds several paragraphs with sentences: its end is missing. A card has one, its summary."""
    if sum(part.tag in ("p", "br") for part in link) < LEAST_UNCLOSED:
        return False
    return sum("。" in str(text) for text in link.itertext()) >= LEAST_UNCLOSED
