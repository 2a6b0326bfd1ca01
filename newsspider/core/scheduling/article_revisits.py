"""Recrawl scheduling of articles, and rechecks of URLs that showed none: when a page is visited again, and what has
changed since (change detection for revisions).

*Revisits* are made at growing ages, more often on sites that edit much, and then never: news is edited, corrected or
taken down soon after it appears, or never (Fetterly et al., "A Large-Scale Study of the Evolution of Web Pages",
WWW 2003, for the web in general). *Rechecks* follow a redirect, a shared page or an error instead of an article: a
login wall, notice or maintenance page may cover a whole site for an hour, and a list may show an article before its
page exists.

An article is compared with its stored version paragraph by paragraph, title and time separately. Only letters and
digits count, as in :mod:`newsspider.core.text.text_comparison`: spaces, punctuation and character width are no change.
Neither is the site's boilerplate, or a counter or clock in the first and last lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import time, timedelta
from difflib import SequenceMatcher
from typing import NamedTuple

from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.extraction.lines.boilerplate_lines import HEAD_LINES, TAIL_LINES, Boilerplate
from newsspider.core.fetching.politeness import back_off
from newsspider.core.model import CORRECTABLE_FIELDS, PageType, Reason, StoredArticle, Version
from newsspider.core.text.file_names import names_file
from newsspider.core.text.text_comparison import normalise_text

UNIT_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
USUAL_SHARE = 0.05  # share of revisits that find a change, at which the pace is 1
PRIOR_VISITS = 40  # revisits with the usual share that the prior counts for
LEAST_PACE = 0.25  # no site is revisited more than four times as often

_STEP = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])")
FIRST_SECONDS = 900.0  # doubled with each recheck
MOST_RECHECKS = 8  # of one URL on behalf of all that showed the same: the last 2.6 days after its first visit
MOST_RECHECKS_ALONE = 5  # of a URL that shares its page with none: the last almost eight hours after its first visit
MOST_SAME = 2  # URLs that may show, or lead to, one article; more mean a notice, or session ids
# URLs last visited longer ago are not rechecked when one that showed the same shows something else
REMEMBERED_SECONDS = 7 * 86_400.0

# No response, or none that is a page.
_UNANSWERED = frozenset(
    {
        Reason.HTTP_STATUS,
        Reason.UNREADABLE,
        Reason.DNS,
        Reason.TIMEOUT,
        Reason.CONNECTION,
        Reason.BAD_ANSWER,
        Reason.TRUNCATED,
        Reason.GUARDED,
    }
)
# Gateways send these with status 200 when they are busy; other types that are no page are files.
_DATA_TYPES = frozenset({"application/json", "text/json", "application/problem+json"})
_TEMPORARY_KINDS = frozenset({PageType.ERROR, PageType.LOGIN})
MOST_COMPARED = 3000  # paragraphs; of longer texts the middle is one edit
MOST_REPEATS = 10  # a paragraph that occurs more often ("合格" in a table) is no anchor for the alignment
# pairs of equal paragraphs; with more, the middle is one edit, as the comparison is cubic
MOST_PAIRS = 20_000
CLOCK_WITHIN = timedelta(minutes=10)  # a page time this close to the visit may be a clock
LONGEST_COUNTER = 30  # letters of a line that may hold a counter or a clock

_SENTENCE_END = "。！？!?…；;”"
_COUNTED = (  # what page counters count
    r"(?:阅读|閱讀|已阅|浏览|瀏覽|访问|点击|點擊|点赞|评论|評論|跟帖|回复|回帖|转发|分享|收藏|下载|投票|人气|热度|阅|赞|顶|踩"
    r"|views?|reads?|hits?|clicks?|likes?|shares?|comments?|downloads?)(?:次数|人数|总数|数量|[数量])?"
)
_NUMBER = r"\d[\d,]*+(?:\.\d+)?+[万亿wk]?+\+?+\s?(?:人次|[次人条])?+"
_BESIDE = r"[\s:\[\]()|丨·]{0,4}"
_AFTER = rf"(?:(?![^\W\d_])|(?={_COUNTED}))"  # 阅读 40分 is no counter, 12次阅读 3次点赞 are two
_COUNTERS = re.compile(
    rf"{_COUNTED}{_BESIDE}{_NUMBER}{_AFTER}|{_NUMBER}\s?(?:参与|已)?{_COUNTED}{_AFTER}|^\W*\d[\d,]*\s?次\W*$",
    re.IGNORECASE,
)
_MOMENT = r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?\s*\d{1,2}:\d{2}(?::\d{2})?"
_CLOCK = re.compile(
    r"^\W*+(?:(?:今天|今日|现在|現在|当前)(?:时间|時間|日期)?是?|北京时间)\W*\d{4}\s?[-/.年]"
    rf"|^\W*+(?:(?:发布|更新|刷新)(?:时间|日期)\W*)?{_MOMENT}\W*+(?:(?:星期|周)[一二三四五六日天]\W*)?$"
)


@dataclass(frozen=True, slots=True)
class RevisitSchedule:
    """The ages in seconds since storage at which an article is revisited, ascending. Articles published more than
    ``oldest_seconds`` before they were found are not revisited: that is an archive. In a crawl these are
    ``ARTICLE_REVISITS`` and ``ARTICLE_REVISIT_MAX_AGE_DAYS`` of ``settings.py``."""

    steps: tuple[float, ...]
    oldest_seconds: float = float("inf")

    def next_visit(self, stored_at: float, published_at: float | None, now: float, pace: float = 1.0) -> float | None:
        """The time of the next revisit after ``now``; ``None`` if there is none.

        With a ``pace`` below 1 there are revisits between the steps; the last step remains the end.

        >>> schedule = RevisitSchedule((3600.0, 21600.0))
        >>> schedule.next_visit(0.0, None, 3600.0), schedule.next_visit(0.0, None, 3600.0, 0.5)
        (21600.0, 12600.0)
        """
        if published_at is not None and stored_at - published_at > self.oldest_seconds:
            return None
        below = 0.0
        for step in self.steps:
            if stored_at + step > now:
                return min(stored_at + step, max(now, stored_at) + (step - below) * pace)
            below = step
        return None


def steps_of(texts: Iterable[str]) -> tuple[float, ...]:
    """Parse steps such as ``1h`` or ``3 d`` into seconds, ascending; raises :exc:`ValueError`.

    >>> steps_of(["1d", "90m"])
    (5400.0, 86400.0)
    """
    return tuple(sorted({_seconds(text) for text in texts}))


def _seconds(text: str) -> float:
    match = _STEP.fullmatch(text.strip())
    if match is None or not float(match[1]):
        raise ValueError(f"{text!r} is no time like 30m, 6h or 1d")
    return float(match[1]) * UNIT_SECONDS[match[2]]


def pace_of(visits: int, changes: int) -> float:
    """How much closer together a site's revisits are than the steps: from 1 down to :data:`LEAST_PACE`, by the
    square root of the share of earlier revisits that found a change, which is optimal for freshness at equal cost.

    >>> pace_of(0, 0), pace_of(1000, 10), round(pace_of(1000, 400), 2)
    (1.0, 1.0, 0.36)
    """
    share = (changes + USUAL_SHARE * PRIOR_VISITS) / (visits + PRIOR_VISITS)
    return float(max(LEAST_PACE, min(1.0, (USUAL_SHARE / share) ** 0.5)))


def may_pass(reason: Reason, kind: PageType | None, declared: str = "") -> bool:
    """Whether an article may appear later where the first visit ended for this reason, with this page type if there
    was a page, else with the content type that the header ``declared``.

    >>> may_pass(Reason.HTTP_STATUS, None), may_pass(Reason.NOT_AN_ARTICLE, PageType.ERROR)
    (True, True)
    >>> may_pass(Reason.NOT_AN_ARTICLE, PageType.GALLERY)
    False
    """
    if reason is Reason.CONTENT_TYPE:
        return declared.partition(";")[0].strip().lower() in _DATA_TYPES
    return reason in _UNANSWERED or (reason is Reason.NOT_AN_ARTICLE and kind in _TEMPORARY_KINDS)


def recheck_at(now: float, rechecks: int, most: int = MOST_RECHECKS) -> float | None:
    """When a URL is rechecked the ``rechecks``-th time; ``None``: never.

    >>> recheck_at(0.0, 1), recheck_at(0.0, 3), recheck_at(0.0, 9), recheck_at(0.0, 6, MOST_RECHECKS_ALONE)
    (900.0, 3600.0, None, None)
    """
    return now + back_off(rechecks, FIRST_SECONDS) if rechecks <= most else None


class Edit(NamedTuple):
    """Replaced paragraphs: an addition has none ``before``, a removal none ``after``."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class Change(NamedTuple):
    """What changed in an article."""

    edits: tuple[Edit, ...] = ()
    title: bool = False
    time: bool = False
    corrected: tuple[str, ...] = ()  # fields whose value a spider or a site's XPaths name anew

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts that changed."""
        named = (("text", bool(self.edits)), ("title", self.title), ("time", self.time))
        return tuple(name for name, changed in named if changed)

    @property
    def is_new(self) -> bool:
        """Whether there is something to store."""
        return bool(self.parts or self.corrected)


def change_of(old: Version, new: Version, around: Collection[str] = ()) -> Change:
    """What changed between two versions; ``around`` are the site's known boilerplate lines.

    A title or time that appears or disappears is more likely the reader's doing than the editor's. A date that gains
    its time of day is no change, nor is the time of the visit in both versions: that is a clock.
    """
    title = bool(old.title and new.title) and normalise_text(old.title) != normalise_text(new.title)
    site = Boilerplate(around)
    return Change(edits_of(site.without(old.text), site.without(new.text)), title, _other_time(old, new))


def find_corrections(old: StoredArticle, new: StoredArticle, change: Change, *, same_bytes: bool) -> tuple[str, ...]:
    """The named fields of an article that differ from the stored ones, without those that ``change`` has. Unless the
    page is the same to the byte, only a change of its paragraphs is one of the text: it may have a counter."""
    told = {"title": change.title, "published_at": change.time, "text": bool(change.edits) or not same_bytes}
    return tuple(
        name
        for name in CORRECTABLE_FIELDS
        if name in new.named and not told.get(name) and getattr(old, name) != getattr(new, name)
    )


def _other_time(old: Version, new: Version) -> bool:
    if old.published_at is None or new.published_at is None or old.published_at == new.published_at:
        return False
    old_time, new_time = old.published_at.astimezone(SHANGHAI), new.published_at.astimezone(SHANGHAI)
    if old_time.date() == new_time.date() and time() in (old_time.time(), new_time.time()):
        return False
    return not (_is_now(old) and _is_now(new))


def _is_now(version: Version) -> bool:
    """Whether the page's time is the time of the visit."""
    published, visited = version.published_at, version.read_at
    return published is not None and visited is not None and abs(published - visited) <= CLOCK_WITHIN


def edits_of(old: str, new: str) -> tuple[Edit, ...]:
    """The paragraphs that differ, in order. Equal texts have none; swapping the texts swaps additions and removals.

    >>> edits_of("一。\\n二。", "一！\\n二二。\\n三。")
    (Edit(before=('二。',), after=('二二。', '三。')),)
    """
    if old == new:
        return ()
    old_lines, new_lines = old.split("\n"), new.split("\n")
    old_letters, new_letters = _letters(old_lines), _letters(new_lines)
    # the second test is for "3" and ".5%" in two lines, which are 3.5%
    if "".join(old_letters) == "".join(new_letters) or normalise_text(old) == normalise_text(new):
        return ()
    start, end = _common(old_letters, new_letters)
    old_stop, new_stop = len(old_letters) - end, len(new_letters) - end
    middle_old, middle_new = old_letters[start:old_stop], new_letters[start:new_stop]
    often, pairs = _repeated(middle_old, middle_new)
    if max(len(middle_old), len(middle_new)) > MOST_COMPARED or pairs > MOST_PAIRS:
        return (Edit(_not_blank(old_lines[start:old_stop]), _not_blank(new_lines[start:new_stop])),)
    blocks = SequenceMatcher(often.__contains__, middle_old, middle_new, autojunk=False).get_opcodes()
    edits = (
        Edit(_not_blank(old_lines[start + i1 : start + i2]), _not_blank(new_lines[start + j1 : start + j2]))
        for tag, i1, i2, j1, j2 in blocks
        if tag != "equal" and "".join(middle_old[i1:i2]) != "".join(middle_new[j1:j2])
    )
    return tuple(edit for edit in edits if normalise_text("".join(edit.before)) != normalise_text("".join(edit.after)))


def _repeated(old: list[str], new: list[str]) -> tuple[frozenset[str], int]:
    """The paragraphs that occur too often to align by, and the number of equal pairs among the others."""
    old_counts, new_counts = Counter(old), Counter(new)
    often = frozenset(line for line, count in new_counts.items() if count > MOST_REPEATS)
    return often, sum(count * new_counts[line] for line, count in old_counts.items() if line not in often)


def _not_blank(paragraphs: list[str]) -> tuple[str, ...]:
    return tuple(paragraph for paragraph in paragraphs if paragraph.strip())


def _letters(lines: list[str]) -> list[str]:
    """The letters of each line; without counters and clocks in the first and last lines."""
    last = len(lines) - TAIL_LINES
    return [normalise_text(_uncounted(line) if n < HEAD_LINES or n >= last else line) for n, line in enumerate(lines)]


def _uncounted(line: str) -> str:
    """A line without counters and clocks, which differ on every visit."""
    if line.rstrip().endswith(tuple(_SENTENCE_END)) or (
        len(normalise_text(line)) > LONGEST_COUNTER and not names_file(line)
    ):
        return line
    normal = unicodedata.normalize("NFKC", line)
    return "" if _CLOCK.search(normal) else _COUNTERS.sub("", normal)


def _common(old: list[str], new: list[str]) -> tuple[int, int]:
    """The numbers of equal lines at the start and at the end."""
    most = min(len(old), len(new))
    start = next((n for n in range(most) if old[n] != new[n]), most)
    end = next((n for n in range(most - start) if old[-1 - n] != new[-1 - n]), most - start)
    return start, end
