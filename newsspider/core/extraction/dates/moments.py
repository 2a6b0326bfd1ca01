"""Reads the moments that Chinese pages write, for people, for machines and in URLs."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from newsspider.core.extraction.dates.chinese_numerals import in_digits, number_of

SHANGHAI = ZoneInfo("Asia/Shanghai")
OLDEST = 1993  # no web page is older
ROC = 1911  # what is added to a year of the Republic (民國)
AHEAD = timedelta(hours=26)  # clocks and zones may differ; what lies further ahead is an event, not a publication

_GAP = (
    r"[\sT|,，]{0,6}(?:\(?(?:星期|周|週)[一二三四五六日天]\)?|at\s|HKT\s|(?:北京|香港|台北)[时時][间間]|[-–—]\s)?[\sT|,，]{0,6}"
)
_HOUR = (
    r"(?P<half>上午|下午|中午|晚上|凌晨|早上|晚|[AP]M\s)?\s?(?P<hour>\d{1,2})\s?[:时時點点]\s?(?P<minute>\d{1,2})"
    r"(?P<second>\s?[:分]\s?\d{1,2}(?:\.\d+)?)?\s?(?P<half2>[AP]M\b|[上下]午(?!\s?\d))?"
)
_ZONE = r"(?P<zone>Z\b|(?:UTC|GMT)(?:\s?[+-]\d{1,2}(?::?\d{2})?(?!\d))?|[+-]\d{2}:?\d{2}\b)"
_TIME = rf"(?:{_GAP}{_HOUR}\s?(?:(?!UTC|GMT)[A-Z]{{3}}(?=[+-]\d{{4}}\b))?{_ZONE}?)?"
_DAY = r"\d{2}(?=\d{1,2}:\d{2})|\d{1,2}(?!\d)"  # spans without a space between: "2019-09-0713:43"
_FULL = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})\s?(?:[-/.]|年)\s?(?P<month>\d{1,2})\s?(?:[-/.]|月)\s?(?P<day>"
    + _DAY
    + r")\s?日?"
    + _TIME,
    re.IGNORECASE,
)
_ROC = re.compile(
    r"民[國国]\s?(?P<year>\d{2,3})\s?[-/.年]\s?(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})(?!\d)\s?日?" + _TIME
)
_TIME_AHEAD = re.compile(  # "14:08 2024-03-05"
    r"(?<![\d.-])(?<!\d:)(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::\d\d)?\s$"
)
_BARE_ROC = re.compile(
    r"(?<![\d.])(?P<year>[89]\d|1[0-4]\d)\s?(?P<s>[-/.年])\s?(?P<month>\d{1,2})\s?(?:(?P=s)|月)\s?"
    r"(?P<day>\d{1,2})(?![\d.])\s?日?" + _TIME
)
_NO_YEAR = re.compile(
    r"(?<![\d年/.-])(?P<month>\d{1,2})\s?[-/月]\s?(?P<day>" + _DAY + r")\s?日?(?=\s?[\d上下凌晚早中])" + _TIME
)
_DAY_ONLY = re.compile(r"(?<![\d年/.-])(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?日")
_SHORT_YEAR = re.compile(
    r"(?<![\d.-])(?P<year>[0-4]\d)(?P<s>[-/.])(?P<month>\d{1,2})(?P=s)(?P<day>\d{1,2})"
    r"(?=(?:(?<=\d\d)\s?\d|\s\d?)\d:\d{2})" + _TIME
)
_SHORT_YEAR_WRITTEN = re.compile(r"(?<!\d)(?P<year>[0-4]\d)年(?P<month>\d{1,2})月(?P<day>\d{1,2})日" + _TIME)
_SHORT_DAY = re.compile(  # believed only where a line says little else
    r"(?<![\d/.-])(?P<year>[0-4]\d)(?P<s>[-/.])(?P<month>\d\d)(?P=s)(?P<day>\d\d)(?![\d/.-])"
)
_AMERICAN = re.compile(
    r"(?<![\d/])(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>(?:19|20)\d{2})(?!\d)" + _TIME, re.IGNORECASE
)
_COMPACT = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:\s?(?P<hour>[01]\d|2[0-3]):?(?P<minute>[0-5]\d)(?:\d{2})?)?(?!\d)"
)
# what is added to the year of each, in the order in which they are looked for
_FORMS = (
    (_ROC, ROC), (_BARE_ROC, ROC), (_SHORT_YEAR, 2000), (_SHORT_YEAR_WRITTEN, 2000), (_AMERICAN, 0), (_COMPACT, 0),
    (_SHORT_DAY, 2000),
)  # fmt: skip
_LOOSE = (_BARE_ROC, _SHORT_DAY)
_BOXED = (  # how a day reads whose parts stand in boxes of their own, in front of what it dates
    re.compile(r"^(?P<year>(?:19|20)\d{2})\s(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})(?![\d/.-])日?" + _TIME),
    re.compile(r"^(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})日?\s(?P<year>(?:19|20)\d{2})(?![\d/.-])(?=\s|$)"),
    re.compile(r"^(?P<day>\d{1,2})日?\s(?P<year>(?:19|20)\d{2})\s?[-/.年]\s?(?P<month>\d{1,2})月?(?![\d/.-])(?=\s|$)"),
)
_DAY_WORD = re.compile(r"(?P<word>今天|今日|昨天|昨日|前天)" + _TIME)
_TENS = "[一二三四五六七八九]?十[一二三四五六七八九]?"
_AGO = re.compile(  # "三五天前" is read as five
    rf"(?P<count>\d{{1,3}}|半|[几幾]|{_TENS}|[一两兩二三四五六七八九])\s?(?:个|個)?"
    r"(?P<unit>秒|分钟|分鐘|小时|小時|天|日|周|週|星期|月|年)[之以]?前"
    r"|(?P<number>\d{1,3})\s(?P<english>second|minute|min|hour|day|week|month|year)s?\sago"
)
AGO_LINE = 60  # characters over which a line with such words is a sentence
_JUST_NOW = re.compile(r"^\W*(?:刚刚|剛剛)\W*$")
_ENGLISH = re.compile(
    r"(?P<day>\d{1,2})?\s?(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s"
    r"(?:(?P<day2>\d{1,2})(?:st|nd|rd|th)?,?\s)?(?P<year>20\d{2})" + _TIME,
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(  # "十一月 6th, 2009", as blog software in Chinese writes it
    r"(?P<name>十[一二]?|[一二三四五六七八九]|1[0-2]|[1-9])"
    r"月\s?(?P<day>\d{1,2})(?:st|nd|rd|th|日)?\s?[,，]\s?(?P<year>(?:19|20)\d{2})" + _TIME
)
_URL_DATE = re.compile(  # also in front of the time of day, in numbers made of the moment
    r"(?<!\d)(20[0-3]\d)([-_/]?)(0[1-9]|1[0-2])(?:\2|[-_/]?)(0[1-9]|[12]\d|3[01])"
    r"(?:(?:[01]\d|2[0-3])[0-5]\d[0-5]\d\d{0,6})?(?!\d)"
)
_URL_FOLDERS = re.compile(r"(?<=/)(20[0-3]\d)([-/])([1-9]|1[0-2])\2([1-9]|[12]\d|3[01])(?=/)")  # /art/2024/3/5/
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_HINT = re.compile(r"[\d年今昨前刚剛]")  # one of these is in every moment above
_DAYS_BACK = {"今天": 0, "今日": 0, "昨天": 1, "昨日": 1, "前天": 2}
_UNITS = {
    "秒": timedelta(seconds=1), "分钟": timedelta(minutes=1), "分鐘": timedelta(minutes=1), "小时": timedelta(hours=1),
    "小時": timedelta(hours=1), "天": timedelta(days=1), "日": timedelta(days=1), "周": timedelta(days=7),
    "週": timedelta(days=7),
    "星期": timedelta(days=7), "月": timedelta(days=30), "年": timedelta(days=365), "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1), "min": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1),
    "week": timedelta(days=7), "month": timedelta(days=30), "year": timedelta(days=365),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stamp:
    """A moment as a page writes it."""

    at: datetime  # aware, to the minute
    exact: bool  # whether the page gives the time of day
    whole: bool = True  # whether the page gives the year
    ago: bool = False  # whether it says how long ago it was


def stamp_in(text: str, now: datetime, *, roc: bool = False, yearless: bool = False) -> Stamp | None:
    """The first moment written in ``text``; without an offset it is the time of Shanghai.

    ``roc`` also believes two- and three-digit years of the Republic and days like 24-03-05, ``yearless`` a month and
    day with neither year nor time. A day without a year is the latest such day before ``now``.

    >>> stamp_in("发布时间：2024年3月5日 下午2点08分", datetime(2024, 4, 1, tzinfo=UTC)).at.isoformat()
    '2024-03-05T14:08:00+08:00'
    >>> stamp_in("3小时前", datetime(2024, 4, 1, 4, 30, tzinfo=UTC)).at.isoformat()
    '2024-04-01T09:30:00+08:00'
    """
    text = unicodedata.normalize("NFKC", text).replace("∶", ":")
    if not _HINT.search(text):
        return None
    text = in_digits(text) if "年" in text else text
    here = now.astimezone(SHANGHAI)
    result = _calendar(text, here, roc) or _relative(text, here)
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
    if match := _FULL.search(text):
        return _at_time_ahead(_stamp(match, int(match["year"])), text[: match.start()])
    for form, added in _FORMS:
        if (roc or form not in _LOOSE) and (match := form.search(text)):
            return _stamp(match, int(match["year"]) + added)
    if match := _MONTH_FIRST.search(text):
        return _stamp(
            match, int(match["year"]), int(match["name"]) if match["name"].isdecimal() else number_of(match["name"])
        )
    if match := _ENGLISH.search(text):
        day = match["day2"] or match["day"]
        return _stamp(match, int(match["year"]), _MONTHS.index(match["name"].lower()) + 1, int(day)) if day else None
    if (match := _NO_YEAR.search(text)) and match["hour"]:
        return _latest(match, here)
    return None


def _at_time_ahead(stamp: Stamp | None, preceding: str) -> Stamp | None:
    """The day with the time of day that stands right before it, if none follows it."""
    if stamp is None or stamp.exact or not (time := _TIME_AHEAD.search(preceding[-10:])):
        return stamp
    return replace(stamp, at=stamp.at.replace(hour=int(time["hour"]), minute=int(time["minute"])), exact=True)


def _latest(match: re.Match[str], here: datetime) -> Stamp | None:
    """The latest such day, that is not ahead."""
    stamp = _stamp(match, here.year)
    stamp = _stamp(match, here.year - 1) if stamp and stamp.at > here + AHEAD else stamp
    return stamp and replace(stamp, whole=False)


def _relative(text: str, here: datetime) -> Stamp | None:
    if (match := _DAY_WORD.search(text)) and (match["hour"] or _stands_alone(match)):
        day = here - timedelta(days=_DAYS_BACK[match["word"]])
        return _stamp(match, day.year, day.month, day.day)
    if (match := _AGO.search(text)) and len(text) <= AGO_LINE:
        unit = _UNITS[match["unit"] or match["english"]]
        moment = here - _count(match["count"] or match["number"]) * unit
        return Stamp(moment.replace(second=0, microsecond=0), unit <= timedelta(hours=1), ago=True)
    if _JUST_NOW.match(text):
        return Stamp(here.replace(second=0, microsecond=0), True, ago=True)
    return None


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether a word for a whole day ends its line, with at most a label or a name before it."""
    preceding, following = match.string[: match.start()], match.string[match.end() :]
    return (not preceding.strip() or preceding[-1] in " :|") and not following.strip(" |)]")


def _count(text: str) -> float:
    if text.isdecimal():
        return float(text)
    return {"半": 0.5, "几": 3.0, "幾": 3.0}.get(text) or float(number_of(text))


def _stamp(match: re.Match[str], year: int, month: int | None = None, day: int | None = None) -> Stamp | None:
    parts = match.groupdict()
    hour, minute = int(parts.get("hour") or 0), int(parts.get("minute") or 0)
    half = (parts.get("half") or parts.get("half2") or "").strip().upper()
    if half in ("下午", "晚上", "晚", "PM", "中午") and 1 <= hour < (11 if half == "中午" else 12):
        hour += 12
    elif half in ("AM", "凌晨", "上午") and hour == 12:
        hour = 0
    zone = _zone(parts.get("zone"), whole=parts.get("second") is not None or "T" in match[0])
    try:
        at = datetime(
            year, month or int(parts["month"]), day or int(parts["day"]), hour % 24, minute, tzinfo=zone or SHANGHAI
        )
    except ValueError:
        return None
    if zone is UTC:
        at = at.astimezone(SHANGHAI)  # a machine's notation: the page's readers live by Shanghai's clock
    return Stamp(at, parts.get("hour") is not None)


def _zone(text: str | None, *, whole: bool) -> tzinfo | None:
    """The zone of an offset. In a moment that is not ``whole`` (to the second, as machines write), "-16:30" is when
    something ends."""
    if not text:
        return None
    if text.upper() in ("Z", "UTC", "GMT"):
        return UTC
    offset = text.upper().removeprefix("UTC").removeprefix("GMT").strip()
    if offset == text and text[0] == "-" and not whole:
        return None
    digits = offset[1:].replace(":", "")
    minutes = int(digits[:-2] or 0) * 60 + int(digits[-2:]) if len(digits) > 2 else int(digits) * 60
    if minutes >= 24 * 60:
        return None
    return timezone(timedelta(minutes=minutes if offset[0] == "+" else -minutes)) if minutes else UTC


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

    >>> url_date("http://a.cn/2024/0305/c12.html", datetime(2024, 4, 1, tzinfo=UTC)).at.date().isoformat()
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
