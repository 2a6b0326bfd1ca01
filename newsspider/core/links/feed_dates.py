"""Reads the moments that feeds and sitemaps write."""

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
}  # e-mail's CST is Chicago's; in Chinese feeds it is China's
_ZONE_NAME = re.compile("|".join(_ZONES))
_SHORT_ZONE = re.compile(r"(?:GMT|UTC)?([+-])(\d)$")
_HALF = re.compile(r"(?<![a-z])([ap])\.?m\b\.?|(上午|凌晨|早上)|(?:下午|晚上|傍晚)", re.I)
# As Java writes them in Chinese: 星期五, 17 五月 2024 08:30:00 +0800
_WEEKDAY = re.compile(r"^(?:星期|周)[一二三四五六日天]\s*[,，]?\s*")
_MONTH = re.compile(r"(?<=\d\s)(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?=\s\d{4})")
_MONTHS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_ISO = re.compile(
    r"(\d{4})-(\d\d?)(?:-(\d\d?))?(?:[T ]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?", re.I
)


def moment_of(text: str) -> datetime | None:
    """The moment that a feed or sitemap writes: RFC 822, ISO 8601 or a Chinese form; without a zone, it is Chinese
    time.

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
    """The moment of a text that says its hour out of 24."""
    text = _SHORT_ZONE.sub(r"\g<1>0\g<2>00", _MONTH.sub(_english, text))
    try:
        if match := _ISO.match(text):
            year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
            return datetime(year, month, day or 1, hour, minute, min(second, 59), tzinfo=_zone(match[7]))
        moment = parsedate_to_datetime(_ZONE_NAME.sub(lambda zone: _ZONES[zone[0]], text))
        return moment if moment.tzinfo else moment.replace(tzinfo=CHINA)
    except (ValueError, OverflowError, TypeError, IndexError):
        return full_date(text)


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
