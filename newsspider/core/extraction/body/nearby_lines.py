"""Finds the short lines around an article's text that give its date, source and author."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from newsspider.core.extraction.body.body import Body
from newsspider.core.extraction.body.side_content import holds_figures
from newsspider.core.extraction.dom import Outline, ancestors

LONGEST_ABOVE = 160  # characters of a line above the text that may say such things
LONGEST_BELOW = 60  # ... and of one below or between
BEFORE_TITLE = 4  # lines above the title that may
LINES_BEHIND = 8  # lines behind the text that may
LINES_FAR_BEHIND = 60  # ... and in which the duty editor may sign, behind links
MOST_DROPPED = 4  # lines between those of the text that may
LINES_OF_UNTITLED = 10  # lines above the text that may, where nothing is the title

SIGNED = re.compile(r"[【\[(（]\s?(?:责任编辑|責任編輯|责编|責編)\s?[:：]")
# Labels that lines below the text keep though who or what is named behind them is a link.
LABELLED = re.compile(
    r"(?:责任编辑|責任編輯|责编|責編)\s?[:：]|^[\W_]*(?:稿源|(?:稿件|文章|新闻|新聞)?来源|來源)\s?[:：]\W*[\u4e00-\u9fff]"
)
_KEY = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The lines around the text, and those of the text itself (``body_lines``), in page order."""

    heading: int  # index of the title's line, or of the last heading above the text
    above: list[str]
    body_lines: list[str]
    below: list[str]


def surroundings_of(outline: Outline, body: Body, title: str | None) -> Surroundings:
    """The lines around the text; all empty where the page has none."""
    lines = outline.lines
    if not body.lines:
        return Surroundings(0, [], [], [])
    first, last = body.first, body.lines[-1]
    heading = _heading(outline, body, title)
    inside = set(body.lines)
    start = max(0, min(heading, first) - BEFORE_TITLE)
    above = [line.text for line in lines[start : max(first, body.lines[0])] if len(line.text) < LONGEST_ABOVE]
    dropped = [lines[i].text for i in range(first, last) if i not in inside and len(lines[i].text) < LONGEST_BELOW]
    end = outline.nodes[body.further[0]].first if body.further else len(lines)  # there begins the next post
    behind = _behind_table(outline, last + 1)
    near = (line for line in lines[behind : min(behind + LINES_BEHIND - 1, end)] if len(line.text) < LONGEST_BELOW)
    below = [line.text for line in near if 2 * line.linked < len(line.text) or LABELLED.search(line.text)]
    below += [
        line.text
        for line in lines[last + LINES_BEHIND : last + LINES_FAR_BEHIND]
        if len(line.text) < LONGEST_BELOW and SIGNED.match(line.text)
    ][:1]
    body_lines = [lines[i].text for i in body.lines]
    return Surroundings(heading, above + dropped[:MOST_DROPPED], body_lines, below)


def _behind_table(outline: Outline, at: int) -> int:
    """The line behind the table of figures that begins at a line; ``at`` if none does."""
    if at >= len(outline.lines):
        return at
    around = (outline.nodes[node] for node in ancestors(outline, outline.lines[at].node))
    tables = (node for node in takewhile(lambda node: node.first == at, around) if node.tag == "table")
    return max((table.last for table in tables if holds_figures(outline, table)), default=at)


def _heading(outline: Outline, body: Body, title: str | None) -> int:
    """Where the title stands: its own line above the text, else the last heading there, else some lines before the
    text.

    A line of the text that says it again counts only where no other does.
    """
    lines, first = outline.lines, body.first
    key = _KEY.sub("", title or "")
    repeated = None
    if key:
        for at in range(first, -1, -1):
            line = lines[at]
            if 2 * line.linked < len(line.text) <= 2 * len(key) + 8 and _KEY.sub("", line.text) == key:
                if at not in body.lines:
                    return at
                repeated = at if repeated is None else repeated
    if repeated is not None:
        return repeated
    return max((at for _, _, at in outline.headings if at <= first), default=max(0, first - LINES_OF_UNTITLED))
