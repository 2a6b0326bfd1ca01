"""Completes a title that ``<title>`` or a heading has cut short."""

from __future__ import annotations

import re
from collections.abc import Iterable

from newsspider.core.extraction.body.body import Body
from newsspider.core.extraction.dom import Outline
from newsspider.core.extraction.lines.site_names import SEPARATOR
from newsspider.core.extraction.title.headings import LONGEST_HEADING, NEAR_LINES
from newsspider.core.text.titles import SHORTEST_TITLE, title_key

CUT = re.compile(r"(?:\.{2,}|…+)$")  # a title that the page cut ends so
BADGE = re.compile(
    r"\W*(?:已?付费|原创|置顶|推荐|精华|视频|图集|独家)\W*"
)  # what a page sets behind a title, in its heading


def uncut(trimmed: str, declared: Iterable[str], outline: Outline, body: Body) -> str | None:
    """The whole of a ``<title>`` that was cut, if the page has it; ``declared`` are the titles in its metadata."""
    cut = CUT.search(trimmed)
    return begun_by(trimmed[: cut.start()], declared, outline, body) if cut else None


def begun_by(cut: str, declared: Iterable[str], outline: Outline, body: Body) -> str | None:
    """The heading, declared title or line above the text that begins with the ``cut`` title."""
    key = title_key(cut)
    end, first = (body.lines[-1], body.first) if body.lines else (len(outline.lines),) * 2
    headings = [text for _, text, at in outline.headings if at <= end]
    if len(key) < SHORTEST_TITLE or any(title_key(text) == key for text in headings):
        return None
    plain = (line.text for line in outline.lines[:first] if not line.linked and len(line.text) <= LONGEST_HEADING)
    lines = (text for text in plain if text[-1] not in "。；，")
    longer = (
        text
        for text in (*headings, *declared, *lines)
        if len(own := title_key(text)) > len(key) and own.startswith(key)
    )
    return next((text for text in longer if not BADGE.fullmatch(title_key(text)[len(key) :])), None)


def undotted(heading: str, full_title: str) -> str:
    """A heading; if it was cut, its whole from ``<title>``, if that has it."""
    stem = CUT.sub("", heading).rstrip()
    rest = full_title.removeprefix(stem)
    if stem == heading or rest == full_title or CUT.match(rest.lstrip()):
        return heading
    return stem + SEPARATOR.split(rest, maxsplit=1)[0]


def mastheads(outline: Outline, body: Body) -> list[tuple[str, int]]:
    """The ``<h1>`` headings close above the first paragraph, or right above the first line, and their lines."""
    begins = body.lines[0] - 1 if body.lines else -1
    return [
        (text, at)
        for tag, text, at in outline.headings
        if tag == "h1" and (0 < body.first - at <= NEAR_LINES or at == begins)
    ]
