"""Finds an article's title: the longest heading that <title> contains, or <title> without the site's names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from newsspider.core.extraction.body.body import Body
from newsspider.core.extraction.dom import Outline, Page, next_texts
from newsspider.core.extraction.lines.boilerplate_lines import is_contact
from newsspider.core.extraction.lines.person_names import is_person
from newsspider.core.extraction.lines.site_in_title import (
    OFFICE,
    SECTION,
    SITE_NAME,
    TITLE_READ,
    is_only_site_names,
    names_no_article,
    names_site,
    parts_of,
    short_head,
    without_site,
)
from newsspider.core.extraction.lines.text_and_mastheads import is_masthead
from newsspider.core.extraction.title import headings
from newsspider.core.extraction.title.headings import (
    CUT,
    begun_by,
    completed_heading,
    declared_lines,
    mastheads,
    whole_element,
)
from newsspider.core.text.characters import HAN
from newsspider.core.text.text_comparison import SHORTEST_TITLE, stands_in, title_key, title_overlap

TITLE_LINE = 8  # characters of a line that may be a title though no heading
ARTICLE = "articletitle"  # the <meta> that government pages have for articles only
TITLE_METAS = ("og:title", "twitter:title", ARTICLE, "headline", "dc.title", "title")
# Markup that a page writes into its title as text; an end may be cut off behind an attribute.
MARKUP = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>|<[A-Za-z][A-Za-z0-9]*\s[^<>=]*=[^<>]*$")
READER_COUNT = re.compile(r"\s?\d[\d.,]*万?\s?(?:次?(?:阅读|浏览|点击|评论)|人?[看阅]过?|次)?")  # how many have read it
CHANNEL_PATTERN = re.compile(r"\[[^\[\]]+\]|【[^【】]+】")  # before the name of the site: no title
# What forums and the forms of offices write before a title.
LABEL = re.compile(
    r"^(?:(?:帖子|本帖|文章|新闻|信息|通知)?(?:主\s?题|标\s?题|题\s?目|主\s?題|標\s?題|題\s?目))\s*[:：]\s*(?=\S)"
)
SHORTEST_ANCHOR = 6  # characters of an anchor text that can be a headline
LONGEST_TITLE = 100  # characters of a line that can be one
CUT_MARKS = "…."  # a list cuts long headlines

_KEY = re.compile(r"[\W_]+")
_URL = re.compile(r"https?://|^www\.", re.IGNORECASE)


def title_of(page: Page, outline: Outline, body: Body, linked_data: Iterable[dict[str, Any]] = ()) -> str | None:
    """The title of the article, or ``None`` where the page has none."""
    result = _labelled_title(page, outline, body, linked_data)
    if result and SECTION.fullmatch(result) and headings.dated_at(result, outline, body) is None:
        result = headings.dated_line(title_key(result), outline, body) or result
    if result:
        result = whole_element(result, outline.title or "", outline, body)
    return unlabelled(result) if result else result


def unlabelled(text: str) -> str:
    """``text`` without the label that says that it is a title.

    >>> unlabelled("主题: 双减之后的课堂"), unlabelled("主题教育：双减之后的课堂")
    ('双减之后的课堂', '主题教育：双减之后的课堂')
    """
    return LABEL.sub("", text)


def _labelled_title(page: Page, outline: Outline, body: Body, linked_data: Iterable[dict[str, Any]]) -> str | None:
    full_title = _unmarked(outline.title or "")[:TITLE_READ]
    trimmed = without_site(full_title)
    end = body.lines[-1] if body.lines else len(outline.lines)
    declared_titles = [without_site(text) for text in _declared(page, linked_data)]
    if joined := declared_lines((trimmed, *declared_titles), outline, body):
        return joined
    if (cut := CUT.search(trimmed)) and (whole := begun_by(trimmed[: cut.start()], declared_titles, outline, body)):
        full_title = trimmed = whole
    full_key = title_key(full_title)
    is_asked = full_key and (ARTICLE in page.metas or SITE_NAME.search(trimmed))
    declared = _declared_and_shown(page, outline, linked_data, end) if is_asked else None
    if declared and trimmed != full_title and _names_site(declared, trimmed):
        declared = None
    if declared:
        return declared
    if head := _dated_head(full_title, outline, body):
        return head
    first_part = next(iter(parts_of(full_title)), "")
    if _is_entry(first_part, outline, page.metas.get(ARTICLE)):
        return first_part
    alone = trimmed  # the title where nothing on the page agrees with a part of <title>
    if short := short_head(full_title):
        if _is_headed(short, outline, body):
            return short
        trimmed = short
    dated = headings.dated_heading(outline, body)  # beside which one that is a link is the name of the site
    agreeing = (
        text
        for _, text, at in outline.headings
        if at <= end and stands_in(text, full_key, SHORTEST_TITLE) and not (dated and outline.lines[at].linked)
    )
    within = [*agreeing, *_lines_within(full_title, outline, body)]
    within = [text for text in within if not _names_site(text, trimmed)] or within
    says_little = _says_little(trimmed, full_title, outline)
    return (
        _dated_below_site_name(full_title, first_part, outline, body)
        or _agreed(within, full_title, trimmed, outline, body)
        or _declared_title(page, linked_data, full_key, outline, body)
        or _title_above(full_title, trimmed, outline, body, agreed=bool(within))
        or (_declared_and_covered(page, outline, body, linked_data) if says_little else None)
        or alone
        or None
    )


def _declared_title(
    page: Page, linked_data: Iterable[dict[str, Any]], full_key: str, outline: Outline, body: Body
) -> str | None:
    """The title in the metadata, where ``<title>`` contains it or is missing."""
    site = None if full_key else page.metas.get("og:site_name")
    shown = () if full_key else [text for _, text, _ in outline.headings]
    for text in _declared(page, linked_data):
        if text != site and len(key := title_key(text)) >= SHORTEST_TITLE and (key in full_key or not full_key):
            plain = text if text in shown else without_site(text)
            return (
                plain if full_key else begun_by(plain, map(without_site, _declared(page, ())), outline, body) or plain
            )
    return None


def _title_above(full_title: str, trimmed: str, outline: Outline, body: Body, *, agreed: bool) -> str | None:
    """The line above the text that is more like a title than ``<title>``; ``agreed``: other lines agree with
    ``<title>``."""
    if not agreed and (line := headings.named_line(outline, body, trimmed)):
        return line
    if not agreed and (dated := headings.dated_heading(outline, body)) and not _is_continued(trimmed, dated):
        return dated
    above = headings.heading_above(outline, body)
    if above is None:
        return None
    is_dated = (
        not agreed
        and headings.is_dated(above, outline, body, covered=not OFFICE.search(trimmed))
        and not _is_continued(trimmed, above)
    )
    is_covered = trimmed == full_title and headings.covers_more_of(above, trimmed, outline, body)
    return above if is_dated or is_covered or _says_little(trimmed, full_title, outline) else None


def _declared_and_covered(
    page: Page, outline: Outline, body: Body, linked_data: Iterable[dict[str, Any]]
) -> str | None:
    """The title in the metadata that the text covers, on a page that shows no title."""
    text = "".join(outline.lines[at].text for at in body.lines)
    declared = map(without_site, _declared(page, linked_data))
    return next(
        (
            title
            for title in declared
            if len(title_key(title)) >= SHORTEST_TITLE and title_overlap(title, text) >= headings.COVERED_SHARE
        ),
        None,
    )


def _agreed(within: Sequence[str], full_title: str, trimmed: str, outline: Outline, body: Body) -> str | None:
    """The longest heading or line that stands in ``<title>``, if that is the title; one that was cut is completed."""
    best = max(within, key=lambda text: (len(title_key(text)), CUT.search(text) is None), default=None)
    if best is None:
        return None
    key, trimmed_key, full_key = title_key(best), title_key(trimmed), title_key(full_title)
    is_in_both = key in trimmed_key or trimmed_key in key or full_key.startswith(key)
    if not is_in_both and len(key) * 2 < len(full_key):
        return None  # the name of the site or of its section
    is_headed = full_title.startswith(best) and best in (text for text, _ in mastheads(outline, body))
    if len(key) * 2 < len(trimmed_key) and not is_headed:
        return None
    return completed_heading(best, trimmed if trimmed.startswith(CUT.sub("", best).rstrip()) else full_title)


def _is_continued(trimmed: str, above: str) -> bool:
    """Whether a heading is ``<title>`` followed by a sign and a second title, or by its number of readers, its date or
    a button."""
    rest = above.removeprefix(trimmed)
    is_beside = not rest[:1].isalnum() or READER_COUNT.fullmatch(rest) is not None or is_masthead(rest)
    return rest != above and is_beside


def _is_entry(first_part: str, outline: Outline, declared: str | None) -> bool:
    """Whether two or three characters at the beginning of ``<title>`` are the page's first heading, as of an entry, or
    the ``declared`` title."""
    if not 2 <= len(title_key(first_part)) < SHORTEST_TITLE or names_no_article(first_part):
        return False
    first = next((heading for heading in outline.headings if heading[0] == "h1" and heading[1] == first_part), None)
    return first_part == declared or (first is not None and not outline.lines[first[2]].linked)


def _dated_below_site_name(full_title: str, first_part: str, outline: Outline, body: Body) -> str | None:
    """The dated line, if ``<title>`` has only names of sites and its first part is no heading of the text."""
    near = (heading for heading in outline.headings if 0 < body.first - heading[2] <= headings.NEAR_LINES)
    headed = any(tag == "h1" and text == first_part and not outline.lines[at].linked for tag, text, at in near)
    if not is_only_site_names(full_title) or (headed and not names_no_article(first_part)):
        return None
    return headings.dated_line(title_key(full_title), outline, body)


def _says_little(trimmed: str, full_title: str, outline: Outline) -> bool:
    """Whether the rest of ``<title>``, without the site's name, may be another name of the site or a channel's."""
    if len(title_key(trimmed)) <= SHORTEST_TITLE or names_site(trimmed):
        return True
    if trimmed != full_title and CHANNEL_PATTERN.fullmatch(trimmed) is not None:
        return True
    return any(line.linked >= len(trimmed) and trimmed in line.text for line in outline.lines[:120])


def _names_site(text: str, trimmed: str) -> bool:
    """Whether a part of ``<title>`` is, or ends with, the name of the site that was cut from it."""
    return (SITE_NAME.search(text) or OFFICE.search(text)) is not None and title_key(text) not in title_key(trimmed)


def _declared_and_shown(page: Page, outline: Outline, linked_data: Iterable[dict[str, Any]], end: int) -> str | None:
    """The title in the metadata, where a line above the end of the text repeats it."""
    declared = {
        key: text
        for text in map(without_site, _declared(page, linked_data))
        if len(key := title_key(text)) >= SHORTEST_TITLE
    }
    lines = outline.lines[: end + 1] if declared else ()
    return next(
        (
            declared[key]
            for line in lines
            if len(line.text) <= headings.LONGEST_HEADING and (key := title_key(line.text)) in declared
        ),
        None,
    )


def _dated_head(full_title: str, outline: Outline, body: Body) -> str | None:
    """The first part of ``<title>``, however short, that is the heading close above the text with its date right
    below, where no other part of it stands between that and the text."""
    head, *others = parts_of(full_title) or [""]
    if not others or not HAN.search(head) or len(title_key(head)) < 2 or names_no_article(head):
        return None
    at = headings.dated_at(head, outline, body)
    if at is None:
        return None
    keys_below = {title_key(line.text) for line in outline.lines[at + 1 : body.first + 1]}
    return None if any(title_key(other) in keys_below for other in others) else head


def _is_headed(short: str, outline: Outline, body: Body) -> bool:
    """Whether so short a title stands in a heading: a person's name near the text, or any first heading."""
    for tag, text, at in outline.headings:
        rest = text.removeprefix(short)
        if rest == text or (rest and rest[0] not in "（("):
            continue
        if (tag == "h1" and not rest) or (is_person(short) and 0 < body.first - at <= headings.NEAR_LINES):
            return True
    return False


def _lines_within(full_title: str, outline: Outline, body: Body) -> Iterator[str]:
    """Lines above the text that are no heading by tag but stand in <title>: old layouts write titles in cells. Whose
    address is below is the house."""
    for at, line in enumerate(outline.lines[: min(400, body.first + 1) if body.lines else 400]):
        is_within = TITLE_LINE <= len(line.text) <= len(full_title) and line.text in full_title
        if is_within and line.linked == 0 and not any(map(is_contact, next_texts(outline.lines, at)[:1])):
            yield line.text


def _declared(page: Page, linked_data: Iterable[dict[str, Any]]) -> Iterator[str]:
    for item in linked_data:
        if isinstance(headline := item.get("headline") or (item.get("title") if "pubDate" in item else None), str):
            yield _unmarked(headline)
    for name in TITLE_METAS:
        if text := page.metas.get(name):
            yield _unmarked(text)


def _unmarked(text: str) -> str:
    return " ".join(MARKUP.sub(" ", text).split())


def choose_headline(page: Page, title: str | None, anchor: str) -> str | None:
    """The page's title, or the list's headline if it is another one and stands on the page as a line of its own.

    So the title is right on sites that write their own name into every ``<title>`` and mark no heading. A page without
    any title gets the list's headline.
    """
    anchor_text = unlabelled(anchor.strip())
    listed = anchor_text.rstrip(CUT_MARKS)
    key = _KEY.sub("", listed)
    if len(key) < SHORTEST_ANCHOR or _URL.search(listed):
        return title
    own = _KEY.sub("", title or "")
    if own and (key in own or own in key):
        return title
    result = _line_of(page, key, is_whole=listed == anchor_text)
    return result or title or listed


def is_named(outline: Outline, anchor: str) -> bool:
    """Whether the list's headline stands on the page, in its title or in any line; true if it is too short to tell."""
    key = _KEY.sub("", unlabelled(anchor.strip()).rstrip(CUT_MARKS))
    return len(key) < SHORTEST_ANCHOR or any(
        key in _KEY.sub("", text) for text in (outline.title or "", *(line.text for line in outline.lines))
    )


def _line_of(page: Page, key: str, *, is_whole: bool) -> str | None:
    """The first text outside links that is this headline, or begins with it where the list cut it."""
    for element in page.tree.iter():
        text = element.text
        if (
            not text
            or len(text) < len(key)
            or len(text) > 3 * LONGEST_TITLE
            or element.tag in ("a", "title", "script", "style")
        ):
            continue
        line = unlabelled(" ".join(text.split()))
        result = _KEY.sub("", line)
        if len(line) <= LONGEST_TITLE and (result == key or (not is_whole and result.startswith(key))):
            return line
    return None
