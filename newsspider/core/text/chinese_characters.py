"""Converts traditional characters and full-width letters to the usual ones, so that one list of terms serves all."""

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


def has_enough_text(text: str) -> bool:
    """Whether an anchor text is long enough to be scored.

    >>> has_enough_text("详细"), has_enough_text("Kindergarten fees capped"), has_enough_text("高考改革方案公布")
    (False, False, True)
    """
    return len(HAN.findall(text)) >= MIN_CHINESE_CHARACTERS


def simplified(text: str) -> str:
    """The text with every traditional character as its simplified one; the length stays.

    >>> simplified("鄉村教師招聘，2024 年")
    '乡村教师招聘，2024 年'
    """
    return _traditional().sub(lambda match: _plain_table()[match[0]], text)


def plain(text: str) -> str:
    """The text as words are compared: simplified characters, letters and digits of usual width, lower case; the length
    stays.

    >>> plain("鄉村ＧＲＥ")
    '乡村gre'
    """
    return _unlike().sub(lambda match: _plain_table()[match[0]], text).lower()


def spellings(character: str) -> str:
    """The other characters that are this one in plain text.

    >>> spellings("发"), spellings("人"), spellings("g")
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
    """A short name of what :func:`plain` replaces, which another version of OpenCC may change."""
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
