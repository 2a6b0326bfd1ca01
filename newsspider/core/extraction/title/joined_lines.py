"""Titles that a page sets in several lines: an office above its notice, a kicker, a line broken by ``<br>``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from newsspider.core.extraction.body.body import Body
from newsspider.core.extraction.dom import Line, Outline
from newsspider.core.extraction.dom.outline import HEADINGS
from newsspider.core.extraction.lines.boilerplate_lines import is_boilerplate_line
from newsspider.core.extraction.lines.mastheads import is_masthead
from newsspider.core.extraction.title.headings import BYLINE, LONGEST_HEADING, MOMENT_PATTERN, PROMPT, TITLE_ATTRIBUTE
from newsspider.core.text.titles import SHORTEST_TITLE, title_key

MOST_LINES = 4  # of one title
FIRST_LINES = 400  # of a page in which its title is looked for
LATIN = re.compile(r"[A-Za-z0-9]$")
SECOND_TITLE = re.compile(r"\s*(?:——|--)")


def join_lines(lines: Iterable[str]) -> str:
    """Put the lines of one title together: with a blank between Latin words only.

    >>> join_lines(["教育部办公厅", "关于做好招生工作的通知"]), join_lines(["Open", "Day"])
    ('教育部办公厅关于做好招生工作的通知', 'Open Day')
    """
    joined = ""
    for line in lines:
        joined += f" {line}" if LATIN.search(joined) and line[:1].isascii() and line[:1].isalnum() else line
    return joined


def declared_lines(texts: Iterable[str], outline: Outline, body: Body) -> str | None:
    """The title that adjacent lines of the page make together, if it is one of ``texts``: those of ``<title>`` and of
    the metadata without the names of sites."""
    wanted = {key: text for text in texts if len(key := title_key(text)) >= SHORTEST_TITLE}
    if not wanted:
        return None
    end = min(FIRST_LINES, body.lines[-1] + 1) if body.lines else FIRST_LINES
    lines = outline.lines[:end]
    beginnings = {key[0] for key in wanted}
    for at, line in enumerate(lines[:-1]):
        if line.linked or not 1 < len(line.text) <= LONGEST_HEADING:
            continue
        if "\u4e00" <= line.text[0] <= "\u9fff" and line.text[0] not in beginnings:
            continue  # such a character is its own key
        if not (first := title_key(line.text)):
            continue
        for key, text in wanted.items():
            if len(first) < len(key) and key.startswith(first) and (count := _lines_of(key, lines[at:])):
                joined = join_lines(part.text for part in lines[at : at + count])
                return joined if "".join(joined.split()) == "".join(text.split()) else text
    return None


def _lines_of(key: str, lines: Sequence[Line]) -> int:
    """How many of the first lines make up this title key; 0 if they do not."""
    joined = ""
    for count, line in enumerate(lines[:MOST_LINES], 1):
        joined += "" if line.linked else title_key(line.text)
        if joined == key:
            return count if count > 1 else 0
        if line.linked or not key.startswith(joined):
            return 0
    return 0


def whole_element(title: str, full_title: str, outline: Outline, body: Body) -> str:
    """``title`` with the other lines of its heading element, on a page whose ``<title>`` says nothing of them."""
    key = title_key(title)
    if not key or key in title_key(full_title):
        return title
    first = body.first if body.lines else len(outline.lines)
    at = next((at for at, line in enumerate(outline.lines[: first + 1]) if line.text == title), None)
    element = None if at is None else _heading_around(outline, at)
    if element is None:
        return title
    lines = outline.lines[outline.nodes[element].first : outline.nodes[element].last]
    if not 1 < len(lines) <= MOST_LINES or sum(len(line.text) for line in lines) > LONGEST_HEADING:
        return title
    return join_lines(line.text for line in lines) if all(map(_may_be_part, lines)) else title


def _heading_around(outline: Outline, at: int) -> int | None:
    """The element that is a heading by its tag or its name, around a line."""
    node = outline.lines[at].node
    for candidate in (node, outline.nodes[node].parent):
        if candidate >= 0:
            element = outline.nodes[candidate]
            if element.tag in HEADINGS or TITLE_ATTRIBUTE.search(element.name):
                return candidate
    return None


def _may_be_part(line: Line) -> bool:
    text = line.text
    if (
        line.linked
        or MOMENT_PATTERN.search(text)
        or BYLINE.match(text)
        or PROMPT.match(text)
        or SECOND_TITLE.match(text)
    ):
        return False
    return not (is_masthead(text) or is_boilerplate_line(text)) and text[-1] not in "。："
