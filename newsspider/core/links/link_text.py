"""The text of a link: its words, the text of its picture, or the title among all the text in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from newsspider.core.extraction.dom.outline import HEADINGS
from newsspider.core.text.characters import one_line

LONGEST_TEXT = 512  # characters
SHORTEST_HEADLINE = 6  # characters of a headline within a link
_BLOCKS = (*HEADINGS, "div", "p", "ul", "dl", "table")
_DAY = re.compile(r"[\d\s年月日/.:：-]+")  # in a heading of its own
# Times and counts of views: pieces of a link that are never its title.
_STAMP = re.compile(
    r"[\[(（]?[\d\s年月日/.:：-]{4,}[\])）]?|\d+\s?(?:秒|分钟|小时|天)前|(?:今|昨|前)天(?:\s?\d+:\d+)?"
    r"|\D{0,6}\d+\s?(?:次|条|人)?(?:阅读|评论|浏览|点击|回复|跟[贴帖])?"
)
_TITLED = re.compile(r"(?<!sub)(?<!sub[-_])tit(?!an)|headline|subject|biaoti|(?<![a-z])bt(?![a-z])", re.I)
_MOST_PIECES = 40


def text_of(element: HtmlElement) -> str:
    """The text of a link. If the page truncated it, the title attribute is used; for a picture, its alternative text.

    For a link around a whole row, with date and summary, it is the heading, the title attribute or the first piece that
    may be a title.
    """
    text = " ".join(("".join(element.itertext()) if len(element) else element.text or "").split())
    if not text or text[-1] in ".…":
        cut = not text or text.endswith(("...", "…"))
        text = (_attribute(element) if cut else "") or text
    if not text:
        images = element.iter("img", "area")
        text = next((alt for image in images if (alt := " ".join((image.get("alt") or "").split()))), "")
    text = _headline(element, text) if len(element) and len(text) > SHORTEST_HEADLINE else text
    return text if len(text) <= LONGEST_TEXT and text.isprintable() else one_line(text, LONGEST_TEXT)


def _attribute(element: HtmlElement) -> str:
    return " ".join((element.get("title") or element.get("data-title") or "").split())


def _headline(element: HtmlElement, text: str) -> str:
    """The title in a link with blocks: the title attribute, if it is in ``text`` or completes a truncated heading, else
    the heading, else the piece that may be a title; that piece also in a link with a date but no blocks."""
    title = _attribute(element)
    is_title = len(title) >= SHORTEST_HEADLINE
    if next(element.iter(*_BLOCKS), None) is None:
        dated = len(element) > 1 and (text[0].isdigit() or text[-1].isdigit())
        return (title if is_title and title in text else _title_piece(element) or text) if dated else text
    headings = (" ".join("".join(heading.itertext()).split()) for heading in element.iter(*HEADINGS))
    heading = max((heading for heading in headings if not _DAY.fullmatch(heading)), key=len, default="")
    if is_title and (title in text or (heading and title.startswith(heading.rstrip(".…")))):
        return title
    if len(heading) >= SHORTEST_HEADLINE:
        return heading
    return _title_piece(element) or text


def _title_piece(element: HtmlElement) -> str | None:
    """The piece of a link with the class of a title, or the first that may be one; ``None`` if it is one piece."""
    pieces: list[tuple[str, bool]] = []
    for piece in _pieces(element):
        pieces.append(piece)
        if len(pieces) == _MOST_PIECES:
            break
    if len(pieces) < 2:
        return None
    candidates = [(text, named) for text, named in pieces if not _STAMP.fullmatch(text)]
    named = next((text for text, named in candidates if named), None)
    return named or next((text for text, _ in candidates if len(text) >= SHORTEST_HEADLINE), None)


def _pieces(element: HtmlElement) -> Iterator[tuple[str, bool]]:
    """The separate texts in an element, in order, each with whether its element has the class of a title."""
    tagged = (child for child in element if isinstance(child.tag, str))
    children = [child for child in tagged if any(not text.isspace() for text in child.itertext())]
    apart = not (element.text or "").strip() and not any((child.tail or "").strip() for child in element)
    if not children or not apart or not _is_divided(children):
        text = " ".join("".join(element.itertext()).split())
        if text:
            yield text, _TITLED.search(element.get("class") or "") is not None
        return
    for child in children:
        yield from _pieces(child)


def _is_divided(children: list[HtmlElement]) -> bool:
    """Whether children are separate texts: blocks, a single child, or pieces with a date. Others may be emphasised
    words of one title."""
    if len(children) == 1 or any(child.tag in _BLOCKS for child in children):
        return True
    return any(_STAMP.fullmatch(" ".join("".join(child.itertext()).split())) for child in children)
