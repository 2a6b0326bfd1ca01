"""Parses the dates of feeds and sitemaps."""

from __future__ import annotations

import re
from calendar import month_abbr
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from newsspider.core.links.article_list import CHINA, full_date

_ZONES = {
    "CST": "+0800",
    "BJT": "+0800",
    "HKT": "+0800",
    "JST": "+0900",
    "北京时间": "+0800",
    "-0000": "+0000",  # UTC (RFC 5322, section 3.3)
}  # CST is Chicago's time in e-mail, but China's in Chinese feeds
_ZONE_NAME = re.compile("|".join(_ZONES))
_SHORT_ZONE = re.compile(r"(?:GMT|UTC)?([+-])(\d)$")
_HALF = re.compile(r"(?<![a-z])([ap])\.?m\b\.?|(上午|凌晨|早上)|(?:下午|晚上|傍晚)", re.I)
# As Java writes them in Chinese: 星期五, 17 五月 2024 08:30:00 +0800
_WEEKDAY = re.compile(r"^(?:星期|周)[一二三四五六日天]\s*[,，]?\s*")
_MONTH = re.compile(r"(?<=\d\s)(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?=\s\d{4})")
_MONTHS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_OFFSET = r"\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?"
_TIME = rf"(?:[T ]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?{_OFFSET})?"
_ISO = re.compile(rf"(\d{{4}})-(\d\d?)(?:-(\d\d?))?{_TIME}", re.I)
_COMPACT = re.compile(rf"((?:19|20)\d\d)(\d\d)(\d\d)(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d))?{_OFFSET})?$", re.I)  # 20240517T083000Z
_YEAR_LAST = re.compile(rf"(\d\d?)/(\d\d?)/((?:19|20)\d\d){_TIME}$", re.I)  # 05/17/2024 or 17/05/2024
_EPOCH = re.compile(r"(1\d{9})(?:\d{3})?$")  # seconds or milliseconds, from 2001 to 2033


def moment_of(text: str) -> datetime | None:
    """The moment that a date of a feed or sitemap means, in Chinese time if it has no zone; ``None`` if it is invalid.

    It may be as in RFC 822 or ISO 8601, Chinese, 20240517083000, seconds since 1970, or 05/17/2024. A date like
    05/06/2024 is ambiguous, so it is invalid.

    >>> moment_of("Fri, 17 May 2024 08:30:00 GMT").isoformat(), moment_of("2024-05-17").isoformat()
    ('2024-05-17T08:30:00+00:00', '2024-05-17T00:00:00+08:00')
    """
    half = _HALF.search(text)
    moment = _whole(_HALF.sub("", _WEEKDAY.sub("", text.strip())).strip())
    if half is None or moment is None or moment.hour > 12:
        return moment
    before_noon = half[2] or (half[1] or "").lower() == "a"
    return moment.replace(hour=moment.hour % 12 + (0 if before_noon else 12))


def _whole(text: str) -> datetime | None:
    """The moment of a text with a 24-hour clock."""
    text = _SHORT_ZONE.sub(r"\g<1>0\g<2>00", _MONTH.sub(_english, text))
    try:
        if match := _ISO.match(text) or _COMPACT.match(text):
            return _moment(*match.groups())
        if match := _YEAR_LAST.match(text):
            first, second, year, *time = match.groups()
            month = _month_of(int(first), int(second))
            day = int(first) + int(second) - (month or 0)
            return None if month is None else _moment(year, str(month), str(day), *time)
        if match := _EPOCH.match(text):
            return datetime.fromtimestamp(int(match[1]), UTC)
        moment = parsedate_to_datetime(_ZONE_NAME.sub(lambda zone: _ZONES[zone[0]], text))
        return moment if moment.tzinfo else moment.replace(tzinfo=CHINA)
    except (ValueError, OverflowError, TypeError, IndexError):
        return full_date(text)


def _month_of(first: int, second: int) -> int | None:
    """The month of two numbers, one of which is the day; ``None`` if either may be: 05/06/2024."""
    if first > 12:
        return second
    return first if second > 12 or first == second else None


def _moment(
    year: str, month: str, day: str | None, hour: str | None, minute: str | None, second: str | None, zone: str | None
) -> datetime:
    numbers = (int(year), int(month), int(day or 0) or 1, int(hour or 0), int(minute or 0), min(int(second or 0), 59))
    return datetime(*numbers, tzinfo=_zone(zone))


def _english(match: re.Match[str]) -> str:
    number = _MONTHS.index(match[1]) + 1 if match[1] in _MONTHS else int(match[1])
    return month_abbr[number]


def _zone(text: str | None) -> timezone:
    if text is None:
        return CHINA
    if text[0].isalpha():
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
