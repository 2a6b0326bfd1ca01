"""Finds the text of a page that the browser assembles from its scripts: there it is a JSON string.

It is used only where the page itself shows next to nothing. The text is one long string that covers the page's title.
If several strings are as long, the page is a list of articles and none of them is its text.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from heapq import nlargest
from typing import Any

from lxml import etree

from newsspider.core.extraction.dom import Line, Page, UnreadablePageError, outline_of, parse
from newsspider.core.extraction.dom.json_ld import PageRecords
from newsspider.core.extraction.lines.text_and_mastheads import is_text, weight_of
from newsspider.core.extraction.page_type import LOGIN_WORDS, reports_error
from newsspider.core.text.text_comparison import places_of, title_overlap

SHORTEST_SOURCE = 80  # characters of the source of a string that may be a text
LEAST_TEXT_WEIGHT = 60.0  # weight of running text that makes it one
RIVAL_SHARE = 0.5  # of its weight: if others have this much, and share nothing with it, the page has several
COVERED_SHARE = 0.4  # share of the title's pairs of letters that must occur in the text
LONG_TITLE = 10  # characters from which a title is an article's; any text of a list may cover the list's short title
LINES_SHOWN = 40  # lines of the page that may say that nothing is there
MOST_STRINGS = 20  # strings of a page that are looked at, the longest
BEGINNING_READ = 600  # characters of a string that show whether it is one of words
BODY_KEYS = ("articleBody", "text")  # of JSON-LD

_SCRIPT = re.compile(r"<script\b[^<>]*+>", re.IGNORECASE)
_END = re.compile(r"</script", re.IGNORECASE)
_STRING = re.compile(r"""[:=(,\[]\s*+(?:"((?:[^"\\\n]++|\\.)*+)"|'((?:[^'\\\n]++|\\.)*+)')""")
_QUOTED = re.compile(r"""\\x([0-9A-Fa-f]{2})|\\(.)|(")""", re.DOTALL)
_NAME = re.compile(r"""([\w$]{1,40})["']?\s*$""")
# What the beginning of a text has, as letters or escapes, but not that of a picture; what a style or program has.
_WORDS = re.compile(r"[\u4e00-\u9fff]|\\u|&#|[a-z] [a-z]+ [a-z]")
_PROGRAM = re.compile(r"[^<{]*+\{[^<{}:=(]*+[:=(][^<{}]*+[;}]")
# Names of strings that are no text of an article.
_OTHER = re.compile(
    r"comment|reply|desc|summary|abstract|intro|agreement|privacy|copyright|title|tip|msg|message|error|remark|"
    r"seo|about",
    re.IGNORECASE,
)
_TEMPLATE = re.compile("html|template|text/plain", re.IGNORECASE)  # type of a script that holds markup
_INERT = re.compile(r"</?(?:template|noscript)\b[^<>]*+>", re.IGNORECASE)
_TAG = re.compile(r"<(?:p|div|br|section|span)\b", re.IGNORECASE)


def embedded_lines(page: Page, title: str | None, linked_data: Iterable[dict[str, Any]]) -> list[str]:
    """The lines of the text that stands in the page's scripts; empty if there is none, or if there are several."""
    outline = outline_of(page)
    if (
        not title
        or outline.passwords
        or LOGIN_WORDS.search(title)
        or any(reports_error(line.text) for line in outline.lines[:LINES_SHOWN])
    ):
        return []
    texts = [
        (sum(map(weight_of, lines)), title_overlap(title, "".join(line.text for line in lines)), lines)
        for lines in _candidates(page, linked_data, PageRecords(page, title).values_of_others(linked_data))
    ]
    named = any(places_of(title, page.text))
    if len(title) >= LONG_TITLE and not named:  # strings that do not cover the title are other parts of the page
        texts = [text for text in texts if text[1] >= COVERED_SHARE]
    ranked = sorted(texts, key=lambda text: -text[0])
    if (
        not ranked
        or ranked[0][0] < LEAST_TEXT_WEIGHT
        or (ranked[0][1] < COVERED_SHARE and not (named and len(title) >= LONG_TITLE))
    ):
        return []
    weight, _, best = ranked[0]
    best_texts = {line.text for line in best}
    others = [
        lines
        for other, _, lines in ranked[1:]
        if other >= RIVAL_SHARE * weight and best_texts.isdisjoint(line.text for line in lines)
    ]
    return [] if others else [line.text for line in best]


def _candidates(page: Page, linked_data: Iterable[dict[str, Any]], others: set[str]) -> Iterator[list[Line]]:
    for item in linked_data:
        for text in (item.get(key) for key in BODY_KEYS):
            if isinstance(text, str) and text not in others:
                yield _lines(text, page.url)
    for markup in _parked(page):
        yield _lines(markup, page.url)
    for match in nlargest(MOST_STRINGS, _strings(page.text), key=lambda match: match.end() - match.start()):
        double, single = match.groups()
        text = _decoded(single, True) if double is None else _decoded(double, False)
        if text is not None and text not in others and text.lstrip()[:1] not in ("{", "["):  # or it is JSON once more
            yield _lines(text, page.url)


def _parked(page: Page) -> Iterator[str]:
    """The markup that a page holds ready for a script: in templates, ``<noscript>``, hidden fields and frames."""
    for element in page.tree.iter("template", "noscript", "script", "input", "iframe"):
        markup: str | None = None
        if element.tag == "input":
            markup = element.get("value") if (element.get("type") or "").lower() == "hidden" else None
        elif element.tag == "iframe":
            markup = element.get("srcdoc")
        elif element.tag != "script":
            markup = etree.tostring(element, encoding="unicode", with_tail=False)
        elif _TEMPLATE.search(element.get("type") or ""):
            markup = element.text
        if markup and len(markup) > SHORTEST_SOURCE and _WORDS.search(markup):
            yield _INERT.sub("", markup)


def _strings(markup: str) -> Iterator[re.Match[str]]:
    """The long strings of the scripts, but those whose names say that they are no text of an article."""
    for script in _scripts(markup):
        for match in _STRING.finditer(script):
            if match.end() - match.start() > SHORTEST_SOURCE and _may_be_text(
                script, max(match.start(1), match.start(2)), match.end() - 1
            ):
                name = _NAME.search(script, max(0, match.start() - 44), match.start())
                if name is None or _OTHER.search(name[1]) is None:
                    yield match


def _may_be_text(script: str, start: int, end: int) -> bool:
    """Whether a string begins like a text, or like markup that holds one."""
    end = min(end, start + BEGINNING_READ)
    return _WORDS.search(script, start, end) is not None and _PROGRAM.match(script, start, end) is None


def _scripts(markup: str) -> Iterator[str]:
    at = 0
    while (start := _SCRIPT.search(markup, at)) and (end := _END.search(markup, start.end())):
        yield markup[start.end() : end.start()]
        at = end.end()


def _decoded(source: str, single: bool) -> str | None:
    """The text of a string between double or ``single`` quotation marks; ``None`` if its escapes make no sense."""
    source = _QUOTED.sub(_as_json, source) if single or "\\x" in source or "\\'" in source else source
    try:
        return str(json.loads(f'"{source}"', strict=False)).encode("utf-8", "replace").decode()
    except ValueError:
        return None


def _as_json(match: re.Match[str]) -> str:
    """An escape of a script, or a quotation mark, as JSON has it."""
    if match[1]:
        return f"\\u00{match[1]}"
    if match[3]:
        return '\\"'
    return "'" if match[2] == "'" else match[0]


def _lines(text: str, url: str) -> list[Line]:
    """The lines of a text or of a piece of markup, which may be escaped once more."""
    try:
        for _ in range(2):
            if _TAG.search(text) is None and ("&lt;" in text or "&amp;lt;" in text):
                text = html.unescape(text)
    except ValueError:  # a character with a number of thousands of digits
        return []
    if _TAG.search(text) is None:
        text = "".join(f"<p>{html.escape(line)}</p>" for line in text.split("\n"))
    try:
        piece = parse(f"<div>{text}</div>".encode(), url, "text/html; charset=utf-8")
    except UnreadablePageError:
        return []
    return [line for line in outline_of(piece).lines if is_text(line)]
