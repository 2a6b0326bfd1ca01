"""Reads the figures and dates of a sentence, so that 三千, 3,000 and 3千 are one and 3日 and 3人 are two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from newsspider.core.text.characters import plain

_NUMERALS = ("零〇", "一壹", "二贰两", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖")
_DIGITS = {character: digit for digit, several in enumerate(_NUMERALS) for character in several}
_TIMES = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
_HAN = "".join((*_NUMERALS, *_TIMES, *_LARGE))
# What a figure counts, where that makes it another one: 3日 is no 3月. Of others (人, 名, 位, 所) the words tell.
_KINDS = {kind: kind for kind in "年月日点分秒岁元倍成届期级度"} | {
    "号": "日",
    "时": "点",
    "％": "%",
    "%": "%",
    "‰": "‰",
}
_COUNTED = "人名位个所家名项起次条份篇件套间栋辆台天周块里米吨座"
DATES = frozenset("年月日点")
NUMERAL = re.compile(rf"[\d.,{_HAN}{''.join(_KINDS)}{_COUNTED}多余几第]+")  # a word that is a figure and no more
_FIGURE = re.compile(
    rf"(?P<before>百分之|千分之|第)?(?P<number>(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?[十百千万亿]*|[{_HAN}]+)"
    rf"(?P<over>[多余几])?(?P<kind>[{''.join(_KINDS)}])?(?P<counted>[{_COUNTED}])?"
)
_BEFORE = {"百分之": "%", "千分之": "‰", "第": "第"}
_PART = re.compile(rf"\d+(?:\.\d+)?|[{_HAN}]")


class Figure(NamedTuple):
    """Values with what they count; two values are a day of a month or a month of a year."""

    values: tuple[Decimal, ...]
    kind: str

    @property
    def is_date(self) -> bool:
        """Whether it is a date or a time."""
        return set(self.kind) <= DATES and bool(self.kind)


def figures(text: str) -> Iterator[Figure]:
    """The figures of a text; of dates whose parts stand side by side also the pairs.

    >>> [(int(figure.values[0]), figure.kind) for figure in figures("百分之五、3千元和第二、20多人，一些")]
    [(5, '%'), (3000, '元'), (2, '第'), (20, '多')]
    >>> [tuple(map(int, figure.values)) for figure in figures("9月三日")]
    [(9,), (3,), (9, 3)]
    """
    last, end = None, -1
    for match in _FIGURE.finditer(plain(text)):
        number, kind = match["number"], _KINDS.get(match["kind"] or "", "")
        bare = not (match["before"] or kind or match["counted"] or number[0].isdecimal())
        if bare and len(number) < 2:  # 一 of 一些
            continue
        kind = f"{_BEFORE.get(match['before'] or '', '')}{'多' if match['over'] else ''}{kind}"
        figure = Figure((number_of(number),), kind)
        yield figure
        if last is not None and match.start() == end and last.is_date and figure.is_date:
            yield Figure(last.values + figure.values, last.kind + figure.kind)
        last, end = figure, match.end()


def number_of(text: str) -> Decimal:
    """The value of numerals.

    >>> [int(number_of(text)) for text in ("1.2万", "二〇二六", "一亿三千万", "十二", "3,000")]
    [12000, 2026, 130000000, 12, 3000]
    """
    whole = section = Decimal(0)
    current: Decimal | None = None
    for part in _PART.findall(text.replace(",", "")):
        if part in _TIMES:
            section += (Decimal(1) if current is None else current) * _TIMES[part]
            current = None
        elif part in _LARGE:
            amount = section + (current or 0) or Decimal(1)
            whole = (whole + amount) * _LARGE[part] if 0 < whole < _LARGE[part] else whole + amount * _LARGE[part]
            section, current = Decimal(0), None
        elif part in _DIGITS:
            current = Decimal(_DIGITS[part]) if current is None else current * 10 + _DIGITS[part]
        else:
            current = Decimal(part)
    return whole + section + (current or 0)
