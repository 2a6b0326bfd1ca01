"""Texts, how they changed, times and pictures as they stand in a page. What comes from the web is escaped here and in
the templates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher

from markupsafe import Markup, escape

from newsspider.core.query.query_dates import ZONE, is_day, publication_text
from newsspider.core.text.tokenizer import cut_words
from newsspider.features.console.translation import localise_message, translate_text

WEEKDAYS = {"zh": [f"周{day}" for day in "一二三四五六日"], "en": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]}
SCORED_TEXT = re.compile(
    r"[a-z]+ (\d\.\d\d)(?: of (\d\.\d\d))?(, borderline)?: (.*?)(?:; rules: (.*))?", re.DOTALL
)  # a store of earlier versions has it without a threshold
NO_LINE_BEGINS = frozenset("，。、；：！？）》」』】〕”’…—·%,.;:!?)]}")
NO_LINE_ENDS = frozenset("（《「『【〔“‘([{")
NOW = Markup(' class="now"')
MOST_COMPARED = 2_000  # characters of a paragraph that are compared one by one
MOST_PAIRS_COMPARED, MOST_PAIRS = 60_000, 300_000  # of equal letters in two paragraphs, in all those of a page


def breakable_title(title: str) -> Markup:
    """A title that lines break between its words, never inside one; none begins with a comma or ends with a bracket.

    >>> breakable_title("教育部发布通知"), breakable_title("退出，《规定》出台")
    (Markup('教育部<wbr>发布<wbr>通知'), Markup('退出，<wbr>《规定》<wbr>出台'))
    """
    words: list[str] = []
    for word in cut_words(title):
        if words and (word[:1] in NO_LINE_BEGINS or words[-1][-1:] in NO_LINE_ENDS):
            words[-1] += word
        else:
            words.append(word)
    return Markup("<wbr>").join(map(escape, words))


def moment(value: str | float | None, now: datetime, language: str = "zh") -> Markup:
    """A ``<time>``: of today as 10:42, of the last six days as 周三 10:42, older as 2026-11-03; the whole on hovering.
    Midnight stands for a day alone."""
    if value is None:
        return Markup("—")
    when = datetime.fromtimestamp(value, ZONE) if isinstance(value, int | float) else datetime.fromisoformat(value)
    when = when.astimezone(ZONE)
    whole, machine = f"{when:%Y-%m-%d %H:%M:%S} UTC+8", when.isoformat(timespec="seconds")
    if is_day(when):
        whole = machine = f"{when:%Y-%m-%d}"
    short = _short(when, now.astimezone(ZONE), language)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(machine, whole, short)


def _short(when: datetime, now: datetime, language: str) -> str:
    if when.date() == now.date():
        return translate_text("今日", language) if is_day(when) else f"{when:%H:%M}"
    if timedelta() < now.date() - when.date() < timedelta(days=7):
        return f"{WEEKDAYS[language][when.weekday()]} {publication_text(when, '%H:%M')}".strip()
    return f"{when:%Y-%m-%d}"


def ground(detail: str, language: str) -> str:
    """Why a URL is as it is, as the ledger has it.

    >>> ground("blend 0.08 of 0.48: 高考, 校车; rules: title:台风", "zh")
    '全文的相关度 0.08，阈值 0.48；起作用的词：高考、校车；规则：title:台风'
    >>> ground("the link says '驾考': 0.0004 for education, below 0.0020, in a list of which 28% is about it", "zh")
    '链接文字“驾考”的相关度 0.0004，低于 0.0020；它所在的列表有 28% 与主题有关'
    """
    if language == "zh" and (scored := SCORED_TEXT.fullmatch(detail)):
        value, least, borderline, terms, rules = scored.groups()
        words = terms.replace(", ", "、")
        return (
            f"全文的相关度 {value}"
            + (f"，阈值 {least}" if least else "")
            + ("，相差不多" if borderline else "")
            + (f"；起作用的词：{words}" if words else "；没有起作用的词")
            + (f"；规则：{rules}" if rules else "")
        )
    return localise_message(detail, language)


def mark_places(text: str, places: Sequence[tuple[int, int]]) -> Markup:
    """The text with each of these places as a ``<mark>``; of two that overlap the first one counts.

    >>> mark_places("<高考改革", [(1, 3)])
    Markup('&lt;<mark>高考</mark>改革')
    """
    done, parts = 0, []
    for begin, end in sorted(places):
        if begin >= done:
            parts += [escape(text[done:begin]), Markup("<mark>{}</mark>").format(text[begin:end])]
            done = end
    return Markup("").join([*parts, escape(text[done:])])


def bars(counts: Sequence[int], label: str, *, names: Sequence[str] = (), ends_now: bool = False) -> Markup:
    """A bar for each count, as an SVG of 240 by 56; the last one may be that of now. They may have names."""
    width, height, most = 240 / max(len(counts), 1), 56, max([*counts, 1])
    drawn = [
        Markup('<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"{}><title>{}</title></rect>').format(
            place * width, height - tall, max(width - 2, 1), tall, mark, f"{names[place]}: {count}" if names else count
        )
        for place, count in enumerate(counts)
        for tall in [max(height * count / most, 1)]
        for mark in [NOW if ends_now and place == len(counts) - 1 else ""]
    ]
    return Markup(
        '<svg class="bars" viewBox="0 0 240 56" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(label, Markup("").join(drawn))


def sparkline(counts: Sequence[int], label: str) -> Markup:
    """How a count went, as a line of 72 by 20 with a point at its end."""
    most, step = max([*counts, 1]), 68 / max(len(counts) - 1, 1)
    points = [(2 + place * step, 17 - 14 * count / most) for place, count in enumerate(counts)]
    path = " ".join(f"{'M' if place == 0 else 'L'}{x:.1f} {y:.1f}" for place, (x, y) in enumerate(points))
    end = points[-1] if points else (2, 17)
    return Markup(
        '<svg class="spark" viewBox="0 0 72 20" role="img" aria-label="{}"><path d="{}"/>'
        '<circle cx="{:.1f}" cy="{:.1f}" r="2.6"/></svg>'
    ).format(label, path, *end)


def precision_recall(points: Sequence[Mapping[str, float]], threshold: float, label: str, legend: str) -> Markup:
    """Precision over recall at each threshold, as an SVG of 320 by 260; the threshold that holds is marked."""
    x0, y0, wide, high = 52, 10, 250, 196
    places = [(x0 + wide * point["recall"], y0 + high * (1 - point["precision"])) for point in points]
    path = " ".join(f"{'L' if number else 'M'}{x:.1f} {y:.1f}" for number, (x, y) in enumerate(places))
    near = min(range(len(points)), key=lambda at: abs(points[at]["threshold"] - threshold), default=None)
    dots = [
        Markup('<circle cx="{:.1f}" cy="{:.1f}" r="{}"{}><title>{}</title></circle>').format(
            x,
            y,
            5 if at == near else 3,
            NOW if at == near else "",
            f"{point['threshold']:.2f}: P {point['precision']:.3f}, R {point['recall']:.3f}",
        )
        for at, (point, (x, y)) in enumerate(zip(points, places, strict=True))
    ]
    axes = "".join(
        f'<path class="grid" d="M{x0} {y0 + high * step / 4:.0f}H{x0 + wide}"/>'
        f'<text x="{x0 - 6}" y="{y0 + high * step / 4 + 4:.0f}" text-anchor="end">{1 - step / 4:.2f}</text>'
        f'<text x="{x0 + wide * step / 4:.0f}" y="{y0 + high + 18}" text-anchor="middle">{step / 4:.2f}</text>'
        for step in range(5)
    )
    whole = Markup('<svg class="curve" viewBox="0 0 320 260" role="img" aria-label="{}">{}<path d="{}"/>{}{}</svg>')
    return whole.format(label, Markup(axes), path, Markup("").join(dots), legend)


class Changes:
    """Shows how the paragraphs of one page changed. They are compared letter by letter until that has taken about a
    second for the page: the time grows with the pairs of equal letters."""

    def __init__(self) -> None:
        self._pairs = MOST_PAIRS

    def of(self, old: str, new: str) -> Markup:
        """The old and the new text of a paragraph as one: deletions struck out, additions marked.

        >>> Changes().of("每月二百元", "每月三百元")
        Markup('每月<del>二</del><ins>三</ins>百元')
        """
        old_counts, new_counts = Counter(old), Counter(new)
        pairs = sum(count * new_counts[letter] for letter, count in old_counts.items())
        if max(len(old), len(new)) > MOST_COMPARED or not 0 < pairs <= min(MOST_PAIRS_COMPARED, self._pairs):
            return _struck(old, new)
        self._pairs -= pairs
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        if matcher.ratio() < 1 / 3:
            return _struck(old, new)
        parts = []
        for operation, old_at, old_end, new_at, new_end in matcher.get_opcodes():
            deleted, added = old[old_at:old_end], new[new_at:new_end]
            parts.append(escape(deleted) if operation == "equal" else _struck(deleted, added))
        return Markup("").join(parts)


def _struck(old: str, new: str) -> Markup:
    deleted = Markup("<del>{}</del>").format(old) if old else Markup("")
    return deleted + (Markup("<ins>{}</ins>").format(new) if new else Markup(""))
