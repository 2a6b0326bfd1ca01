"""Change detection: compares an article with its stored version, paragraph by paragraph, and title and time separately.

Only letters and digits count, as in :mod:`newsspider.core.text.fingerprint`: spaces, punctuation and character width
are no change. Neither is the site's boilerplate, or a counter or clock in the first and last lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from datetime import datetime, time, timedelta
from difflib import SequenceMatcher
from typing import NamedTuple

from newsspider.core.extraction.dates.moments import SHANGHAI
from newsspider.core.extraction.learned_boilerplate import HEAD, TAIL, Boilerplate
from newsspider.core.text.file_names import names_file
from newsspider.core.text.fingerprint import normalised

MOST_COMPARED = 3000  # paragraphs; of longer texts the middle is one edit
OFTEN = 10  # a paragraph that occurs more often ("合格" in a table) is no anchor for the alignment
# pairs of equal paragraphs; with more, the middle is one edit, as the comparison is cubic
MOST_PAIRS = 20_000
CLOCK = timedelta(minutes=10)  # a page time this close to the visit may be a clock
COUNTER = 30  # letters of a line that may hold a counter or a clock

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


class Written(NamedTuple):
    """The parts of an article that can change; the time is ``None`` if the page states none."""

    title: str
    text: str
    published_at: datetime | None = None
    read_at: datetime | None = None


class Change(NamedTuple):
    """What changed in an article."""

    edits: tuple[Edit, ...] = ()
    title: bool = False
    time: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts that changed."""
        named = (("text", bool(self.edits)), ("title", self.title), ("time", self.time))
        return tuple(name for name, changed in named if changed)


def change_of(before: Written, after: Written, around: Collection[str] = ()) -> Change:
    """What changed between two versions; ``around`` are the site's known boilerplate lines.

    A title or time that appears or disappears is more likely the reader's doing than the editor's. A date that gains
    its time of day is no change, nor is the time of the visit in both versions: that is a clock.
    """
    title = bool(before.title and after.title) and normalised(before.title) != normalised(after.title)
    site = Boilerplate(around)
    return Change(edits_of(site.without(before.text), site.without(after.text)), title, _other_time(before, after))


def _other_time(before: Written, after: Written) -> bool:
    if before.published_at is None or after.published_at is None or before.published_at == after.published_at:
        return False
    old, new = before.published_at.astimezone(SHANGHAI), after.published_at.astimezone(SHANGHAI)
    if old.date() == new.date() and time() in (old.time(), new.time()):
        return False
    return not (_is_now(before) and _is_now(after))


def _is_now(written: Written) -> bool:
    """Whether the page's time is the time of the visit."""
    published, visited = written.published_at, written.read_at
    return published is not None and visited is not None and abs(published - visited) <= CLOCK


def edits_of(before: str, after: str) -> tuple[Edit, ...]:
    """The paragraphs that differ, in order. Equal texts have none; swapping the texts swaps additions and removals.

    >>> edits_of("一。\\n二。", "一！\\n二二。\\n三。")
    (Edit(before=('二。',), after=('二二。', '三。')),)
    """
    if before == after:
        return ()
    old, new = before.split("\n"), after.split("\n")
    a, b = _letters(old), _letters(new)
    if "".join(a) == "".join(b) or normalised(before) == normalised(after):  # "3", ".5%" in two lines is 3.5%
        return ()
    start, end = _common(a, b)
    stop_a, stop_b = len(a) - end, len(b) - end
    middle_a, middle_b = a[start:stop_a], b[start:stop_b]
    often, pairs = _repeated(middle_a, middle_b)
    if max(len(middle_a), len(middle_b)) > MOST_COMPARED or pairs > MOST_PAIRS:
        return (Edit(_not_blank(old[start:stop_a]), _not_blank(new[start:stop_b])),)
    blocks = SequenceMatcher(often.__contains__, middle_a, middle_b, autojunk=False).get_opcodes()
    edits = (
        Edit(_not_blank(old[start + i : start + j]), _not_blank(new[start + k : start + n]))
        for tag, i, j, k, n in blocks
        if tag != "equal" and "".join(middle_a[i:j]) != "".join(middle_b[k:n])
    )
    return tuple(edit for edit in edits if normalised("".join(edit.before)) != normalised("".join(edit.after)))


def _repeated(a: list[str], b: list[str]) -> tuple[frozenset[str], int]:
    """The frequent paragraphs, and the number of equal pairs among the others."""
    of_a, of_b = Counter(a), Counter(b)
    often = frozenset(line for line, count in of_b.items() if count > OFTEN)
    return often, sum(count * of_b[line] for line, count in of_a.items() if line not in often)


def _not_blank(paragraphs: list[str]) -> tuple[str, ...]:
    return tuple(paragraph for paragraph in paragraphs if paragraph.strip())


def _letters(lines: list[str]) -> list[str]:
    """The letters of each line; without counters and clocks in the first and last lines."""
    last = len(lines) - TAIL
    return [normalised(_uncounted(line) if n < HEAD or n >= last else line) for n, line in enumerate(lines)]


def _uncounted(line: str) -> str:
    """A line without counters and clocks, which differ on every visit."""
    if line.rstrip().endswith(tuple(_SENTENCE_END)) or (len(normalised(line)) > COUNTER and not names_file(line)):
        return line
    normal = unicodedata.normalize("NFKC", line)
    return "" if _CLOCK.search(normal) else _COUNTERS.sub("", normal)


def _common(a: list[str], b: list[str]) -> tuple[int, int]:
    """The numbers of equal lines at the start and at the end."""
    most = min(len(a), len(b))
    start = next((n for n in range(most) if a[n] != b[n]), most)
    end = next((n for n in range(most - start) if a[-1 - n] != b[-1 - n]), most - start)
    return start, end
