"""Reads the moments that Chinese pages write, for people, for machines and in URLs."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from newsspider.core.extraction.dates.ago import relative_stamp
from newsspider.core.extraction.dates.chinese_numerals import in_digits, number_of
from newsspider.core.extraction.dates.times_of_day import TIME, ZONE, Stamp, stamp_of
from newsspider.core.extraction.dates.zones import SHANGHAI

OLDEST = 1993  # no web page is older
ROC = 1911  # what is added to a year of the Republic (民國)
AHEAD = timedelta(hours=26)  # clocks and zones may differ; what lies further ahead is an event, not a publication

_DAY = r"\d{2}(?=\d{1,2}:\d{2})|\d{1,2}(?!\d)"  # spans without a space between: "2019-09-0713:43"
_FULL = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})\s?(?:[-/.]|年)\s?(?P<month>\d{1,2})\s?(?:[-/.]|月)\s?(?P<day>"
    + _DAY
    + r")\s?日?"
    + TIME,
    re.IGNORECASE,
)
_ROC = re.compile(
    r"民[國国]\s?(?P<year>\d{2,3})\s?[-/.年]\s?(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})(?!\d)\s?日?" + TIME
)
_TIME_AHEAD = re.compile(  # "14:08 2024-03-05"
    r"(?<![\d.-])(?<!\d:)(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::\d\d)?\s$"
)
_BARE_ROC = re.compile(
    r"(?<![\d.])(?P<year>[89]\d|1[0-4]\d)\s?(?P<s>[-/.年])\s?(?P<month>\d{1,2})\s?(?:(?P=s)|月)\s?"
    r"(?P<day>\d{1,2})(?![\d.])\s?日?" + TIME
)
_NO_YEAR = re.compile(
    r"(?<![\d年/.-])(?P<month>\d{1,2})\s?[-/月]\s?(?P<day>" + _DAY + r")\s?日?(?=\s?[\d上下凌晚早中])" + TIME
)
_DAY_ONLY = re.compile(r"(?<![\d年/.-])(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?日")
_SHORT_YEAR = re.compile(
    r"(?<![\d.-])(?P<year>[0-4]\d)(?P<s>[-/.])(?P<month>\d{1,2})(?P=s)(?P<day>\d{1,2})"
    r"(?=(?:(?<=\d\d)\s?\d|\s\d?)\d:\d{2})" + TIME
)
_SHORT_YEAR_WRITTEN = re.compile(r"(?<!\d)(?P<year>[0-4]\d)年(?P<month>\d{1,2})月(?P<day>\d{1,2})日" + TIME)
_SHORT_DAY = re.compile(  # believed only where a line says little else
    r"(?<![\d/.-])(?P<year>[0-4]\d)(?P<s>[-/.])(?P<month>\d\d)(?P=s)(?P<day>\d\d)(?![\d/.-])"
)
_SET_OFF = re.compile(  # "| 24-03-05 |", or behind the label of a publication
    r"(?:^\s*|[|(\[【]\s?|(?:[时時][间間]|日期|发[布表]|發[佈布表])\s?:\s?)"
    r"(?P<year>[0-4]\d)(?P<s>[-/.])(?P<month>\d\d)(?P=s)(?P<day>\d\d)(?=\s*(?:$|[|)\]】]|[\u4e00-\u9fff]|\s\w))"
)
_YEAR_LAST = re.compile(  # 03/05/2024, the month first, but 18/11/2026 and 05.03.2024 with the day first
    r"(?<![\d/.-])(?P<first>\d{1,2})(?P<s>[-/.])(?P<last>\d{1,2})(?P=s)(?P<year>(?:19|20)\d{2})(?![.-]?\d)" + TIME,
    re.IGNORECASE,
)
_COMPACT = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
    rf"(?:[\sT]?(?P<hour>[01]\d|2[0-3]):?(?P<minute>[0-5]\d)(?P<second>:?\d{{2}}(?:\.\d+)?)?{ZONE}?)?(?!\d)"
)
# what is added to the year of each, in the order in which they are looked for
_FORMS = (
    (_ROC, ROC), (_BARE_ROC, ROC), (_SHORT_YEAR, 2000), (_SHORT_YEAR_WRITTEN, 2000), (_COMPACT, 0), (_SET_OFF, 2000),
    (_SHORT_DAY, 2000),
)  # fmt: skip
_LOOSE = (_BARE_ROC, _SHORT_DAY)
_BOXED = (  # how a day reads whose parts stand in boxes of their own, in front of what it dates
    re.compile(r"^(?P<year>(?:19|20)\d{2})\s(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})(?![\d/.-])日?" + TIME),
    re.compile(r"^(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})日?\s(?P<year>(?:19|20)\d{2})(?![\d/.-])(?=\s|$)"),
    re.compile(r"^(?P<day>\d{1,2})日?\s(?P<year>(?:19|20)\d{2})\s?[-/.年]\s?(?P<month>\d{1,2})月?(?![\d/.-])(?=\s|$)"),
)
_ENGLISH = re.compile(
    r"(?P<day>\d{1,2})?\s?(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s"
    r"(?:(?P<day2>\d{1,2})(?:st|nd|rd|th)?,?\s)?(?P<year>20\d{2})" + TIME,
    re.IGNORECASE,
)
_CTIME = re.compile(  # "Tue Mar  5 14:08:33 CST 2024", as Java and C write it
    r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?P<day>\d{1,2})\s+"
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?P<second>:\d\d)?\s+"
    r"(?:(?P<zone>[A-Z+-][\w/:+-]+)\s+)?(?P<year>20\d{2})",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(  # "十一月 6th, 2009", as blog software in Chinese writes it
    r"(?P<name>十[一二]?|[一二三四五六七八九]|1[0-2]|[1-9])"
    r"月\s?(?P<day>\d{1,2})(?:st|nd|rd|th|日)?\s?[,，]\s?(?P<year>(?:19|20)\d{2})" + TIME
)
_URL_DATE = re.compile(  # also in front of the time of day, in numbers made of the moment
    r"(?<!\d)(20[0-3]\d)([-_/]?)(0[1-9]|1[0-2])(?:\2|[-_/]?)(0[1-9]|[12]\d|3[01])"
    r"(?:(?:[01]\d|2[0-3])[0-5]\d[0-5]\d\d{0,6})?(?!\d)"
)
_URL_FOLDERS = re.compile(r"(?<=/)(20[0-3]\d)([-/])([1-9]|1[0-2])\2([1-9]|[12]\d|3[01])(?=/)")  # /art/2024/3/5/
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_YEAR = re.compile(r"(?:19|20)\d\d(?!\d)")
_HINT = re.compile(r"[\d年今昨前刚剛]|ago|just now")  # one of these is in every moment


def stamp_in(text: str, now: datetime, *, roc: bool = False, yearless: bool = False) -> Stamp | None:
    """The first moment written in ``text``; without an offset it is the time of Shanghai.

    ``roc`` also believes two- and three-digit years of the Republic and days like 24-03-05, ``yearless`` a month and
    day with neither year nor time. A day without a year is the latest such day before ``now``.

    >>> stamp_in("发布时间：2024年3月5日 下午2点08分", datetime(2024, 4, 1, tzinfo=SHANGHAI)).at.isoformat()
    '2024-03-05T14:08:00+08:00'
    >>> stamp_in("3小时前", datetime(2024, 4, 1, 12, 30, tzinfo=SHANGHAI)).at.isoformat()
    '2024-04-01T09:30:00+08:00'
    """
    text = unicodedata.normalize("NFKC", text).replace("∶", ":")
    if not _HINT.search(text):
        return None
    text = in_digits(text) if "年" in text else text
    here = now.astimezone(SHANGHAI)
    result = _calendar(text, here, roc) or relative_stamp(text, here)
    if not result and yearless and (match := _DAY_ONLY.search(text)):
        result = _latest(match, here)
    return result if result and result.at <= now + AHEAD and result.at.year >= OLDEST else None


def boxed(text: str) -> re.Match[str] | None:
    """The year, month and day in front of ``text`` whose parts stand in boxes of their own.

    >>> boxed("05 2024-03 双减之后的课堂").group("year", "month", "day"), boxed("2024-03-05 双减之后的课堂")
    (('2024', '03', '05'), None)
    """
    return next((match for pattern in _BOXED if (match := pattern.match(text))), None)


def may_hold_moment(text: str) -> bool:
    """Whether ``text`` may hold a moment at all: cheaper than to look for it."""
    return _HINT.search(unicodedata.normalize("NFKC", text)) is not None


def _calendar(text: str, here: datetime, roc: bool) -> Stamp | None:
    if full := next((match for match in _FULL.finditer(text) if int(match["year"]) >= OLDEST), None):
        return _at_time_ahead(stamp_of(full, int(full["year"])), text[: full.start()])
    for form, added in _FORMS:
        if (roc or form not in _LOOSE) and (match := form.search(text)):
            return stamp_of(match, int(match["year"]) + added)
    if _YEAR.search(text) and (stamp := _year_last(text) or _with_name_of_month(text)):
        return stamp
    return _without_year(text, here)


def _year_last(text: str) -> Stamp | None:
    match = _YEAR_LAST.search(text)
    if match is None:
        return None
    first, last = int(match["first"]), int(match["last"])
    month, day = (last, first) if match["s"] == "." or first > 12 else (first, last)
    return stamp_of(match, int(match["year"]), month, day)


def _with_name_of_month(text: str) -> Stamp | None:
    if match := _MONTH_FIRST.search(text):
        name = match["name"]
        return stamp_of(match, int(match["year"]), int(name) if name.isdecimal() else number_of(name))
    if match := _ENGLISH.search(text) or _CTIME.search(text):
        parts = match.groupdict()
        day = parts.get("day2") or parts["day"]
        return stamp_of(match, int(match["year"]), _MONTHS.index(match["name"].lower()) + 1, int(day)) if day else None
    return None


def _without_year(text: str, here: datetime) -> Stamp | None:
    match = _NO_YEAR.search(text)
    return _latest(match, here) if match and match["hour"] else None


def _at_time_ahead(stamp: Stamp | None, preceding: str) -> Stamp | None:
    """The day with the time of day that stands right before it, if none follows it."""
    if stamp is None or stamp.exact or not (time := _TIME_AHEAD.search(preceding[-10:])):
        return stamp
    return replace(stamp, at=stamp.at.replace(hour=int(time["hour"]), minute=int(time["minute"])), exact=True)


def _latest(match: re.Match[str], here: datetime) -> Stamp | None:
    """The latest such day, that is not ahead."""
    stamp = stamp_of(match, here.year)
    stamp = stamp_of(match, here.year - 1) if stamp and stamp.at > here + AHEAD else stamp
    return stamp and replace(stamp, whole=False)


def machine_stamp(text: str, now: datetime) -> Stamp | None:
    """A moment as <meta>, JSON-LD and <time> write it: also seconds since the epoch and RFC 2822."""
    text = text.strip()
    if text.isdecimal() and len(text) in (10, 13):
        at = datetime.fromtimestamp(int(text[:10]), SHANGHAI).replace(second=0)
        return Stamp(at, True) if at.year >= OLDEST and at <= now + AHEAD else None
    if stamp := stamp_in(text, now):
        return stamp
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    return stamp_in(at.isoformat(), now)


def url_date(url: str, now: datetime) -> Stamp | None:
    """The day in the URL's path, if there is one.

    >>> url_date("http://a.cn/2024/0305/c12.html", datetime(2024, 4, 1, tzinfo=SHANGHAI)).at.date().isoformat()
    '2024-03-05'
    """
    path = urlsplit(url).path
    for match in (*_URL_DATE.finditer(path), *_URL_FOLDERS.finditer(path)):
        try:
            at = datetime(int(match[1]), int(match[3]), int(match[4]), tzinfo=SHANGHAI)
        except ValueError:
            continue
        if at <= now + AHEAD:
            return Stamp(at, False)
    return None
