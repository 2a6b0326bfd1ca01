"""Fits texts into the columns of a terminal, where a Chinese character takes two."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

NEVER_FIRST = frozenset("，。！？、；：）】》〉」』〕］｝”’…—～％‰·,.!?;:)]}%")  # of a line
NEVER_LAST = frozenset("（【《〈「『〔［｛“‘([{")
_MARKS = NEVER_FIRST | NEVER_LAST


def column_count(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def cut_to_columns(text: str, width: int) -> str:
    """The text, shortened with an ellipsis to ``width`` columns.

    >>> cut_to_columns("高考改革", 8), cut_to_columns("高考改革方案", 8)
    ('高考改革', '高考改…')
    """
    if column_count(text) <= width:
        return text
    while column_count(text) > width - 2:
        text = text[:-1]
    return text + "…"


def wrap_text(text: str, width: int) -> Iterator[str]:
    """A paragraph in lines of at most ``width`` columns; nothing if it is blank.

    Latin words and numbers stay whole. No line begins with a mark that closes or ends with one that opens, unless
    there are more of them than a line holds.

    >>> list(wrap_text("他说：“高考改革。”", 12))
    ['他说：“高考', '改革。”']
    """
    line, filled = "", 0
    for unit in _units(" ".join(text.split())):
        for piece in _pieces(unit, width):
            if line and filled + column_count(piece.rstrip()) > width:
                yield line.rstrip()
                line, filled = "", 0
            line += piece
            filled += column_count(piece)
    if line.strip():
        yield line.rstrip()


def _units(text: str) -> Iterator[str]:
    """The pieces of a text that stand on one line, each with the blank behind it."""
    start = 0
    for at in range(1, len(text)):
        if _may_break(text, at):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def _may_break(text: str, at: int) -> bool:
    """Whether a line may end before this character of a text."""
    previous, character = text[at - 1], text[at]
    if character == " " or character in NEVER_FIRST or unicodedata.combining(character):
        return False
    if previous == " ":
        return text[at - 2 : at - 1] not in NEVER_LAST
    if previous in NEVER_LAST:
        return False
    return not (_narrow(previous) and _narrow(character))


def _narrow(char: str) -> bool:
    """Whether a character may be part of a Latin word or a number."""
    return char.isascii() or (unicodedata.east_asian_width(char) not in "WF" and char not in _MARKS)


def _pieces(unit: str, width: int) -> Iterator[str]:
    """The unit, or its pieces of ``width`` columns if it is longer than a line, as a URL may be."""
    start = filled = 0
    for at, char in enumerate(unit):
        size = column_count(char)
        if filled + size > width and start < at and char != " ":
            yield unit[start:at]
            start, filled = at, 0
        filled += size
    yield unit[start:]
