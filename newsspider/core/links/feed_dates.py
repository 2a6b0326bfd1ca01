"""Reads the moments that feeds and sitemaps write."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from newsspider.core.links.article_list import CHINA, full_date

_ZONES = {
    "CST": "+0800",
    "BJT": "+0800",
    "北京时间": "+0800",
    "-0000": "+0000",  # UTC (RFC 5322, section 3.3)
}  # e-mail's CST is Chicago's; in Chinese feeds it is China's
_ZONE_NAME = re.compile("|".join(_ZONES))
_ISO = re.compile(
    r"(\d{4})-(\d\d?)(?:-(\d\d?))?(?:[T ]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?", re.I
)


def moment_of(text: str) -> datetime | None:
    """The moment that a feed or sitemap writes: RFC 822, ISO 8601 or a Chinese form; without a zone, it is Chinese
    time.

    >>> moment_of("Fri, 17 May 2024 08:30:00 GMT").isoformat(), moment_of("2024-05-17").isoformat()
    ('2024-05-17T08:30:00+00:00', '2024-05-17T00:00:00+08:00')
    """
    text = text.strip()
    try:
        if match := _ISO.match(text):
            year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
            return datetime(year, month, day or 1, hour, minute, min(second, 59), tzinfo=_zone(match[7]))
        moment = parsedate_to_datetime(_ZONE_NAME.sub(lambda zone: _ZONES[zone[0]], text))
        return moment if moment.tzinfo else moment.replace(tzinfo=CHINA)
    except (ValueError, OverflowError, TypeError, IndexError):
        return full_date(text)


def _zone(text: str | None) -> timezone:
    if text is None:
        return CHINA
    if text[0].isalpha():
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
