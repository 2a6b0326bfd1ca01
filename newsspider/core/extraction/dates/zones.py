"""Reads the zones that pages and feeds write behind a time of day."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

SHANGHAI = ZoneInfo("Asia/Shanghai")
# Hours ahead of Greenwich. CST is Chicago's time in America, but China's here. IST is India's, Ireland's or Israel's,
# so it is not in the list.
_HOURS = {
    "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0, "BST": 1, "WEST": 1, "CET": 1, "MET": 1, "MEZ": 1, "CEST": 2,
    "MEST": 2, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3, "SGT": 8, "CST": 8, "BJT": 8, "HKT": 8, "AWST": 8, "JST": 9,
    "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6,
    "PST": -8, "PDT": -7, "北京时间": 8, "北京時間": 8, "香港时间": 8, "香港時間": 8, "台北时间": 8, "台北時間": 8,
}  # fmt: skip
_OFFSET = re.compile(r"(?:GMT|UTC|UT|Z)?\s?([+-])\s?(\d{1,2})(?::?(\d{2}))?(?::?00)?", re.I)
_LONGEST = 14 * 60  # minutes between a place's time and Greenwich's
_IN_BRACKETS = re.compile(r"\s*(?:\([^()]*\)|\[[^\][]*\])\s*$")
_NAME_BEFORE = re.compile(r"[A-Za-z]{3,5}\s?(?=[+-]\d\d:?\d\d$)")  # JST+0900

# A zone in the text of a page: names in capitals, for "est" and "met" are words.
ZONE_NAMES = "|".join(sorted((name for name in _HOURS if name.isascii() and len(name) > 1), key=len, reverse=True))


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
    minutes = int(match[2]) * 60 + int(match[3] or 0) if match else _LONGEST + 1
    if match is None or minutes > _LONGEST:
        return None
    return timezone(timedelta(minutes=minutes if match[1] == "+" else -minutes)) if minutes else UTC
