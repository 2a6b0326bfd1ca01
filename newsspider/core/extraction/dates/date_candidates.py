"""Chooses the best of the moments in the lines around a text: labelled ones, given to the minute, come first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from newsspider.core.extraction.dates.moments import may_hold_moment, stamp_in
from newsspider.core.extraction.dates.times_of_day import Stamp
from newsspider.core.extraction.dom import Line, next_texts
from newsspider.core.extraction.lines.event_dates import CALENDAR, CLOCK, is_adoption, is_event_time
from newsspider.core.extraction.lines.person_names import COUNT
from newsspider.core.text.phrases import any_of

LABEL = re.compile(
    r"发[布表]|發[布佈表]|时间|時間|日期|发稿|刊[发登出]|更新|撰写|上传|張貼|公告|编辑[于於]|編輯於|pub|date|posted|来源|來源",
    re.IGNORECASE,
)
# The moment of something else: when a document was written or adopted, or an event took place.
_EVENTS = any_of("other_moments")
_OTHERS = rf"(?:(?:[成行发發制]文|{_EVENTS})(?:时间|時間|日期)|有效期限?)"
OTHER = re.compile(
    rf"{_OTHERS}|(?:[成行]文|{_EVENTS})于|(?:推荐|推薦|相关|相關)(?:文章|阅读|閱讀)[于於:：]"
    r"|\d\s?日[\u4e00-\u9fff\d]{2,30}?(?:通过|公布|发布|颁布|修订|修正|印发|施行)"
)
_MOMENT = r"\d{4}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}日?(?:\s?\d{1,2}:\d\d(?::\d\d)?)?"
OTHERS = re.compile(  # with its label, and until when
    rf"{_OTHERS}\s?[:：]?\s?{_MOMENT}(?:\s?(?:[至到~～]|[-–—]+)\s?{_MOMENT})?"
)
# a label in a cell of its own, in front of a moment
NAME_OF = re.compile(
    r"[\W_]*(?:\w{1,4}\s?(?:时间|時間|日期)\s?[:：]?|(?:首次)?(?:发[布表]|發[布佈表]|刊[发發登]|上[网網])[于於]?\s?[:：])[\W_]*"
)
# A label that says publication, right in front of a moment: it wins over all others of its line and of the page.
PUBLISHED = re.compile(
    r"(?:[发發]\s?[布佈表稿]|刊[发發登出]|首[发發]|(?:上[网網]|公[开開])(?=[时時日于於:：])|\b(?:published|pub|posted))\s?"
    r"(?:[时時]\s?[间間]|日\s?期|date|time|[于於]|[oa][nt])?\s?[:：]?[\W_]{0,3}(?=[\d今昨前刚剛半民一二两兩几幾三四五六七八九十a-z])",
    re.IGNORECASE,
)
# What stands behind such a word is a later moment.
UPDATED = re.compile(
    r"[\s|｜，,；;（(\[【]*(?:最后|最後|最近)?(?:更新|修改|修订|修訂|编辑|編輯)(?:(?:时间|時間|日期)\s*[:：]?|[于於]|\s*[:：]|\s(?=\d))"
)
AFTERWARDS = re.compile(
    r"^\W*(?:最后|最後|最近)?(?:更新|修改|修订|修訂|变更|變更|編輯於|编辑于|回复|回覆)"
)  # a later moment
FIRST = re.compile(
    r"(?:发[布表]|發[布佈表]|录入|创建|建立|上传|刊[发登]|张贴|張貼|来稿)(?:(?:时间|時間|日期)?\s*[:：]|[于於])"
)  # behind it may stand the first
IN_FORCE = re.compile(r"自[^，。]{4,20}起(?:正式)?(?:施行|实施|实行|试行|执行|生效)")  # from when on a rule is
READER_COUNT = re.compile(COUNT)
LETTERS_READ = 240  # characters of a line that are read
LABEL_LINE = 12  # characters of a line that is a label alone
SHORT_LINE = 24  # characters of a line that, if it gives a moment, gives nothing else
WORST = -9  # what a day without year and time is worth
# by how much less a day and minute without a year are worth: a whole day is worth more, unless only they have a label
YEARLESS = 5
ELSE = 8  # by how much less the moment of something else is worth: any other moment of the page is worth more
LATER = 7  # the same of a modification: any whole day of the page is worth more
BEST = 7  # what a moment to the minute is worth behind a label that says publication


def best_stamp(
    lines: Iterable[Line], now: datetime, *, around: bool = False, only_labelled: bool = False
) -> Stamp | None:
    """The best moment in the lines: labelled ones, given to the minute, come first; of equals the first."""
    results: list[tuple[int, Stamp]] = []
    label = ""
    listed = tuple(lines)
    for at, line in enumerate(listed):
        text = label + line.text[:LETTERS_READ]
        label = f"{line.text} " if names_next(line) else ""
        if not may_hold_moment(text):
            continue
        if CLOCK.search(text) or IN_FORCE.search(text) or is_adoption(text):
            continue
        if FIRST.search(text) is None and is_event_time(text, next_texts(listed, at)):
            continue  # it only says when something takes place
        if (line.linked > len(line.text) * 0.6 and not around) or len(line.text) > 400:
            continue
        published = PUBLISHED.search(text)
        if published and stamp_in(text[published.start() :], now, roc=True, yearless=True):
            text = text[published.start() :]
        else:
            published = None
        later = AFTERWARDS.search(text) is not None
        if later and (first := FIRST.search(text)):
            text, later = text[first.start() :], False
        text = _without_others(text, now)
        other = OTHER.search(text) is not None
        labelled = (LABEL.search(text) or READER_COUNT.search(text)) is not None and not other
        if (only_labelled and not labelled) or (line.marks > 3 and len(text) > 120 and not labelled):
            continue
        roc = labelled or len(text) < SHORT_LINE
        original_part = UPDATED.split(text, maxsplit=1)[0]
        earlier = stamp_in(original_part, now, roc=roc) if original_part and len(original_part) < len(text) else None
        if stamp := earlier or stamp_in(text, now, roc=roc, yearless=labelled):
            doubt = LATER * later + ELSE * other + bool(CALENDAR.search(text))
            worth = (
                4 * stamp.exact + (3 if published else 2 * labelled) - doubt - YEARLESS * (not stamp.whole)
                if stamp.whole or stamp.exact
                else WORST
            )
            if worth == BEST:
                return stamp
            results.append((worth, stamp))
    return max(results, key=lambda pair: pair[0])[1] if results else None


def names_next(line: Line) -> bool:
    """Whether a line is a label alone: what it names stands in the next cell."""
    return len(line.text) <= LABEL_LINE and NAME_OF.fullmatch(line.text) is not None


def _without_others(text: str, now: datetime) -> str:
    """A line without the moments of other things if it gives another moment, too: "成文日期：... 发布日期：..."."""
    rest = OTHERS.sub(" ", text)
    return rest if rest != text and stamp_in(rest, now, roc=True) else text
