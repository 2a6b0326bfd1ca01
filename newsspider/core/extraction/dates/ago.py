"""Reads moments that are told from now: "3小时前", "昨晚 21:30", "刚刚"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from newsspider.core.extraction.dates.chinese_numerals import number_of
from newsspider.core.extraction.dates.times_of_day import TIME, Stamp, stamp_of

AGO_LINE = 60  # characters over which a line with such words is a sentence
_DAY_WORD = re.compile(
    r"(?P<word>今[天日]|昨[天日]|(?<!大)前[天日](?!起)|[今昨](?=[晨早晚夜])|前(?=晚))(?P<part>[晨早晚夜])?" + TIME
)
_TENS = "[一二三四五六七八九]?十[一二三四五六七八九]?"
_COUNT = rf"\d{{1,3}}|半|[几幾]|{_TENS}|[一两兩二三四五六七八九]"
_HALF = r"(?P<half>半)?"
_SMALL = (
    r"(?:零?\s?(?P<more>\d{1,2}|[一两兩二三四五六七八九]?十?[一二三四五六七八九]?)\s?(?:个|個)?"
    r"(?P<small>秒[钟鐘]?|分[钟鐘]?|小[时時]|天))?"
)
_AGO = re.compile(  # "三五天前" is read as five
    rf"(?P<count>{_COUNT})\s?(?:个|個)?{_HALF}\s?(?:多\s?)?"
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
_HINT = re.compile(r"[今昨前刚剛]|方才|ago|just now", re.I)  # one of these is in every such moment
_DAYS_BACK = {"今": 0, "昨": 1, "前": 2}
_UNITS = {
    "秒": timedelta(seconds=1), "分": timedelta(minutes=1), "小": timedelta(hours=1), "钟": timedelta(hours=1),
    "鐘": timedelta(hours=1), "天": timedelta(days=1), "日": timedelta(days=1), "周": timedelta(days=7),
    "週": timedelta(days=7), "星": timedelta(days=7), "月": timedelta(days=30), "年": timedelta(days=365),
    "sec": timedelta(seconds=1), "min": timedelta(minutes=1), "hour": timedelta(hours=1), "hr": timedelta(hours=1),
    "h": timedelta(hours=1), "day": timedelta(days=1), "d": timedelta(days=1), "week": timedelta(days=7),
    "w": timedelta(days=7), "month": timedelta(days=30), "year": timedelta(days=365),
}  # fmt: skip


def relative_stamp(text: str, here: datetime) -> Stamp | None:
    """The moment that ``text`` tells from ``here``, which is now.

    >>> relative_stamp("1小时30分钟前", datetime(2024, 3, 5, 14, 8)).at.isoformat()
    '2024-03-05T12:38:00'
    """
    if not _HINT.search(text):
        return None
    match = _DAY_WORD.search(text)
    if match and (match["hour"] or _stands_alone(match)):
        day = here - timedelta(days=_DAYS_BACK[match["word"][0]])
        stamp = stamp_of(match, day.year, day.month, day.day)
        is_ahead = stamp and match["part"] in ("晚", "夜") and stamp.at > here
        return None if is_ahead else stamp
    if len(text) > AGO_LINE:
        return None
    if match := _AGO.search(text) or _ENGLISH_AGO.search(text):
        parts = match.groupdict()
        unit = _unit(match["unit"])
        before = (_count(match["count"]) + 0.5 * bool(parts.get("half") or parts.get("half2"))) * unit
        if match["small"] and match["more"]:
            before += _count(match["more"]) * _unit(match["small"])
        moment = (here - before).replace(second=0, microsecond=0)
        return Stamp(moment, unit <= timedelta(hours=1), ago=True)
    return Stamp(here.replace(second=0, microsecond=0), True, ago=True) if _JUST_NOW.search(text) else None


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether a word for a whole day ends its line, with at most a label or a name before it."""
    preceding, following = match.string[: match.start()], match.string[match.end() :]
    return (not preceding.strip() or preceding[-1] in " :|") and not following.strip(" |)]")


def _unit(text: str) -> timedelta:
    return _UNITS[text.lower() if text.isascii() else text[0]]


def _count(text: str) -> float:
    if text.isdecimal():
        return float(text)
    return {"半": 0.5, "几": 3.0, "幾": 3.0, "a": 1.0, "an": 1.0}.get(text.lower()) or float(number_of(text))
