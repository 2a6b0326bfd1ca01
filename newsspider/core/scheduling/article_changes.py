"""Change detection for revisions: what has changed in an article since its last visit.

An article is compared with its stored version paragraph by paragraph, title and time separately. Only letters and
digits count, as in :mod:`newsspider.core.text.text_comparison`: spaces, punctuation and character width are no change.
Neither is the site's boilerplate, or a counter or clock in the first and last lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from datetime import time, timedelta
from difflib import SequenceMatcher
from typing import NamedTuple

from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.extraction.lines.boilerplate_lines import HEAD_LINES, TAIL_LINES, Boilerplate
from newsspider.core.model import CORRECTABLE_FIELDS, StoredArticle, Version
from newsspider.core.text.file_names import names_file
from newsspider.core.text.text_comparison import normalise_text

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


class Edit(NamedTuple):
    """Replaced paragraphs: an addition has none ``before``, a removal none ``after``."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class Change(NamedTuple):
    """What changed in an article."""

    edits: tuple[Edit, ...] = ()
    title: bool = False
    time: bool = False
    corrected: tuple[str, ...] = ()  # fields to which a spider or a site's XPaths give another value

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
    changed = {"title": change.title, "published_at": change.time, "text": bool(change.edits) or not same_bytes}
    return tuple(
        name
        for name in CORRECTABLE_FIELDS
        if name in new.named and not changed.get(name) and getattr(old, name) != getattr(new, name)
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
