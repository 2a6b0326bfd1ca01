"""Finds when an article was published among all the moments that its page writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from newsspider.core.reading.body import Body
from newsspider.core.reading.chatter import tells_adoption
from newsspider.core.reading.dates import OLDEST, Stamp, machine_stamp, may_tell, stamp_in, url_date
from newsspider.core.reading.names import COUNT
from newsspider.core.reading.outline import Line, Outline
from newsspider.core.reading.page import Page
from newsspider.core.reading.surroundings import Surroundings

# Names of <meta> that tell the publication, best first; then names that may tell another moment.
PUBLISHED_METAS = (
    "article:published_time", "datepublished", "pubdate", "publishdate", "publish_date", "og:published_time",
    "rnews:datepublished", "publishtime", "publish-date", "publication_date",
    "bytedance:published_time", "weibo:article:create_at",
    "og:article:published_time", "article:create_at", "articlepublishdate", "firstpublishedtime", "dc.date.issued",
    "originalpublicationdate",
)  # fmt: skip
OTHER_METAS = ("og:release_date", "release_date", "date", "dc.date", "_pubtime", "sailthru.date", "apub:time", "og:time",
               "parsely-pub-date", "article:modified_time", "dateupdate", "og:updated_time", "datemodified",
               "lastmodified", "last-modified")  # fmt: skip
SCRIPTED = re.compile(
    r"""(?:[pP]ub(?:lish)?|[pP]ost|[cC]reate)(?:ed)?[-_]?(?:[tT]ime|[dD]ate|[aA]t)["']?\s*[:=]\s*["']"""
    r"(?P<moment>\d{4}-\d\d-\d\d[T ]?[\d:+]*|\d{10,13})['\"]"
)
QUOTED = re.compile(r"""[:=]\s*["'](?:\d{4}-\d\d-|\d{10})""")  # what that asks for, found much faster
MODIFIED_METAS = ("article:modified_time", "datemodified", "og:updated_time", "dateupdate", "lastmodified", "last-modified")
MODIFIED = re.compile(
    r"(?:更新|修改|编辑|編輯)(?:时间|時間|日期|于|於)?\s*[:：]?\s*(?P<moment>\d[\d年月日/.T:： -]{7,22})"
    r"|(?P<moment2>\d[\d年月日/.T:： -]{7,22})\s*(?:更新|修改)(?!时间|時間|日期|于|於)"
)
CHANGED = re.compile(r"[更修编編]")  # what that asks for, found much faster
LABEL = re.compile(
    r"发[布表]|發[布佈表]|时间|時間|日期|发稿|刊[发登出]|更新|撰写|上传|張貼|公告|pub|date|posted|来源|來源",
    re.IGNORECASE,
)
# The moment of something else: when a document was written or adopted, when what the page tells of took place.
OTHER = re.compile(
    r"(?:[成行]文|生成|签发|印发|活动|会议|讲座|报名|考试|比赛|开始|截止|结束|举办|举行|召开|实施|施行|生效|有效|注册|加入)(?:时间|時間|日期|于)"
    r"|\d\s?日[\u4e00-\u9fff\d]{2,30}?(?:通过|公布|发布|颁布|修订|修正|印发|施行)"
)
SENTENCE = re.compile(r"[，。！？]")  # a caption or a summary tells of many moments
PLACE = re.compile(r"[\W_]*(?:活动|会议|讲座)?地\s?[点點]\s?[:：]")  # stands below the time of a meeting
CLOCK = re.compile(r"今天是|现在是|今日是|当前时间|北京时间\s*[:：]?\s*\d{4}|农历|現在時間")
# What stands behind such a word is a later moment.
UPDATED = re.compile(
    r"[\s|｜，,；;（(\[【]*(?:最后|最後|最近)?(?:更新|修改|修订|修訂|编辑|編輯)(?:(?:时间|時間|日期)\s*[:：]?|[于於]|\s*[:：])"
)
AFTERWARDS = re.compile(r"^\W*(?:最后|最後|最近)?(?:更新|修改|修订|修訂|变更|變更|編輯於|编辑于|回复|回覆)")  # a later moment
FIRST = re.compile(r"(?:发[布表]|發[布佈表]|录入|创建|上传|刊发|来稿)(?:时间|時間|日期|[于於])?\s*[:：]")  # behind it may stand the first
IN_FORCE = re.compile(r"自[^，。]{4,20}起(?:正式)?(?:施行|实施|实行|试行|执行|生效)")  # from when on a rule is
READERS = re.compile(COUNT)
READ = 240  # characters of a line that are read
SHORT = 24  # characters of a line that, if it gives a moment, gives nothing else
CLOSE = timedelta(hours=36)  # how far apart two notes of one moment may be
BOX = 8  # characters of a box that holds a part of a day
WORST = -9  # what a day without year and time is worth
YEARLESS = 5  # by how much less a day and minute without a year are worth: a whole day is worth more, unless only they have a label
LATER = 7  # ... a moment of a modification: any whole day beside it is worth more
BEST = 6  # what a labelled moment to the minute is worth
CALENDAR = re.compile(r"(?:星期|周|週)[一二三四五六日天]")  # often the day of the visit


def published_at(
    page: Page,
    outline: Outline,
    body: Body,
    around: Surroundings,
    linked_data: Iterable[dict[str, Any]],
    now: datetime,
) -> datetime | None:
    """When the article was published: what the page tells machines, the lines around the title, its scripts, and at last the URL."""
    told = next(_told(page, linked_data, now), None)
    seen = _seen(outline, body, around.heading, now) or _signed(page, outline, body, now)
    if told and seen:
        if (shown := _shown(outline, body, around.heading, now)) and shown.at < told.at - CLOSE:
            return shown.at
        close = abs(told.at - seen.at) < CLOSE
        return seen.at if seen.exact and (close or not told.exact) else told.at
    weak = list(_weakly_told(page, outline, body, now))
    if seen and not seen.whole:
        years = (*(stamp.at.year for stamp in weak if _same_day(stamp, seen)), *_years_written(page, seen))
        return next((at for year in years if (at := _in_year(seen, year))), seen.at)
    best = told or seen or next(iter(weak), None) or _boxed(_masthead(outline, body, around.heading), now) or _scripted(page, now)
    return best.at if best else None


def modified_at(
    page: Page,
    around: Surroundings,
    linked_data: Iterable[dict[str, Any]],
    published: datetime | None,
    now: datetime,
) -> datetime | None:
    """When the article was changed after it was published, where the page tells; ``None`` where it tells no later moment."""
    texts = [item.get("dateModified") for item in linked_data] + [page.metas.get(name) for name in MODIFIED_METAS]
    told = [stamp for text in texts if isinstance(text, str) and (stamp := machine_stamp(text, now))]
    noted = (MODIFIED.search(text) for text in (*around.above, *around.below) if CHANGED.search(text))
    told += [stamp for match in noted if match and (stamp := stamp_in(match["moment"] or match["moment2"], now))]
    return next((stamp.at for stamp in told if stamp.exact and published and stamp.at > published), None)


def _same_day(one: Stamp, other: Stamp) -> bool:
    return (one.at.month, one.at.day) == (other.at.month, other.at.day)


def _in_year(stamp: Stamp, year: int) -> datetime | None:
    try:
        return stamp.at.replace(year=year)
    except ValueError:  # 29 February
        return None


def _told(page: Page, linked_data: Iterable[dict[str, Any]], now: datetime) -> Iterator[Stamp]:
    texts = [item.get("datePublished") or item.get("pubDate") or item.get("uploadDate") for item in linked_data]
    texts += [page.metas.get(name) for name in PUBLISHED_METAS]
    stamps = [stamp for text in texts if isinstance(text, str) and (stamp := machine_stamp(text, now))]
    yield from sorted(stamps, key=lambda stamp: not stamp.exact)


def _weakly_told(page: Page, outline: Outline, body: Body, now: datetime) -> Iterator[Stamp]:
    texts = [text for text, line in outline.times if body.lines and line <= body.lines[-1] + 3]
    texts += [page.metas[name] for name in OTHER_METAS if name in page.metas]
    yield from (stamp for text in texts if (stamp := machine_stamp(text, now)))
    if stamp := url_date(page.url, now):
        yield stamp


def _years_written(page: Page, seen: Stamp) -> Iterator[int]:
    """The years of the same day and minute, where the markup, its scripts included, writes them so."""
    at = seen.at
    moment = rf"(?<!\d)((?:19|20)\d\d)[-/]0?{at.month}[-/]0?{at.day}[T ]0?{at.hour}:{at.minute:02d}"
    return (year for match in re.finditer(moment, page.text) if (year := int(match[1])) >= OLDEST)


def _scripted(page: Page, now: datetime) -> Stamp | None:
    """The moment that a script of the page names: all that pages which are put together in the browser tell."""
    match = SCRIPTED.search(page.text) if QUOTED.search(page.text) else None
    return machine_stamp(match["moment"], now) if match else None


def _seen(outline: Outline, body: Body, heading: int, now: datetime) -> Stamp | None:
    """The moment that the lines around the title and text give."""
    lines = outline.lines
    if not body.lines:
        return _best(lines[:200], now)
    first, last = body.first, body.lines[-1]
    opening, below = lines[body.lines[0] : first + 1], lines[last + 1 : last + 12]
    return (
        _best(_masthead(outline, body, heading), now, around=True)
        or _best((line for line in opening if not SENTENCE.search(line.text)), now, around=True)
        or _exact(_best(below, now, only_labelled=True))
        or _best(opening, now, around=True)
        or _best(lines[max(0, heading - 10) : heading], now)
        or _best(lines[max(0, first - 25) : max(0, heading - 10)], now)
        or _best(below, now, only_labelled=True)
    )


def _exact(stamp: Stamp | None) -> Stamp | None:
    return stamp if stamp and stamp.exact else None


def _signed(page: Page, outline: Outline, body: Body, now: datetime) -> Stamp | None:
    """The day of a short line at the beginning or end of the text, as under a document; a later one in the URL is its publication."""
    if not body.lines:
        return None
    lines, first, last = outline.lines, body.first, body.lines[-1]
    edges = (*lines[first : first + 4], *lines[max(first, last - 2) : last + 1])
    signed = _best((line for line in edges if len(line.text) < 40), now)
    in_url = url_date(page.url, now) if signed else None
    return in_url if signed and in_url and in_url.at > signed.at else signed


def _masthead(outline: Outline, body: Body, heading: int) -> Sequence[Line]:
    """The lines from the title down to the text."""
    start = min(heading, body.first)
    return outline.lines[start : max(body.lines[0], start + 1)] if body.lines else ()


def _shown(outline: Outline, body: Body, heading: int, now: datetime) -> Stamp | None:
    """The moment that readers are told between title and text, to the minute or by a label.

    Where it is earlier than what machines are told, the page was moved or made anew since. Moments of something else are none: they are
    earlier than the publication, too.
    """
    masthead = _masthead(outline, body, heading)
    lines = [line for line in masthead if not (SENTENCE.search(line.text) or OTHER.search(line.text[:READ]))]
    if any(PLACE.match(line.text) for line in outline.lines[min(heading, body.first) : body.first + 1]):
        return None
    best = _best(lines, now, around=True)
    shown = best if best and best.exact else _best(lines, now, around=True, only_labelled=True)
    return shown if shown and shown.whole else None


def _boxed(lines: Sequence[Line], now: datetime) -> Stamp | None:
    """The moment whose parts are short lines one after the other: year, day and time, or day, and month with year."""
    for at in range(len(lines) - 1):
        parts = [line.text for line in takewhile(_is_box, lines[at : at + 3])]
        if len(parts) > 1 and (stamp := stamp_in(" ".join(parts), now)) and stamp.whole:
            return stamp
    return None


def _is_box(line: Line) -> bool:
    return len(line.text) <= BOX and line.text[0].isdigit()


def _best(lines: Iterable[Line], now: datetime, *, around: bool = False, only_labelled: bool = False) -> Stamp | None:
    """The best of the moments that the lines give: labelled and to the minute before others, then the first."""
    found: list[tuple[int, Stamp]] = []
    for line in lines:
        text = line.text[:READ]
        if not may_tell(text):
            continue
        if CLOCK.search(text) or IN_FORCE.search(text) or tells_adoption(text):
            continue
        if (line.linked > len(line.text) * 0.6 and not around) or len(line.text) > 400:
            continue
        later = AFTERWARDS.search(text) is not None
        if later and (again := FIRST.search(text)):
            text, later = text[again.start() :], False
        labelled = (LABEL.search(text) or READERS.search(text)) is not None and not OTHER.search(text)
        if (only_labelled and not labelled) or (line.marks > 3 and len(text) > 120 and not labelled):
            continue
        roc = labelled or len(text) < SHORT
        before = UPDATED.split(text, maxsplit=1)[0]
        earlier = stamp_in(before, now, roc=roc) if before and len(before) < len(text) else None
        if stamp := earlier or stamp_in(text, now, roc=roc, yearless=labelled):
            doubt = LATER * later + bool(CALENDAR.search(text))
            worth = 4 * stamp.exact + 2 * labelled - doubt - YEARLESS * (not stamp.whole) if stamp.whole or stamp.exact else WORST
            if worth == BEST:
                return stamp
            found.append((worth, stamp))
    return max(found, key=lambda pair: pair[0])[1] if found else None
