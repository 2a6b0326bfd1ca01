"""Replaces characters of a text: traditional and full-width ones by the usual, so that one list of terms serves all;
those that harm whoever prints or stores them (controls, marks that reorder a line) by nothing or an escape."""

from __future__ import annotations

import re
from functools import cache
from zlib import crc32

from opencc import OpenCC

MIN_CHINESE_CHARACTERS = 6  # of an anchor text
HAN = re.compile(r"[\u4e00-\u9fff]")  # a Chinese character of the basic block
HAN_EXTENDED = re.compile(r"[\u3400-\u9fff]")  # with those of extension A, which are rare
FIRST_IDEOGRAPH, LAST_IDEOGRAPH = 0x3400, 0x9FFF  # the CJK ideographs
WIDE = {chr(0xFEE0 + code): chr(code) for code in range(0x7F) if chr(code).isalnum()}  # full-width letters and digits
DOTTED_I = {"\u0130": "i"}  # the one letter that lower() makes two of
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


def has_enough_text(text: str) -> bool:
    """Whether an anchor text is long enough to be scored.

    >>> has_enough_text("详细"), has_enough_text("Kindergarten fees capped"), has_enough_text("高考改革方案公布")
    (False, False, True)
    """
    return len(HAN.findall(text)) >= MIN_CHINESE_CHARACTERS


def to_simplified(text: str) -> str:
    """The text with every traditional character as its simplified one; the length stays.

    >>> to_simplified("鄉村教師招聘，2024 年")
    '乡村教师招聘，2024 年'
    """
    return _traditional().sub(lambda match: _plain_table()[match[0]], text)


def fold_text(text: str) -> str:
    """The text as words are compared: simplified characters, letters and digits of usual width, lower case; the length
    stays.

    >>> fold_text("鄉村ＧＲＥ")
    '乡村gre'
    """
    return _unlike().sub(lambda match: _plain_table()[match[0]], text).lower()


def spellings_of(character: str) -> str:
    """The other characters that are this one in plain text.

    >>> spellings_of("发"), spellings_of("人"), spellings_of("g")
    ('發髮', '', 'GＧｇ')
    """
    return _spellings().get(character, "")


@cache
def _spellings() -> dict[str, str]:
    spelled: dict[str, str] = {}
    for written in map(chr, range(0x10000)):
        character = _plain_table().get(written, written).lower()
        if character != written:
            spelled[character] = spelled.get(character, "") + written
    return spelled


@cache
def characters_fingerprint() -> str:
    """A short name of what :func:`fold_text` replaces, which another version of OpenCC may change."""
    return f"{crc32(repr(sorted(_plain_table().items())).encode()):08x}"


@cache
def _unlike() -> re.Pattern[str]:
    """A pattern of the characters that change in plain text, case aside. Replacing its matches is many times faster
    than str.translate(), which looks at each character."""
    return re.compile(f"[{''.join(_plain_table())}]")


@cache
def _plain_table() -> dict[str, str]:
    return _table() | WIDE | DOTTED_I


@cache
def _traditional() -> re.Pattern[str]:
    """A pattern of the characters whose simplified form is another one."""
    return re.compile(f"[{''.join(_table())}]")


@cache
def _table() -> dict[str, str]:
    characters = [chr(code) for code in range(FIRST_IDEOGRAPH, LAST_IDEOGRAPH + 1)]
    converted = OpenCC("t2s").convert("\n".join(characters)).split("\n")  # one a line: no character sees its neighbour
    pairs = zip(characters, converted, strict=True)
    return {character: form for character, form in pairs if character != form and len(form) == 1}


def printable_text(text: str) -> str:
    """The text without control characters, direction marks and lone surrogates; tabs and line feeds stay.

    >>> printable_text("Exam\\x1b[31m results\\u202e"), printable_text("line 1\\nline 2")
    ('Exam[31m results', 'line 1\\nline 2')
    """
    return text if text.isprintable() else _DROPPED.sub("", text)


def one_line(text: str, longest: int) -> str:
    """The printable text on one line, single spaces between its words, cut to ``longest`` characters.

    >>> one_line(" Exam\\x07\\n results ", 512), one_line("Exam results", 4)
    ('Exam results', 'Exam')
    """
    line = " ".join(text[: 4 * longest].split())  # first, since some control characters separate words
    return (line if line.isprintable() else " ".join(printable_text(line).split()))[:longest].strip()


def as_cell(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula (CSV injection): one that might be begins with "'".

    >>> as_cell("=1+1"), as_cell("高考")
    ("'=1+1", '高考')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def storable_text(text: str) -> str:
    """The text as both databases can store it: without NUL and lone surrogates.

    >>> storable_text("高\\0考\\ud800")
    '高考?'
    """
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def escape_controls(text: str) -> str:
    r"""The text with each control or bidirectional formatting character as an escape of JSON and TOML; tabs and line
    feeds stay.

    >>> escape_controls("\x1b[31m开学\x9b\u202e\n")
    '\\u001b[31m开学\\u009b\\u202e\n'
    """
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) if _UNSAFE.search(text) else text


def escaped_line(text: str) -> str:
    r"""The same for text that must stay one line: its line feeds are escaped, too.

    >>> escaped_line("开学\n")
    '开学\\n'
    """
    return escape_controls(text).replace("\n", "\\n")
