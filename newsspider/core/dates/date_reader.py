"""Reads moments: one grammar for pages, lists, feeds, sitemaps, scripts and URLs; callers choose the forms they accept.

Running text (:func:`stamp_in`), metadata (:func:`machine_stamp`), a field of a feed (:func:`feed_moment`), a list item
(:func:`full_date`) and a URL (:func:`url_date`). A date in the future, as that of an event, is refused here for all of
them. Times of day, zones and Chinese numbers are read by ``time_and_zone.py``.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from newsspider.core.dates.time_and_zone import SHANGHAI, TIME_PATTERN, ZONE_PATTERN, number_of, zone_of

OLDEST_YEAR = 1993  # no web page is older
ROC = 1911  # what is added to a year of the Republic (民國)
FUTURE_TOLERANCE = timedelta(hours=26)  # clocks and zones differ; what lies further in the future is an event
AGO_LINE = 60  # characters over which a line with words like "ago" is a sentence

# A whole day in numbers, and a time of day, for patterns of lines that have them.
DAY_PATTERN = r"(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}\s?日?"
CLOCK_PATTERN = r"\d{1,2}[:：]\d\d(?:[:：]\d\d)?"

_MONTH_NAMES = (
    "jan januar janv janvier enero ene gennaio gen januari january",
    "feb februar fév févr fev fevr février fevrier febrero febbraio february",
    "mar march märz mär marz mars marzo mrz maerz maart",
    "apr april avr avril abril abr aprile",
    "may mai mayo maggio mag maj mei",
    "jun june juni juin junio giugno giu",
    "jul july juli juil juillet julio luglio lug",
    "aug august août aout agosto ago augusti augustus",
    "sep sept september septembre septiembre settembre set",
    "oct okt oktober october octobre octubre ottobre ott",
    "nov november novembre noviembre",
    "dec déc dez december dezember décembre decembre diciembre dic dicembre",
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_CHINESE_MONTH = "(?:十[一二]?|[一二三四五六七八九]|1[0-2]|0?[1-9])月"
_TH = "(?:st|nd|rd|th)?"

# Days by their groups: year (or roc, a year of the Republic), month (or its name), day; or first and last, either of
# which is the month.
_DAY = r"\d{2}(?=\d{1,2}:\d{2})|\d{1,2}(?!\d)"  # spans without a space between: "2019-09-0713:43"
_FULL = re.compile(
    rf"(?<!\d)(?P<year>(?:19|20)\d{{2}})\s?[-/.年]\s?(?P<month>\d{{1,2}})\s?[-/.月]\s?(?P<day>{_DAY})\s?日?{TIME_PATTERN}",
    re.IGNORECASE,
)
_ROC = re.compile(
    r"民[國国]\s?(?P<roc>\d{2,3})\s?[-/.年]\s?(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})(?!\d)\s?日?"
    + TIME_PATTERN
)
_BARE_ROC = re.compile(
    r"(?<![\d.])(?P<roc>[89]\d|1[0-4]\d)\s?(?P<s>[-/.年])\s?(?P<month>\d{1,2})\s?(?:(?P=s)|月)\s?"
    r"(?P<day>\d{1,2})(?![\d.])\s?日?" + TIME_PATTERN
)
_SHORT_YEAR = re.compile(
    r"(?<![\d.-])(?P<year>[0-4]\d)(?P<s>[-/.])(?P<month>\d{1,2})(?P=s)(?P<day>\d{1,2})"
    r"(?=(?:(?<=\d\d)\s?\d|\s\d?)\d:\d{2})" + TIME_PATTERN
)
_SHORT_YEAR_WRITTEN = re.compile(r"(?<!\d)(?P<year>[0-4]\d)年(?P<month>\d{1,2})月(?P<day>\d{1,2})日" + TIME_PATTERN)
_SHORT_DAY = re.compile(  # believed only where a line says little else
    r"(?<![\d/.-])(?P<year>[0-4]\d)(?P<s>[-/.])(?P<month>\d\d)(?P=s)(?P<day>\d\d)(?![\d/.-])"
)
_SET_OFF = re.compile(  # "| 24-03-05 |", or behind the label of a publication
    r"(?:^\s*|[|(\[【]\s?|(?:[时時][间間]|日期|发[布表]|發[佈布表])\s?:\s?)"
    r"(?P<year>[0-4]\d)(?P<s>[-/.])(?P<month>\d\d)(?P=s)(?P<day>\d\d)(?=\s*(?:$|[|)\]】]|[\u4e00-\u9fff]|\s\w))"
)
_COMPACT = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
    rf"(?:[\sT]?(?P<hour>[01]\d|2[0-3]):?(?P<minute>[0-5]\d)(?P<second>:?\d{{2}}(?:\.\d+)?)?{ZONE_PATTERN}?)?(?!\d)"
)
_YEAR_LAST = re.compile(  # 03/05/2024, the month first, but 18/11/2026 and 05.03.2024 with the day first
    r"(?<![\d/.-])(?P<first>\d{1,2})(?P<s>[-/.])(?P<last>\d{1,2})(?P=s)(?P<year>(?:19|20)\d{2})(?![.-]?\d)"
    + TIME_PATTERN,
    re.IGNORECASE,
)
_CHINESE_MONTH_FIRST = re.compile(  # "十一月 6th, 2009", as blog software in Chinese writes it
    rf"(?P<name>{_CHINESE_MONTH})\s?(?P<day>\d{{1,2}})(?:{_TH}|日)\s?[,，]\s?(?P<year>(?:19|20)\d{{2}}){TIME_PATTERN}"
)
_NAMED_MONTH = re.compile(  # "17th May, 2024", "May 17, 2024", "17 五月 2024", "17 May 24 08:30"
    rf"(?:(?P<day>\d{{1,2}})(?:{_TH}|\.)[\s-]*)?(?P<name>(?<![a-z])(?:{_NAMES})|(?<=\s){_CHINESE_MONTH})\.?,?[\s-]+"
    rf"(?:(?P<day2>\d{{1,2}}){_TH},?\s+)?(?P<year>(?:19|20)\d{{2}}(?!\d)|(?(day)\d\d(?=\s\d\d?:)|(?!))),?{TIME_PATTERN}",
    re.IGNORECASE,
)
_CTIME = re.compile(  # "Tue Mar  5 14:08:33 CST 2024", as Java and C write it
    rf"(?P<name>(?<![a-z])(?:{_NAMES}))\.?\s+(?P<day>\d{{1,2}})\s+"
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?P<second>:\d\d)?\s+(?:(?P<zone>[A-Z+-][\w/:+-]+)\s+)?(?P<year>20\d{2})",
    re.IGNORECASE,
)
_NO_YEAR = re.compile(
    rf"(?<![\d年/.-])(?P<month>\d{{1,2}})\s?[-/月]\s?(?P<day>{_DAY})\s?日?(?=\s?[\d上下凌晚早中]){TIME_PATTERN}"
)
_DAY_ONLY = re.compile(r"(?<![\d年/.-])(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?日")
_FORMS = (_ROC, _BARE_ROC, _SHORT_YEAR, _SHORT_YEAR_WRITTEN, _COMPACT, _SET_OFF, _SHORT_DAY)  # in this order
_LOOSE = (_BARE_ROC, _SHORT_DAY)
_YEAR_BEHIND = (_YEAR_LAST, _CHINESE_MONTH_FIRST, _NAMED_MONTH, _CTIME)
_FEED_FORMS = (
    _COMPACT,
    _NAMED_MONTH,
    _CTIME,
    re.compile(
        r"(?<![\d/.-])(?!\d\d?-\d\d?-\d\d(?!\d))(?P<first>\d\d?)(?P<s>[/.\s-])(?P<last>\d\d?)(?P=s)"
        r"(?P<year>(?:19|20)\d\d|\d\d)(?!\d)" + TIME_PATTERN,
        re.IGNORECASE,
    ),
)
_BOXED = (  # how a day reads whose parts stand in boxes of their own, in front of what it dates
    re.compile(
        rf"^(?P<year>(?:19|20)\d{{2}})(?:\s|(?=\d\d/))(?P<month>\d{{1,2}})\s?[-/.月]\s?(?P<day>{_DAY})(?![/.-])日?{TIME_PATTERN}"
    ),
    re.compile(r"^(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})日?\s(?P<year>(?:19|20)\d{2})(?![\d/.-])(?=\s|$)"),
    re.compile(r"^(?P<day>\d{1,2})日?\s?(?P<year>(?:19|20)\d{2})\s?[-/.年]\s?(?P<month>\d{1,2})月?(?![\d/.-])(?=\s|$)"),
)
_IN_CHINESE = re.compile(  # a day of which at least month and day are written in Chinese numerals
    r"(?P<year>[一二][〇零○九Oo0][〇零○Oo0一二三四五六七八九]{2}|(?<=民[國国])\s?[一〇零○二三四五六七八九十百]{2,5}|(?<!\d)\d{2,4})\s?年\s?"
    r"(?P<month>[一二三四五六七八九十]{1,2})月\s?(?P<day>[一二三四五六七八九十]{1,3})日"
)
_TIME_AHEAD = re.compile(  # "14:08 2024-03-05": the time of day that stands right before a day, if none follows it
    r"(?<![\d.-])(?<!\d:)(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::\d\d)?\s$"
)
_URL_DATE = re.compile(  # also in front of the time of day, in numbers made of the moment
    r"(?<!\d)(20[0-3]\d)([-_/]?)(0[1-9]|1[0-2])(?:\2|[-_/]?)(0[1-9]|[12]\d|3[01])"
    r"(?:(?:[01]\d|2[0-3])[0-5]\d[0-5]\d\d{0,6})?(?!\d)"
)
_URL_FOLDERS = re.compile(r"(?<=/)(20[0-3]\d)([-/])([1-9]|1[0-2])\2([1-9]|[12]\d|3[01])(?=/)")  # /art/2024/3/5/
_YEAR_AND_MONTH = re.compile(r"(?:19|20)\d\d[-/.]\d\d?")
_EPOCH = re.compile(r"(\d{10})(?:\d{3})?")  # seconds or milliseconds
_WEEKDAY_AHEAD = re.compile(r"(?:[^\W\d_]{2,10}\.?)?[\s,，]*")  # in whatever language
_YEAR = re.compile(r"(?:19|20)\d\d(?!\d)")
_HINT = re.compile(r"[\d年今昨前刚剛]|ago|just now")  # one of these is in every moment

_DAY_WORD = re.compile(
    r"(?P<word>今[天日]|昨[天日]|(?<!大)前[天日](?!起)|[今昨](?=[晨早晚夜])|前(?=晚))(?P<part>[晨早晚夜])?"
    + TIME_PATTERN,
    re.IGNORECASE,
)
_MORNING = ("AM", "上午", "凌晨", "清晨", "早上", "早晨", "早间", "早間", "早", "晨", "오전")
_DAYS_BACK = {"今": 0, "昨": 1, "前": 2}
_WEEKDAY_AND_TIME = re.compile(
    rf"^\W*(?:发[布表][于於]?)?\W*(?:星期|[周週])(?P<weekday>[一二三四五六日天]){TIME_PATTERN}\W*$"
)
_WEEKDAYS = "一二三四五六日"
_COUNT = r"\d{1,3}|半|[几幾]|[一二三四五六七八九]?十[一二三四五六七八九]?|[一两兩二三四五六七八九]"
_SMALL = (
    r"(?:零?\s?(?P<more>\d{1,2}|[一两兩二三四五六七八九]?十?[一二三四五六七八九]?)\s?(?:个|個)?"
    r"(?P<small>秒[钟鐘]?|分[钟鐘]?|小[时時]|天))?"
)
_AGO = re.compile(  # "三五天前" is read as five
    rf"(?P<count>{_COUNT})\s?(?:个|個)?(?P<half>半)?\s?(?:多\s?)?"
    r"(?P<unit>秒[钟鐘]?|分[钟鐘]?|小[时時]|[钟鐘][头頭]|天|日|[周週]|星期|月|年)"
    rf"(?P<half2>半)?\s?{_SMALL}\s?[之以]?前"
)
_ENGLISH_AGO = re.compile(
    r"(?P<count>\d{1,3}|\ban?)\s?(?P<unit>sec|min|hour|hr|h|day|d|week|w|month|year)[a-z]{0,4}\.?"
    r"(?:(?:,|\sand)?\s(?P<more>\d{1,2})\s?(?P<small>sec|min|hour|hr|h|day)[a-z]{0,4})?\sago\b",
    re.I,
)
_NOW = r"(?:刚刚|剛剛|刚才|剛才|方才|just now)(?:发[布表]|發[佈布表]|更新)?"
_JUST_NOW = re.compile(
    rf"(?:^|[\s:|·/]){_NOW}\W*$|(?:[时時][间間]|日期|发[布表]|發[佈布表]|更新|[于於])\s?[:|]?\s?{_NOW}(?![\w,，])", re.I
)
_AGO_HINT = re.compile(r"[今昨前刚剛周週]|星期|方才|ago|just now", re.I)  # one of these is in every such moment
_UNITS = {
    timedelta(seconds=1): "秒 sec",
    timedelta(minutes=1): "分 min",
    timedelta(hours=1): "小 钟 鐘 hour hr h",
    timedelta(days=1): "天 日 day d",
    timedelta(days=7): "周 週 星 week w",
    timedelta(days=30): "月 month",
    timedelta(days=365): "年 year",
}
_UNIT_OF = {name: unit for unit, names in _UNITS.items() for name in names.split()}


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

    >>> stamp_in("发布时间：2024年3月5日 下午2点08分", datetime(2024, 4, 1, tzinfo=SHANGHAI)).at.isoformat()
    '2024-03-05T14:08:00+08:00'
    >>> stamp_in("1小时30分钟前", datetime(2024, 4, 1, 12, 30, tzinfo=SHANGHAI)).at.isoformat()
    '2024-04-01T11:00:00+08:00'
    """
    text = _normalized(text)
    if not _HINT.search(text):
        return None
    text = _IN_CHINESE.sub(_in_digits, text) if "年" in text else text
    here = now.astimezone(SHANGHAI)
    result = _calendar(text, here, roc) or _boxed(text) or _relative(text, here)
    if not result and yearless and (match := _DAY_ONLY.search(text)):
        result = _latest(match, here)
    return result if result and result.at <= now + FUTURE_TOLERANCE and result.at.year >= OLDEST_YEAR else None


def may_hold_moment(text: str) -> bool:
    """Whether ``text`` may hold a moment at all: cheaper than to look for it."""
    return _HINT.search(unicodedata.normalize("NFKC", text)) is not None


def machine_stamp(text: str, now: datetime) -> Stamp | None:
    """A moment as <meta>, JSON-LD and <time> write it: also seconds since the epoch and RFC 2822."""
    text = text.strip()
    if epoch := _EPOCH.fullmatch(text):
        at = datetime.fromtimestamp(int(epoch[1]), SHANGHAI).replace(second=0)
        return Stamp(at, True) if at.year >= OLDEST_YEAR and at <= now + FUTURE_TOLERANCE else None
    if stamp := stamp_in(text, now):
        return stamp
    moment = feed_moment(text)
    return None if moment is None else stamp_in(moment.isoformat(), now)


def feed_moment(text: str) -> datetime | None:
    """The moment that a date of a feed or sitemap means, in Chinese time if it has no zone; ``None`` if it is invalid.

    It may be as in RFC 822 or ISO 8601, Chinese, 20240517083000, seconds since 1970, or 05/17/2024. A date like
    05/06/2024 is ambiguous, one with a zone that is not understood has no moment: both are invalid.

    >>> feed_moment("Fri, 17 May 2024 08:30:00 GMT").isoformat(), feed_moment("2024-05-17").isoformat()
    ('2024-05-17T08:30:00+00:00', '2024-05-17T00:00:00+08:00')
    """
    text = " ".join(_normalized(text[:100]).split())
    if epoch := _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(epoch[1]), UTC)
    match = _FULL.search(f"{text}-01" if _YEAR_AND_MONTH.fullmatch(text) else text)
    for form in _FEED_FORMS if match is None else ():
        if (match := form.search(text)) and _WEEKDAY_AHEAD.fullmatch(text, 0, match.start()):
            break
        match = None
    if match is None:
        return None
    parts = match.groupdict()
    written = f"{parts.get('zone') or ''}{text[match.end() :]}".strip(" ,分秒")
    zone = zone_of(re.sub(r"(?<=\d)Z$", "", written)) if written else SHANGHAI
    hour, second = int(parts.get("hour") or 0), (parts.get("second") or "0").strip(" :分").partition(".")[0]
    try:
        time = _hour_of(parts) if hour < 24 else hour, int(parts.get("minute") or 0), min(int(second), 59)
        moment = datetime(*_day_of(parts, is_month_sure=True), *time, tzinfo=zone)
    except ValueError:
        return None
    return moment if zone and moment.year >= OLDEST_YEAR else None


def full_date(text: str) -> datetime | None:
    """The first full date of a text, or the one in boxes in front of it, in Chinese time; ``None`` if it has no year or
    is invalid.

    >>> full_date("[2024-05-17]").isoformat(), full_date("17 2024-05 双减之后的课堂").isoformat()
    ('2024-05-17T00:00:00+08:00', '2024-05-17T00:00:00+08:00')
    """
    text = _normalized(text)
    match = _FULL.search(text)
    stamp = _stamp(match) if match else _boxed(text, is_whole=False)
    return stamp.at if stamp else None


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
        if at <= now + FUTURE_TOLERANCE:
            return Stamp(at, False)
    return None


def _normalized(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("∶", ":")


def _in_digits(match: re.Match[str]) -> str:
    """A day in Chinese numerals in digits; what is no number stays as it stands."""
    try:
        return f"{number_of(match['year'].strip())}年{number_of(match['month'])}月{number_of(match['day'])}日"
    except ValueError:
        return match[0]


def _calendar(text: str, here: datetime, roc: bool) -> Stamp | None:
    if full := next((match for match in _FULL.finditer(text) if int(match["year"]) >= OLDEST_YEAR), None):
        stamp = _stamp(full)
        time = _TIME_AHEAD.search(text[: full.start()][-10:]) if stamp and not stamp.exact else None
        if stamp and time:
            return replace(stamp, at=stamp.at.replace(hour=int(time["hour"]), minute=int(time["minute"])), exact=True)
        return stamp
    for form in _FORMS:
        if (roc or form not in _LOOSE) and (match := form.search(text)):
            return _stamp(match)
    for form in _YEAR_BEHIND if _YEAR.search(text) else ():
        if (match := form.search(text)) and (stamp := _stamp(match)):
            return stamp
    match = _NO_YEAR.search(text)
    return _latest(match, here) if match and match["hour"] else None


def _boxed(text: str, *, is_whole: bool = True) -> Stamp | None:
    """The day in boxes with which a text begins, or that is the whole of it."""
    plain = " ".join(text.split())
    match = next((match for form in _BOXED if (match := form.match(plain))), None)
    return None if match is None or (is_whole and match.end() < len(plain)) else _stamp(match)


def _latest(match: re.Match[str], here: datetime) -> Stamp | None:
    """The latest such day, that is not ahead."""
    stamp = _stamp(match, year=here.year)
    stamp = _stamp(match, year=here.year - 1) if stamp and stamp.at > here + FUTURE_TOLERANCE else stamp
    return stamp and replace(stamp, whole=False)


def _stamp(match: re.Match[str], **given: int) -> Stamp | None:
    """The moment of a match of a day and its time, of which parts may be ``given``; ``None`` if there is no such moment
    or zone."""
    parts = match.groupdict() | {name: str(number) for name, number in given.items()}
    written, minute = parts.get("zone"), parts.get("minute") or "0"
    zone = zone_of(written) if written else SHANGHAI
    if written and written[0] == "-" and not (parts.get("second") or "T" in match[0]):
        zone = SHANGHAI  # "-16:30" is when something ends: machines write offsets behind seconds
    try:
        time = _hour_of(parts) % 24, 30 if minute == "半" else int(minute)
        at = datetime(*_day_of(parts), *time, tzinfo=zone)
    except ValueError:
        return None
    if zone is UTC:
        at = at.astimezone(SHANGHAI)  # a machine's notation: the page's readers live by Shanghai's clock
    return Stamp(at, parts.get("hour") is not None) if zone else None


def _day_of(parts: dict[str, str | None], *, is_month_sure: bool = False) -> tuple[int, int, int]:
    """Year, month and day by the groups of a form, 0 where one is missing; raises :exc:`ValueError` if the month must
    be sure and is not."""
    number = {name: int(parts.get(name) or 0) for name in ("roc", "year", "month", "day", "day2", "first", "last")}
    year = number["roc"] + ROC if number["roc"] else number["year"] + (2000 if number["year"] < 100 else 0)
    if first := number["first"]:
        last = number["last"]
        is_day_first = parts["s"] in (".", " ") or first > 12
        if is_month_sure and not (is_day_first or last > 12 or first == last):
            raise ValueError("either number may be the month")
        return (year, last, first) if is_day_first else (year, first, last)
    name = (parts.get("name") or "").lower()
    month = _MONTHS.get(name) or number_of(name.removesuffix("月")) if name else number["month"]
    return year, month, number["day"] or number["day2"]


def _hour_of(parts: dict[str, str | None]) -> int:
    """The hour on a clock of 24 hours, by the groups of a match of ``TIME_PATTERN``; 0 if it has none."""
    hour = int(parts.get("hour") or 0)
    half = (parts.get("half") or parts.get("half2") or parts.get("part") or "").replace(".", "").strip().upper()
    if half in _MORNING:
        return 0 if hour == 12 else hour
    first, last = (6, 11) if half.startswith("夜") else (1, 10) if half in ("中午", "正午") else (1, 11)
    return hour + 12 if half and first <= hour <= last else hour


def _relative(text: str, here: datetime) -> Stamp | None:
    """The moment that ``text`` tells from ``here``, which is now: "3小时前", "昨晚 21:30", "刚刚"."""
    if not _AGO_HINT.search(text):
        return None
    match = _DAY_WORD.search(text)
    if match and (match["hour"] or _stands_alone(match)):
        day = here - timedelta(days=_DAYS_BACK[match["word"][0]])
        stamp = _stamp(match, year=day.year, month=day.month, day=day.day)
        is_ahead = stamp and match["part"] in ("晚", "夜") and stamp.at > here
        return None if is_ahead else stamp
    if len(text) > AGO_LINE:
        return None
    if (match := _WEEKDAY_AND_TIME.match(text)) and match["hour"]:
        return _on_weekday(match, here)
    if match := _AGO.search(text) or _ENGLISH_AGO.search(text):
        parts = match.groupdict()
        unit = _unit(match["unit"])
        before = (_count(match["count"]) + 0.5 * bool(parts.get("half") or parts.get("half2"))) * unit
        if match["small"] and match["more"]:
            before += _count(match["more"]) * _unit(match["small"])
        return Stamp((here - before).replace(second=0, microsecond=0), unit <= timedelta(hours=1), ago=True)
    return Stamp(here.replace(second=0, microsecond=0), True, ago=True) if _JUST_NOW.search(text) else None


def _on_weekday(match: re.Match[str], here: datetime) -> Stamp | None:
    """The latest such weekday and time that is not ahead."""
    weekday = _WEEKDAYS.index(match["weekday"].replace("天", "日"))
    day = here - timedelta(days=(here.weekday() - weekday) % 7)
    stamp = _stamp(match, year=day.year, month=day.month, day=day.day)
    return replace(stamp, at=stamp.at - timedelta(days=7)) if stamp and stamp.at > here else stamp


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether a word for a whole day ends its line, with at most a label or a name before it."""
    preceding, following = match.string[: match.start()], match.string[match.end() :]
    return (not preceding.strip() or preceding[-1] in " :|") and not following.strip(" |)]")


def _unit(text: str) -> timedelta:
    return _UNIT_OF[text.lower() if text.isascii() else text[0]]


def _count(text: str) -> float:
    if text.isdecimal():
        return float(text)
    return {"半": 0.5, "几": 3.0, "幾": 3.0, "a": 1.0, "an": 1.0}.get(text.lower()) or float(number_of(text))
