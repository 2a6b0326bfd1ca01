"""Parses the dates of feeds and sitemaps."""

from __future__ import annotations

import re
from calendar import month_abbr
from datetime import UTC, datetime, tzinfo

from newsspider.core.extraction.dates.moments import OLDEST
from newsspider.core.extraction.dates.zones import zone_of
from newsspider.core.links.article_list import CHINA, full_date

_HALF = re.compile(r"(?<![a-z])([ap])\.?m\b\.?|(上午|凌晨|早上|오전)|(?:下午|晚上|傍晚|오후)", re.I)
# Before the day: a weekday in whatever language, as in "mer., 9 avr. 2018" and 星期五, 17 五月 2024.
_WEEKDAY = re.compile(
    r"^(?:(?:星期|周)[一二三四五六日天]|[^\W\d_]{2,10}\.?(?=[\s,，]+(?:\d|[^\W\d_]{3,10}\.?\s+\d)))\s*[,，]?\s*"
)
_CHINESE_MONTH = re.compile(r"(?<=\d\s)(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?=\s\d{4})")
_CHINESE_MONTHS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan januar janv janvier enero ene gennaio gen januari", "feb februar fev fevr fevrier febrero febbraio",
            "mar march marz mars marzo mrz maerz maart", "apr april avr avril abril abr aprile",
            "may mai mayo maggio mag maj mei", "jun june juni juin junio giugno giu",
            "jul july juli juil juillet julio luglio lug", "aug august aout agosto ago augusti augustus",
            "sep sept september septembre septiembre settembre set", "oct okt oktober october octobre octubre ottobre ott",
            "nov november novembre noviembre", "dec dez december dezember decembre diciembre dic dicembre",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_UNACCENTED = str.maketrans("äéèûúáôíç", "aeeuuaoic")
_TIME = r"(?:\s*[T,\s]\s*(?:[-–]\s*|(?:at|um)\s+)?(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?)?\s*(.*)$"
_ISO = re.compile(r"(\d{4})[-/.](\d\d?)(?:[-/.](\d\d?))?(?![-\d])" + _TIME, re.I)
_COMPACT = re.compile(
    r"((?:19|20)\d\d)(\d\d)(\d\d)(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d))?\s*(.*))?$", re.I
)  # 20240517T083000Z
_DAY_FIRST = re.compile(r"(\d\d?)(?:st|nd|rd|th|\.)?[\s-]*([^\W\d_]{3,10})\.?,?[\s-]+(\d{4}|\d\d),?" + _TIME, re.I)
_NAME_FIRST = re.compile(r"([^\W\d_]{3,10})\.?\s+(\d\d?)(?:st|nd|rd|th)?,?\s+(\d{4}),?" + _TIME, re.I)
_CTIME = re.compile(r"([^\W\d_]{3,10})\.?\s+(\d\d?)\s+(\d\d?):(\d\d)(?::(\d\d))?\s+(?:(\S+)\s+)?(\d{4})$", re.I)
_NUMBERS = re.compile(
    r"(?!\d\d?-\d\d?-\d\d(?!\d))(\d\d?)([/.\s-])(\d\d?)\2((?:19|20)\d\d|\d\d)(?!\d)" + _TIME, re.I
)  # 05/17/2024, 17.05.2024
_EPOCH = re.compile(r"(1\d{9})(?:\d{3})?$")  # seconds or milliseconds, from 2001 to 2033


def moment_of(text: str) -> datetime | None:
    """The moment that a date of a feed or sitemap means, in Chinese time if it has no zone; ``None`` if it is invalid.

    It may be as in RFC 822 or ISO 8601, Chinese, 20240517083000, seconds since 1970, or 05/17/2024. A date like
    05/06/2024 is ambiguous, one with a zone that is not understood has no moment: both are invalid.

    >>> moment_of("Fri, 17 May 2024 08:30:00 GMT").isoformat(), moment_of("2024-05-17").isoformat()
    ('2024-05-17T08:30:00+00:00', '2024-05-17T00:00:00+08:00')
    """
    text = " ".join(text[:100].split())
    half = _HALF.search(text)
    plain = _HALF.sub(" ", _WEEKDAY.sub("", text)).strip()
    moment = _whole(_CHINESE_MONTH.sub(_english, plain)) or _whole(_HALF.sub(" ", text).strip())
    if moment is None or moment.year < OLDEST:
        return None
    if half is None or moment.hour > 12:
        return moment
    before_noon = half[2] or (half[1] or "").lower() == "a"
    return moment.replace(hour=moment.hour % 12 + (0 if before_noon else 12))


def _whole(text: str) -> datetime | None:
    """The moment of a text with a 24-hour clock."""
    try:
        if match := _EPOCH.match(text):
            return datetime.fromtimestamp(int(match[1]), UTC)
        if match := _ISO.match(text) or _COMPACT.match(text):
            return _moment(*match.groups())
        if match := _DAY_FIRST.match(text):
            day, name, year, *time = match.groups()
            return _moment(year, _number_of(name), day, *time)
        if match := _CTIME.match(text):
            name, day, hour, minute, second, zone, year = match.groups()
            return _moment(year, _number_of(name), day, hour, minute, second, zone)
        if match := _NAME_FIRST.match(text):
            name, day, year, *time = match.groups()
            return _moment(year, _number_of(name), day, *time)
        if match := _NUMBERS.match(text):
            first, mark, second, year, *time = match.groups()
            month = int(second) if mark in ". " else _month_of(int(first), int(second))
            day = str(int(first) + int(second) - (month or 0))
            return None if month is None else _moment(year, str(month), day, *time)
    except (ValueError, OverflowError):
        return None
    return full_date(text)


def _month_of(first: int, second: int) -> int | None:
    """The month of two numbers, one of which is the day; ``None`` if either may be: 05/06/2024."""
    if first > 12:
        return second
    return first if second > 12 or first == second else None


def _moment(
    year: str, month: str, day: str | None, hour: str | None, minute: str | None, second: str | None, zone: str | None
) -> datetime | None:
    where = _zone(zone)
    if where is None:
        return None
    whole_year = int(year) + 2000 if len(year) == 2 else int(year)
    numbers = (int(month), int(day or 0) or 1, int(hour or 0), int(minute or 0), min(int(second or 0), 59))
    return datetime(whole_year, *numbers, tzinfo=where)


def _english(match: re.Match[str]) -> str:
    number = _CHINESE_MONTHS.index(match[1]) + 1 if match[1] in _CHINESE_MONTHS else int(match[1])
    return month_abbr[number]


def _number_of(name: str) -> str:
    """The number of a month by its name; raises :exc:`ValueError` if it is none."""
    number = _MONTHS.get(name.lower().translate(_UNACCENTED))
    if number is None:
        raise ValueError(name)
    return str(number)


def _zone(text: str | None) -> tzinfo | None:
    text = (text or "").strip(" ,")
    if not text:
        return CHINA
    return zone_of("UTC" if text == "-0000" else re.sub(r"(?<=\d)Z$", "", text))
