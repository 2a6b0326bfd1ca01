"""What stands behind a day: patterns of the time of day, its zone; and numbers in Chinese."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

SHANGHAI = ZoneInfo("Asia/Shanghai")
# Hours ahead of Greenwich. CST is Chicago's time in America, but China's here. IST is India's, Ireland's or Israel's,
# so it is not in the list.
_HOURS = {
    "Z": 0,
    "UT": 0,
    "UTC": 0,
    "GMT": 0,
    "WET": 0,
    "BST": 1,
    "WEST": 1,
    "CET": 1,
    "MET": 1,
    "MEZ": 1,
    "CEST": 2,
    "MEST": 2,
    "MESZ": 2,
    "EET": 2,
    "EEST": 3,
    "MSK": 3,
    "SGT": 8,
    "CST": 8,
    "BJT": 8,
    "HKT": 8,
    "AWST": 8,
    "JST": 9,
    "KST": 9,
    "AEST": 10,
    "AEDT": 11,
    "NZST": 12,
    "NZDT": 13,
    "EST": -5,
    "EDT": -4,
    "CDT": -5,
    "MST": -7,
    "MDT": -6,
    "PST": -8,
    "PDT": -7,
    "北京时间": 8,
    "北京時間": 8,
    "香港时间": 8,
    "香港時間": 8,
    "台北时间": 8,
    "台北時間": 8,
}
_OFFSET = re.compile(r"(?:GMT|UTC|UT|Z)?\s?([+-])\s?(\d{1,2})(?::?(\d{2}))?(?::?00)?", re.I)
_LONGEST_OFFSET = 14 * 60  # minutes between a place's time and Greenwich's
_IN_BRACKETS = re.compile(r"\s*(?:\([^()]*\)|\[[^\][]*\])\s*$")
_NAME_BEFORE = re.compile(r"[A-Za-z]{3,5}\s?(?=[+-]\d\d:?\d\d$)")  # JST+0900

_WEEKDAY = (
    r"(?:(?:星期|[周週]|礼拜|禮拜)[一二三四五六日天]|[(\[【〔「『<《]\s?(?:星期|[周週]|礼拜|禮拜)?[一二三四五六日天]\s?[)\]】〕」』>》]"
    r"|[(\[]?(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?[)\]]?(?![a-z]))"
)
_GAP = (
    rf"[\sT|,，、]{{0,6}}(?:{_WEEKDAY}|(?:at|um)\s|HKT\s|[-–—_](?=\s?\d{{1,2}}:)|[-–—]\s)?"
    r"[\sT|,，、]{0,6}(?:(?:北京|香港|台北)[时時][间間]\s{0,2})?"
)
_HALVES = r"[上下]午|中午|正午|午[后後]|傍晚|晚上|晚[间間]|夜[间間里裡]|[凌清]晨|早[上晨间間]|[晨早晚]|오[전후]"
_HOUR = (
    rf"(?P<half>{_HALVES}|[AP]\.?M\.?)?\s?(?P<hour>\d{{1,2}})\s?(?:[:时時點点]\s?(?P<minute>\d{{1,2}}|半(?!\w))"
    r"(?P<second>\s?[:分]\s?\d{1,2}(?:\.\d+)?)?|[时時點点](?=[整许許左\W]|$))"
    r"\s?(?P<half2>[AP]\.?M\b\.?|[上下]午(?!\s?\d))?"
)
# A zone in the text of a page: names in capitals, for "est" and "met" are words.
_ZONE_NAMES = "|".join(sorted((name for name in _HOURS if name.isascii() and len(name) > 1), key=len, reverse=True))
ZONE_PATTERN = (
    r"(?P<zone>Z\b|(?:UTC|GMT)(?:\s?[+-]\d{1,2}(?::?\d{2})?(?!\d))?|[+-]\d{2}:?\d{2}\b"
    rf"|(?-i:(?:{_ZONE_NAMES})(?![A-Za-z])|(?:Asia|Europe|America|Australia|Etc)/[A-Z][A-Za-z_/]{{1,30}}))"
)
TIME_PATTERN = rf"(?:{_GAP}{_HOUR}\s?(?:(?!UTC|GMT)[A-Z]{{3}}(?=[+-]\d{{4}}\b))?{ZONE_PATTERN}?)?"
_DIGITS = str.maketrans("〇零○Oo一二两兩三四五六七八九", "0000012223456789")


def zone_of(text: str) -> tzinfo | None:
    """The zone that ``text`` writes, by name, offset or place; ``None`` if it is not understood.

    >>> zone_of("GMT+0800 (China Standard Time)"), zone_of("Asia/Shanghai"), zone_of("Mars")
    (datetime.timezone(datetime.timedelta(seconds=28800)), zoneinfo.ZoneInfo(key='Asia/Shanghai'), None)
    """
    text = _IN_BRACKETS.sub("", text).strip() or text.strip(" ()[]")
    text = _NAME_BEFORE.sub("", text) if text[:3].upper() not in ("GMT", "UTC") else text
    if "/" in text:
        try:
            return ZoneInfo(text)
        except (ValueError, OSError, KeyError):
            return None
    if (hours := _HOURS.get(text.upper())) is not None:
        return timezone(timedelta(hours=hours)) if hours else UTC
    match = _OFFSET.fullmatch(text)
    minutes = int(match[2]) * 60 + int(match[3] or 0) if match else _LONGEST_OFFSET + 1
    if match is None or minutes > _LONGEST_OFFSET:
        return None
    return timezone(timedelta(minutes=minutes if match[1] == "+" else -minutes)) if minutes else UTC


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
