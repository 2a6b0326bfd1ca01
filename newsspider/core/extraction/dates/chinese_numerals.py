"""Reads the days that pages write in Chinese numerals."""

from __future__ import annotations

import re

_DAY = re.compile(  # a day of which at least month and day are written in Chinese numerals
    r"(?P<year>[一二][〇零○九Oo0][〇零○Oo0一二三四五六七八九]{2}|(?<=民[國国])\s?[一〇零○二三四五六七八九十百]{2,5}|(?<!\d)\d{2,4})\s?年\s?"
    r"(?P<month>[一二三四五六七八九十]{1,2})月\s?(?P<day>[一二三四五六七八九十]{1,3})日"
)
_DIGITS = str.maketrans("〇零○Oo一二两兩三四五六七八九", "0000012223456789")


def in_digits(text: str) -> str:
    """``text`` with its days in Chinese numerals in digits; what is no number stays as it stands.

    >>> in_digits("二〇二四年三月十五日 14:08"), in_digits("中華民國一百一十三年三月五日")
    ('2024年3月15日 14:08', '中華民國113年3月5日')
    """
    return _DAY.sub(_day, text)


def _day(match: re.Match[str]) -> str:
    try:
        return f"{number_of(match['year'].strip())}年{number_of(match['month'])}月{number_of(match['day'])}日"
    except ValueError:
        return match[0]


def number_of(text: str) -> int:
    """The number that Chinese numerals or digits write; raises :exc:`ValueError` where they write none.

    >>> number_of("一百一十三"), number_of("一一三"), number_of("113")
    (113, 113, 113)
    """
    hundreds, hundred, rest = text.rpartition("百")
    if hundred:
        return int(hundreds.translate(_DIGITS)) * 100 + (number_of(rest.lstrip("零〇")) if rest else 0)
    tens, mark, ones = text.rpartition("十")
    if not mark:
        return int(ones.translate(_DIGITS))
    return int(tens.translate(_DIGITS) or 1) * 10 + int(ones.translate(_DIGITS) or 0)
