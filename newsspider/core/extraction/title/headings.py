"""Finds which heading or line above an article's text is its title, and the whole of one that was cut short or set in
several lines: an office above its notice, a kicker, a line broken by ``<br>``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from newsspider.core.extraction.body.body import Body
from newsspider.core.extraction.dom import MOST_HEADINGS, Line, Outline, next_texts
from newsspider.core.extraction.dom.outline import HEADINGS
from newsspider.core.extraction.lines.boilerplate_lines import is_boilerplate_line
from newsspider.core.extraction.lines.site_in_title import SEPARATOR
from newsspider.core.extraction.lines.text_and_mastheads import YEAR_AND_MONTH, gives_date, is_event_detail, is_masthead
from newsspider.core.text.text_comparison import SHORTEST_TITLE, title_key, title_overlap

LONGEST_HEADING = 80  # characters of a line that is one
TEXT_READ = 20_000  # characters of the text in which titles are looked for
PLAIN_TITLE = 6  # characters of one right above the text, where nothing else is known
LINES_ABOVE = 12  # lines above the text in which a line may be named a title
NEARER_BY = 0.2  # by how much more of it than of <title> must be in the text
DOUBTFUL_SHARE = 0.45  # share of <title> found in the text under which it may be the name of the site
# share of <title> in the text below which it is about something else, and by how much more of another line is
UNCOVERED_SHARE, MUCH_NEARER = 0.25, 0.35
NEAR_LINES = 6  # lines above the text in which its heading stands
LINES_FAR_ABOVE = 60  # lines above the text in which a line stands that is its title, if the text tells so
COVERED_SHARE = 0.4  # share of such a line that must be in the text
# What speaks for a heading above the text, besides the share of it that is in the text.
HEADING_BONUS = {"h1": 0.4, "h2": 0.3, "h3": 0.2, "h4": 0.1}
NAMED_BONUS = 0.2
NEARBY_BONUS = 0.1
LINKED_COSTS = 0.3
NO_HEADING = re.compile(r"\d{4}\s?[-/年.]\s?\d{1,2}\s?[-/月.]|[:：]|[>＞»]")  # lines of dates, labels and breadcrumbs
WORD_PATTERN = re.compile(r"[^\W\d_]{2}")  # a telephone number has no such word
SOURCED = re.compile(r"[\W_]*(?:来\s?源|來\s?源|稿源|作者)\s?[:：]")
# Lines that say who wrote, and remarks in brackets.
BYLINE = re.compile(r"[【（(\[]?(?:文|图|记者|作者|本报|本刊|采写|撰文)[/／:：|｜丨\s]|[【（(\[][^】）)\]]*[】）)\]]$")
PROMPT = re.compile(
    r"[\W_]*(?:[请請][输輸]入|二[维維][码碼](?:网址|地址|[（(]))"
)  # beside a field to search in, or a code to scan
# Class and id names of a title that is no heading by tag.
TITLE_ATTRIBUTE = re.compile(r"title|biaoti|headline|subject|(?<![a-z])(?:tit|bt)(?![a-z])", re.IGNORECASE)
CUT = re.compile(r"(?:\.{2,}|…+)$")  # a title that the page cut ends so
BADGE = re.compile(
    r"\W*(?:已?付费|原创|置顶|推荐|精华|视频|图集|独家)\W*"
)  # what a page sets behind a title, in its heading

MOST_LINES = 4  # of one title
FIRST_LINES = 400  # of a page in which its title is looked for
LATIN = re.compile(r"[A-Za-z0-9]$")
SECOND_TITLE = re.compile(r"\s*(?:——|--)")


def heading_above(outline: Outline, body: Body) -> str | None:
    """The line above the text that is most like its title: by tag, name, place and the share of it in the text."""
    lines = outline.lines
    first = body.first if body.lines else len(lines)
    text = _text(outline, body)
    worth: dict[int, float] = {}
    for tag, heading, at in outline.headings[:MOST_HEADINGS]:
        addressed = heading[-1] in "：:"  # to whoever a notice is for
        if (
            at <= first
            and len(title_key(heading)) >= SHORTEST_TITLE
            and not addressed
            and not is_boilerplate_line(heading)
        ):
            worth[at] = HEADING_BONUS.get(tag, 0.0) + title_overlap(heading, text)
    for at in range(max(0, first - LINES_FAR_ABOVE), first) if body.lines else ():
        if at in worth or at in body.lines[1:]:
            continue
        if _may_be_title(line := lines[at]) and not outline.nodes[line.node].is_side:
            share = title_overlap(line.text, text)
            if share >= COVERED_SHARE or (first - at <= NEAR_LINES and _stands_alone(line, at == first - 1)):
                worth[at] = share + NAMED_BONUS * bool(TITLE_ATTRIBUTE.search(outline.nodes[line.node].name))
    for at in worth:
        worth[at] += NEARBY_BONUS * (first - at <= NEAR_LINES) - LINKED_COSTS * (
            2 * lines[at].linked > len(lines[at].text)
        )
    best = max(worth, key=worth.__getitem__, default=None)
    return None if best is None else lines[best].text


def named_line(outline: Outline, body: Body, trimmed: str) -> str | None:
    """The line above the text that is named a title, if the text covers it better than ``<title>``.

    A line with a date or a source below it needs less: articles begin so.
    """
    lines, first = outline.lines, body.first
    above = [
        at
        for at in range(max(0, first - LINES_ABOVE), first)
        if PLAIN_TITLE <= len(lines[at].text) <= LONGEST_HEADING
        and not lines[at].linked
        and TITLE_ATTRIBUTE.search(outline.nodes[lines[at].node].name)
        and not is_masthead(lines[at].text)
        and not is_boilerplate_line(lines[at].text)
        and not PROMPT.match(lines[at].text)
    ]
    if not above:
        return None
    text = _text(outline, body)
    shares = {at: title_overlap(lines[at].text, text) for at in above}
    best = max(above, key=shares.__getitem__)
    rival = title_overlap(trimmed, text)
    below = lines[best + 1].text
    headed = (YEAR_AND_MONTH.search(below) or SOURCED.match(below)) is not None and rival < DOUBTFUL_SHARE
    return lines[best].text if headed or shares[best] > rival + NEARER_BY else None


def is_dated(above: str, outline: Outline, body: Body, *, covered: bool) -> bool:
    """Whether a line near the text has a date right below and, if ``covered``, the text covers it."""
    if dated_at(above, outline, body) is None:
        return False
    return not covered or title_overlap(above, _text(outline, body)) >= COVERED_SHARE


def dated_at(text: str, outline: Outline, body: Body) -> int | None:
    """The last line near the text that is ``text`` and has the date of the article right below."""
    return next((at for at in _dated(outline, body) if outline.lines[at].text == text), None)


def dated_heading(outline: Outline, body: Body) -> str | None:
    """The last heading by tag near the text that has the date of the article right below."""
    return next((outline.lines[at].text for at in _dated(outline, body) if outline.lines[at].tag), None)


def _dated(outline: Outline, body: Body) -> Iterator[int]:
    """The lines near the text, from below, that lead nowhere and have the date of the article right below."""
    last = max(-1, min((body.first, *body.lines[:1])) - NEAR_LINES - 1)
    for at in range(body.first - 1, last, -1):
        if not outline.lines[at].linked and heads_date(outline, at):
            yield at


def dated_line(site_key: str, outline: Outline, body: Body) -> str | None:
    """The last dated line, a heading if there is one, close above the text that is no part of the site's name, whose
    title key is ``site_key``."""
    near = (line for at in _dated(outline, body) if _may_head_date(line := outline.lines[at]))
    results = [line for line in near if (key := title_key(line.text)) not in site_key and site_key not in key]
    best = next((line for line in results if line.tag), results[0] if results else None)
    return None if best is None else best.text


def heads_date(outline: Outline, at: int) -> bool:
    """Whether a line has the date of the article right below it."""
    lines = outline.lines
    return at + 1 < len(lines) and gives_date(lines[at + 1].text, next_texts(lines, at + 1))


def _may_head_date(line: Line) -> bool:
    """Whether a line may be a title, and is no link."""
    text = line.text
    alone = not line.linked and _may_be_title(line) and text[-1] not in "：:" and not text.startswith("——")
    return alone and not (is_event_detail(text) or is_masthead(text))


def covers_more_of(above: str, trimmed: str, outline: Outline, body: Body) -> bool:
    """Whether the text covers much of a line above it, and almost nothing of ``<title>``."""
    text = _text(outline, body)
    rival = title_overlap(trimmed, text)
    return rival < UNCOVERED_SHARE and title_overlap(above, text) > rival + MUCH_NEARER


def _text(outline: Outline, body: Body) -> str:
    """The text from its first paragraph on; a line before it may be the title."""
    return "".join(outline.lines[i].text for i in body.lines if i >= body.first)[:TEXT_READ]


def _may_be_title(line: Line) -> bool:
    text = line.text
    if not PLAIN_TITLE <= len(text) <= LONGEST_HEADING or text[-1] in "。，；、" or WORD_PATTERN.search(text) is None:
        return False
    return not (YEAR_AND_MONTH.search(text) or BYLINE.match(text) or PROMPT.match(text) or is_boilerplate_line(text))


def _stands_alone(line: Line, last: bool) -> bool:
    """Whether a line near the text may be its title: no label, date or link but the ``last`` above it."""
    alone = not line.linked or (last and " " not in line.text)  # a post's title may link to itself
    return alone and not (NO_HEADING.search(line.text) or is_masthead(line.text))


def begun_by(cut: str, declared: Iterable[str], outline: Outline, body: Body) -> str | None:
    """The heading, declared title or line above the text that begins with the ``cut`` title."""
    key = title_key(cut)
    end, first = (body.lines[-1], body.first) if body.lines else (len(outline.lines),) * 2
    headings = [text for _, text, at in outline.headings if at <= end]
    if len(key) < SHORTEST_TITLE or any(title_key(text) == key for text in headings):
        return None
    plain = (line.text for line in outline.lines[:first] if not line.linked and len(line.text) <= LONGEST_HEADING)
    lines = (text for text in plain if text[-1] not in "。；，")
    longer = (
        text
        for text in (*headings, *declared, *lines)
        if len(own := title_key(text)) > len(key) and own.startswith(key)
    )
    return next((text for text in longer if not BADGE.fullmatch(title_key(text)[len(key) :])), None)


def completed_heading(heading: str, full_title: str) -> str:
    """Return the heading; one that was cut off is completed from ``<title>`` if that begins with it."""
    stem = CUT.sub("", heading).rstrip()
    rest = full_title.removeprefix(stem)
    if stem == heading or rest == full_title or CUT.match(rest.lstrip()):
        return heading
    return stem + SEPARATOR.split(rest, maxsplit=1)[0]


def mastheads(outline: Outline, body: Body) -> list[tuple[str, int]]:
    """The ``<h1>`` headings close above the first paragraph, or right above the first line, and their lines."""
    begins = body.lines[0] - 1 if body.lines else -1
    return [
        (text, at)
        for tag, text, at in outline.headings
        if tag == "h1" and (0 < body.first - at <= NEAR_LINES or at == begins)
    ]


def join_lines(lines: Iterable[str]) -> str:
    """Put the lines of one title together: with a blank between Latin words only.

    >>> join_lines(["教育部办公厅", "关于做好招生工作的通知"]), join_lines(["Open", "Day"])
    ('教育部办公厅关于做好招生工作的通知', 'Open Day')
    """
    joined = ""
    for line in lines:
        joined += f" {line}" if LATIN.search(joined) and line[:1].isascii() and line[:1].isalnum() else line
    return joined


def declared_lines(texts: Iterable[str], outline: Outline, body: Body) -> str | None:
    """The title that adjacent lines of the page make together, if it is one of ``texts``: those of ``<title>`` and of
    the metadata without the names of sites."""
    wanted = {key: text for text in texts if len(key := title_key(text)) >= SHORTEST_TITLE}
    if not wanted:
        return None
    end = min(FIRST_LINES, body.lines[-1] + 1) if body.lines else FIRST_LINES
    lines = outline.lines[:end]
    beginnings = {key[0] for key in wanted}
    for at, line in enumerate(lines[:-1]):
        if line.linked or not 1 < len(line.text) <= LONGEST_HEADING:
            continue
        if "\u4e00" <= line.text[0] <= "\u9fff" and line.text[0] not in beginnings:
            continue  # such a character is its own key
        if not (first := title_key(line.text)):
            continue
        for key, text in wanted.items():
            if len(first) < len(key) and key.startswith(first) and (count := _lines_of(key, lines[at:])):
                joined = join_lines(part.text for part in lines[at : at + count])
                return joined if "".join(joined.split()) == "".join(text.split()) else text
    return None


def _lines_of(key: str, lines: Sequence[Line]) -> int:
    """How many of the first lines make up this title key; 0 if they do not."""
    joined = ""
    for count, line in enumerate(lines[:MOST_LINES], 1):
        joined += "" if line.linked else title_key(line.text)
        if joined == key:
            return count if count > 1 else 0
        if line.linked or not key.startswith(joined):
            return 0
    return 0


def whole_element(title: str, full_title: str, outline: Outline, body: Body) -> str:
    """``title`` with the other lines of its heading element, on a page whose ``<title>`` says nothing of them."""
    key = title_key(title)
    if not key or key in title_key(full_title):
        return title
    first = body.first if body.lines else len(outline.lines)
    at = next((at for at, line in enumerate(outline.lines[: first + 1]) if line.text == title), None)
    element = None if at is None else _heading_around(outline, at)
    if element is None:
        return title
    lines = outline.lines[outline.nodes[element].first : outline.nodes[element].last]
    if not 1 < len(lines) <= MOST_LINES or sum(len(line.text) for line in lines) > LONGEST_HEADING:
        return title
    return join_lines(line.text for line in lines) if all(map(_may_be_part, lines)) else title


def _heading_around(outline: Outline, at: int) -> int | None:
    """The element that is a heading by its tag or its name, around a line."""
    node = outline.lines[at].node
    for candidate in (node, outline.nodes[node].parent):
        if candidate >= 0:
            element = outline.nodes[candidate]
            if element.tag in HEADINGS or TITLE_ATTRIBUTE.search(element.name):
                return candidate
    return None


def _may_be_part(line: Line) -> bool:
    text = line.text
    if (
        line.linked
        or YEAR_AND_MONTH.search(text)
        or BYLINE.match(text)
        or PROMPT.match(text)
        or SECOND_TITLE.match(text)
    ):
        return False
    return not (is_masthead(text) or is_boilerplate_line(text)) and text[-1] not in "。："
