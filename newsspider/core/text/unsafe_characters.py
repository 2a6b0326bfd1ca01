"""Drops or escapes characters that harm whoever prints or stores them: controls, marks that reorder a line."""

from __future__ import annotations

import re

# C0 and C1 controls (a terminal obeys ESC and U+009B), but tab and line feed; overrides of direction, with which a line
# shows other words; line separators; halves of characters; characters never assigned; invisible tags.
UNPRINTABLE_BUT_C1 = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f\\ud800-\\udfff"
    "\\ufdd0-\\ufdef\\ufff9-\\ufffb\\ufffe\\uffff\\U000e0000-\\U000e007f"
)  # of a regular expression, between square brackets
UNPRINTABLE = UNPRINTABLE_BUT_C1 + "\\x80-\\x9f"
# With these a cell begins that a spreadsheet may take for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_DROPPED = re.compile(f"[{UNPRINTABLE}]+")
# C0 but for tab and line feed, DEL, C1, line and paragraph separators, and overrides of direction.
_UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text without control characters, direction marks and lone surrogates; tabs and line feeds stay.

    >>> printable("Exam\\x1b[31m results\\u202e"), printable("line 1\\nline 2")
    ('Exam[31m results', 'line 1\\nline 2')
    """
    return text if text.isprintable() else _DROPPED.sub("", text)


def one_line(text: str, longest: int) -> str:
    """The printable text on one line, single spaces between its words, cut to ``longest`` characters.

    >>> one_line(" Exam\\x07\\n results ", 512), one_line("Exam results", 4)
    ('Exam results', 'Exam')
    """
    line = " ".join(text[: 4 * longest].split())  # first, since some control characters separate words
    return (line if line.isprintable() else " ".join(printable(line).split()))[:longest].strip()


def as_cell(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula (CSV injection): one that might be begins with "'".

    >>> as_cell("=1+1"), as_cell("高考")
    ("'=1+1", '高考')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def storable(text: str) -> str:
    """The text as both databases can store it: without NUL and lone surrogates.

    >>> storable("高\\0考\\ud800")
    '高考?'
    """
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def escaped(text: str) -> str:
    r"""The text with each control or bidirectional formatting character as an escape of JSON and TOML; tabs and line
    feeds stay.

    >>> escaped("\x1b[31m开学\x9b\u202e\n")
    '\\u001b[31m开学\\u009b\\u202e\n'
    """
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) if _UNSAFE.search(text) else text


def escaped_line(text: str) -> str:
    r"""The same for text that must stay one line: its line feeds are escaped, too.

    >>> escaped_line("开学\n")
    '开学\\n'
    """
    return escaped(text).replace("\n", "\\n")
