"""Finds the publication date (publish date) of an article among all the moments that its page writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from newsspider.core.dates.date_reader import (
    CLOCK_PATTERN,
    DAY_PATTERN,
    OLDEST_YEAR,
    Stamp,
    machine_stamp,
    may_hold_moment,
    stamp_in,
    url_date,
)
from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.extraction.body.body import Body
from newsspider.core.extraction.body.nearby_lines import Surroundings
from newsspider.core.extraction.dom import Line, Outline, Page, ancestors, is_frame, next_texts
from newsspider.core.extraction.dom.json_ld import PageRecords
from newsspider.core.extraction.lines.boilerplate_lines import POSTED, is_legal
from newsspider.core.extraction.lines.person_names import COUNT
from newsspider.core.extraction.lines.text_and_mastheads import (
    CALENDAR,
    CLOCK,
    is_adoption,
    is_event_place,
    is_event_time,
)
from newsspider.core.text.phrases import any_of

# Names of <meta> that tell the publication, best first; then names that may tell another moment.
PUBLISHED_METAS = (
    "article:published_time",
    "datepublished",
    "pubdate",
    "publishdate",
    "publish_date",
    "og:published_time",
    "rnews:datepublished",
    "publishtime",
    "publish-date",
    "publication_date",
    "bytedance:published_time",
    "weibo:article:create_at",
    "weibo: article:create_at",
    "og:article:published_time",
    "article:create_at",
    "articlepublishdate",
    "firstpublishedtime",
    "dc.date.issued",
    "originalpublicationdate",
)
OTHER_METAS = (
    "datecreated",
    "og:release_date",
    "release_date",
    "date",
    "dc.date",
    "_pubtime",
    "sailthru.date",
    "apub:time",
    "og:time",
    "parsely-pub-date",
)
SCRIPTED = re.compile(  # "ct" is what WeChat calls it
    r"""(?:(?i:(?:pub(?:lish)?|post|create)(?:ed)?[-_]?(?:time|date|at))|datePublished|var ct)["']?(?: value)?\s*[:=]"""
    r"""\s*(?:["'](?P<moment>\d{4}-\d\d-\d\d[T \d:+.Z]*|\d{10,13})["']|(?P<number>\d{10,13})(?!\d))"""
)
# What a script shows: an attribute of an element named for a time, or what it writes behind a label.
TIME_DATA = re.compile(r"""data-(?<=\sdata-)(?!src)[\w-]{1,20}=["']?(?P<moment>\d{10}(?:\d{3})?)(?!\d)""")
TIME_TAG = re.compile(r"<\w{1,6}\b(?=[^<>]{0,200}?(?:time|date|shijian))")
LONGEST_TAG = 208  # characters of such a tag in front of the attribute
# A literal begins the pattern, which a search in a long page runs through fast; then what precedes is looked at.
TIME_WRITTEN = re.compile(r"""document\.write\(\s{0,40}["'](?P<moment>\d{4}[-年]\d\d?[-月]\d\d?日?[T ]?[\d:]*)""")
LABEL_AHEAD = re.compile(r"(?:时间|時間|日期|发布)\s?[:：](?:\s{0,40}<[^<>]{0,80}>){0,6}\s{0,40}$")
LONGEST_AHEAD = 800  # characters in which such a label and the tags behind it stand
MOST_WRITTEN = 100  # moments that the scripts of a page write, of which the first with a label counts
# The note that the Founder CMS of many newspapers leaves in a comment.
CMS_NOTE = re.compile(
    r"<!--enpproperty\b(?:(?!-->).){0,2000}?<date>(?P<moment>\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)", re.DOTALL
)
WRITTEN = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/](\d\d?)[-/](\d\d?)[T ](\d\d?):\d\d")
WRITTEN_LENGTH = len("2024-03-05 14:08")
NAME_CHARACTERS, MOMENT_CHARACTERS = 40, 40  # read before such a value, for its name, and behind its beginning
QUOTED = re.compile(r"""[:=]\s*(?:["']\d{4}-\d\d-|["']?\d{10})""")  # in every match of SCRIPTED, and much faster
MODIFIED_METAS = (
    "article:modified_time",
    "datemodified",
    "og:updated_time",
    "dateupdate",
    "lastmodified",
    "last-modified",
)
MODIFIED = re.compile(
    r"(?:更新|修改|编辑|編輯)(?:时间|時間|日期|于|於)?\s*[:：]?\s*(?P<moment>\d[\d年月日/.T:： -]{7,22})"
    r"|(?P<moment2>\d[\d年月日/.T:： -]{7,22})\s*(?:更新|修改)(?!时间|時間|日期|于|於)"
)
CHANGED = re.compile(r"[更修编編]")  # one of these is in every match of MODIFIED, and is found much faster
SENTENCE_MARK = re.compile(r"[，。！？]")  # a caption or a summary tells of many moments
SURE = re.compile(r"日[讯訊电電]|(?:时间|時間|日期)\s?[:：]")  # behind the day of a wire; before that of a publication
# From whom and when: "(來源：某某資訊，摘自：某某報) 2024-03-05 14:08:33".
SOURCED = re.compile(rf"(?:来源|來源)\s?[:：].{{2,40}}[\s)）]{DAY_PATTERN}\s{CLOCK_PATTERN}\W*$")
SAME_MOMENT_WITHIN = timedelta(hours=36)  # how far apart two notes of one moment may be
# names of the footer of a page
FOOTERS = frozenset(("foot", "footer", "bottom", "copyright", "site-footer", "page-footer"))
LONGEST_AGO = 24  # characters of an element that says how long ago something was
SPELT = re.compile(r"\s*[\d年月日时時分秒:：/.\-\sTZ+]{8,40}(?:(?:星期|周|週)[一二三四五六日天])?[\d:：\s]*")

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
DAY_ALONE, CLOCK_ALONE = re.compile(DAY_PATTERN), re.compile(CLOCK_PATTERN)
_MOMENT = rf"{DAY_PATTERN}(?:\s?{CLOCK_PATTERN})?"
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
WORST_DAY = -9  # what a day without year and time is worth
# by how much less a day and minute without a year are worth: a whole day is worth more, unless only they have a label
YEARLESS_COSTS = 5
OTHER_EVENT_COSTS = 8  # ... the moment of something else: any other moment of the page is worth more
MODIFIED_COSTS = 7  # ... that of a modification: any whole day of the page is worth more
BEST_MOMENT = 7  # what a moment to the minute is worth behind a label that says publication


def published_at(
    page: Page, outline: Outline, body: Body, around: Surroundings, linked_data: Iterable[dict[str, Any]], now: datetime
) -> datetime | None:
    """When the article was published: by the metadata, the lines around the title, the scripts, then the URL."""
    declared = next(_declared(page, linked_data, now), None)
    visible = _stamp_in_lines(page, outline, body, around.heading, now)
    if visible and visible.ago:
        visible = _spelt_out(page, visible, outline.lines[around.heading].text, now) or visible
    if declared and visible:
        if (
            masthead := _masthead_stamp(outline, body, around.heading, now)
        ) and masthead.at < declared.at - SAME_MOMENT_WITHIN:
            return masthead.at
        close = abs(declared.at - visible.at) < SAME_MOMENT_WITHIN
        return visible.at if visible.exact and (close or not declared.exact) else declared.at
    if visible and visible.whole and visible.exact:
        return visible.at
    weak = [*_timed(outline, body, now), *_in_metas(page, OTHER_METAS, now)]
    if visible and visible.whole:
        timed = (stamp for stamp in _timed(outline, body, now) if stamp.exact and _same_day(stamp, visible))
        visible = next(timed, visible)
    in_url = url_date(page.url, now)
    if visible and not visible.whole:
        same_day = (stamp for stamp in (*weak, in_url) if stamp and _same_day(stamp, visible))
        years = (*(stamp.at.year for stamp in same_day), *_years_written(page, visible))
        return next((at for year in years if (at := _in_year(visible, year))), visible.at)
    best = declared or visible or next(iter(weak), None) or _scripted(page, now)
    best = best or _signed(page, outline, body, now) or next(_in_metas(page, MODIFIED_METAS, now), None) or in_url
    return best.at if best else None


def modified_at(
    page: Page, around: Surroundings, linked_data: Iterable[dict[str, Any]], published: datetime | None, now: datetime
) -> datetime | None:
    """When the article was changed after its publication; ``None`` if the page gives no later moment."""
    texts = [item.get("dateModified") for item in linked_data] + [page.metas.get(name) for name in MODIFIED_METAS]
    declared = [stamp for text in texts if isinstance(text, str) and (stamp := machine_stamp(text, now))]
    noted = (MODIFIED.search(text) for text in (*around.above, *around.below) if CHANGED.search(text))
    declared += [stamp for match in noted if match and (stamp := stamp_in(match["moment"] or match["moment2"], now))]
    return next((stamp.at for stamp in declared if stamp.exact and published and stamp.at > published), None)


def _same_day(first: Stamp, second: Stamp) -> bool:
    days = (stamp.at.astimezone(SHANGHAI) for stamp in (first, second))
    return len({(day.month, day.day) for day in days}) == 1


def _in_year(stamp: Stamp, year: int) -> datetime | None:
    try:
        return stamp.at.replace(year=year)
    except ValueError:  # 29 February
        return None


def _declared(page: Page, linked_data: Iterable[dict[str, Any]], now: datetime) -> Iterator[Stamp]:
    declared = [
        (is_frame(item), item.get("datePublished") or item.get("pubDate") or item.get("uploadDate"))
        for item in linked_data
    ]
    declared += [(False, text) for text in (*map(page.metas.get, PUBLISHED_METAS), *_noted(page))]
    stamps = [
        (frame, stamp) for frame, text in declared if isinstance(text, str) and (stamp := machine_stamp(text, now))
    ]
    yield from (stamp for _, stamp in sorted(stamps, key=lambda pair: (pair[0], not pair[1].exact)))


def _noted(page: Page) -> Iterator[str]:
    """The moment that a script writes behind a label, and the one in the note of a content management system."""
    for written in islice(TIME_WRITTEN.finditer(page.text), MOST_WRITTEN):
        if LABEL_AHEAD.search(page.text[max(0, written.start() - LONGEST_AHEAD) : written.start()]):
            yield written["moment"]
            break
    if note := CMS_NOTE.search(page.text):
        yield note["moment"]


def _in_metas(page: Page, names: Iterable[str], now: datetime) -> Iterator[Stamp]:
    texts = (page.metas[name] for name in names if name in page.metas)
    return (stamp for text in texts if (stamp := machine_stamp(text, now)))


def _timed(outline: Outline, body: Body, now: datetime) -> Iterator[Stamp]:
    """The moments of the ``<time>`` elements above, in and right below the text."""
    texts = (text for text, line in outline.times if body.lines and line <= body.lines[-1] + 3)
    return (stamp for text in texts if (stamp := machine_stamp(text, now)))


def _years_written(page: Page, stamp: Stamp) -> Iterator[int]:
    """The years of the same day and minute, where the markup, its scripts included, writes them so."""
    at = stamp.at
    ends = (time.end() for time in re.finditer(f"{at.hour}:{at.minute:02d}", page.text))
    moments = (WRITTEN.search(page.text, max(0, end - WRITTEN_LENGTH), end) for end in ends)
    days = (map(int, moment.groups()) for moment in moments if moment)
    return (year for year, *day in days if day == [at.month, at.day, at.hour] and year >= OLDEST_YEAR)


def _scripted(page: Page, now: datetime) -> Stamp | None:
    """The moment in a script of the page, for pages that are rendered in the browser; not that of another article."""
    if shown := next(filter(_is_of_time, TIME_DATA.finditer(page.text)), None):
        return machine_stamp(shown["moment"], now)
    others: set[str] | None = None
    for value in QUOTED.finditer(page.text):
        for match in SCRIPTED.finditer(
            page.text, max(0, value.start() - NAME_CHARACTERS), value.end() + MOMENT_CHARACTERS
        ):
            others = PageRecords(page).values_of_others() if others is None else others
            if (moment := match["moment"] or match["number"]) not in others:
                return machine_stamp(moment, now)
    return None


def _is_of_time(value: re.Match[str]) -> bool:
    """Whether an attribute is of an element that is named for a time."""
    text = value.string
    start = text.rfind("<", max(0, value.start() - LONGEST_TAG), value.start())
    return start >= 0 and ">" not in text[start : value.start()] and TIME_TAG.match(text, start) is not None


def _spelt_out(page: Page, relative: Stamp, heading: str, now: datetime) -> Stamp | None:
    """The exact moment in the title attribute behind "3 天前": the first below the ``heading``, else of the page."""
    first_moment: Stamp | None = None
    below = False
    for element in page.tree.iterfind("body//*"):
        text, title = element.text or "", element.get("title")
        below = below or (len(text) >= len(heading) and " ".join(text.split()) == heading)
        if (
            title is None
            or len(text) > LONGEST_AGO
            or not (stamp := stamp_in(text, now))
            or not stamp.ago
            or stamp.at != relative.at
        ):
            continue
        moment = machine_stamp(title, now) if SPELT.fullmatch(title) else None
        if moment and below:
            return moment
        first_moment = first_moment or moment
    return first_moment


def _stamp_in_lines(page: Page, outline: Outline, body: Body, heading: int, now: datetime) -> Stamp | None:
    """The moment that the lines around the title and text give."""
    lines = outline.lines
    if not body.lines:
        return best_stamp(lines[:200], now)
    masthead = (line for line in _masthead(outline, body, heading) if not _is_running(line))
    if stamp := best_stamp(masthead, now, around=True):
        return stamp
    first, last = body.first, body.lines[-1]
    opening = [
        lines[at] for at in range(body.lines[0], first + 1) if not is_event_time(lines[at].text, next_texts(lines, at))
    ]
    end = outline.nodes[body.further[0]].first if body.further else len(lines)  # there begins the next post
    below = [line for line in lines[last + 1 : min(last + 12, end)] if not _is_of_the_site(outline, line)]
    return (
        best_stamp((line for line in opening if not SENTENCE_MARK.search(line.text)), now, around=True)
        or _exact(best_stamp(below, now, only_labelled=True))
        or best_stamp((line for line in opening if SURE.search(line.text)), now, around=True)
        or best_stamp(lines[max(0, heading - 10) : heading], now)
        or best_stamp(lines[max(0, first - 25) : max(0, heading - 10)], now)
        or best_stamp(below, now, only_labelled=not body.further)
    )


def _is_running(line: Line) -> bool:
    """Whether a line is running text, which tells of moments but not of the publication."""
    if SENTENCE_MARK.search(line.text) is None:
        return False
    return not any(form.search(line.text) for form in (SURE, PUBLISHED, SOURCED))


def _is_of_the_site(outline: Outline, line: Line) -> bool:
    """Whether a line is in the page's footer, not an article's, or is a notice of rights; none says when it was
    published."""
    if PUBLISHED.search(line.text):
        return is_legal(line.text)
    around = [outline.nodes[node] for node in (line.node, *ancestors(outline, line.node)) if node]
    named = any(not FOOTERS.isdisjoint(node.name.lower().split()) for node in around)
    return (named and not any(node.tag == "article" for node in around)) or is_legal(line.text)


def _exact(stamp: Stamp | None) -> Stamp | None:
    return stamp if stamp and stamp.exact else None


def _signed(page: Page, outline: Outline, body: Body, now: datetime) -> Stamp | None:
    """The day of a short line at the beginning or end of the text, as under a document, or of the line below that says
    when it was posted."""
    if not body.lines:
        return None
    lines, first, last = outline.lines, body.first, body.lines[-1]
    # when it was broadcast, in brackets
    below = last + 1 if last + 1 < len(lines) and lines[last + 1].text[0] in "(（" else last
    edges = (*range(first, min(first + 4, len(lines))), *range(max(first, last - 2), below + 1))
    posted = (at for at in range(last + 1, min(last + 3, len(lines))) if POSTED.fullmatch(lines[at].text))
    short = (at for at in (*edges, *posted) if len(lines[at].text) < 40)
    dated = (
        lines[at]
        for at in short
        if not (_is_running(lines[at]) or is_event_time(lines[at].text, next_texts(lines, at)))
    )
    written = best_stamp(dated, now)
    in_url = url_date(page.url, now) if written else None  # a later day is that of the publication
    return in_url if written and in_url and in_url.at > written.at else written


def _masthead(outline: Outline, body: Body, heading: int) -> Sequence[Line]:
    """The lines from the title down to the text."""
    start = min(heading, body.first)
    return outline.lines[start : max(body.lines[0], start + 1)] if body.lines else ()


def _masthead_stamp(outline: Outline, body: Body, heading: int, now: datetime) -> Stamp | None:
    """The moment between title and text, to the minute or with a label.

    If it is earlier than the declared one, the page was moved or rebuilt since. Moments of other events do not count,
    for they are also earlier than the publication.
    """
    masthead = _masthead(outline, body, heading)
    others = {at for at, line in enumerate(masthead) if OTHER.search(line.text[:LETTERS_READ])}
    others |= {at + 1 for at in others if names_next(masthead[at])}
    lines = [line for at, line in enumerate(masthead) if not (at in others or SENTENCE_MARK.search(line.text))]
    if any(is_event_place(line.text) for line in outline.lines[min(heading, body.first) : body.first + 1]):
        return None
    best = best_stamp(lines, now, around=True)
    stamp = best if best and best.exact else best_stamp(lines, now, around=True, only_labelled=True)
    return stamp if stamp and stamp.whole else None


def best_stamp(
    lines: Iterable[Line], now: datetime, *, around: bool = False, only_labelled: bool = False
) -> Stamp | None:
    """The best moment in the lines: labelled ones, given to the minute, come first; of equals the first."""
    results: list[tuple[int, Stamp]] = []
    label = ""
    listed = tuple(lines)
    for at, line in enumerate(listed):
        text = label + line.text[:LETTERS_READ]
        has_clock_below = DAY_ALONE.fullmatch(line.text) and any(
            CLOCK_ALONE.fullmatch(below.text) for below in listed[at + 1 : at + 2]
        )
        label = f"{line.text} " if names_next(line) or has_clock_below else ""
        if not may_hold_moment(text):
            continue
        if (line.linked > len(line.text) * 0.6 and not around) or len(line.text) > 400:
            continue
        published = PUBLISHED.search(text)
        if published and stamp_in(text[published.start() :], now, roc=True, yearless=True):
            text = text[published.start() :]
        else:
            published = None
        if CLOCK.search(text) or IN_FORCE.search(text) or is_adoption(text):
            continue
        if FIRST.search(text) is None and is_event_time(text, next_texts(listed, at)):
            continue  # it only says when something takes place
        later = AFTERWARDS.search(text) is not None
        if later and (first := FIRST.search(text)):
            text, later = text[first.start() :], False
        # "成文日期：... 发布日期：...": the moments of other things go if another one is left
        rest = OTHERS.sub(" ", text)
        text = rest if rest != text and stamp_in(rest, now, roc=True) else text
        other = OTHER.search(text) is not None
        labelled = (LABEL.search(text) or READER_COUNT.search(text)) is not None and not other
        if (only_labelled and not labelled) or (line.marks > 3 and len(text) > 120 and not labelled):
            continue
        roc = labelled or len(text) < SHORT_LINE
        original_part = UPDATED.split(text, maxsplit=1)[0]
        earlier = stamp_in(original_part, now, roc=roc) if original_part and len(original_part) < len(text) else None
        if stamp := earlier or stamp_in(text, now, roc=roc, yearless=labelled):
            doubt = MODIFIED_COSTS * later + OTHER_EVENT_COSTS * other + bool(CALENDAR.search(text))
            worth = (
                4 * stamp.exact + (3 if published else 2 * labelled) - doubt - YEARLESS_COSTS * (not stamp.whole)
                if stamp.whole or stamp.exact
                else WORST_DAY
            )
            if worth == BEST_MOMENT:
                return stamp
            results.append((worth, stamp))
    return max(results, key=lambda pair: pair[0])[1] if results else None


def names_next(line: Line) -> bool:
    """Whether a line is a label alone: what it names stands in the next cell."""
    return len(line.text) <= LABEL_LINE and NAME_OF.fullmatch(line.text) is not None
