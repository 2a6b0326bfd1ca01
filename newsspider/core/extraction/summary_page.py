"""Recognises pages that show the texts of other pages: summaries, whole posts, a story whose headline links to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from newsspider.core.extraction.dom import Line, Outline, Page
from newsspider.core.model import Article, Link, LinkKind

ITEM_LETTERS = 8  # characters of a link that may be a headline
SHORT_ITEM = 4  # the same beside a date, and of the date
DATE_LENGTH = 18  # characters of a date beside a headline, with its brackets and its time
LIST_ITEMS = 6  # article links that make a list
SHORTEST_SUMMARY = 25  # characters of a line that may sum up an article
LEAST_SUMMARIES = 3  # texts below headlines that make a page of summaries
SUMMARY_SHARE = 0.4  # share of summaries among the texts of a page without a headline of its own
SUMMARY_SHARE_HEADED = 0.8  # ... and of a page with one
LONGEST_NOTE = 60  # characters of a line that gives date and author, at most
LINES_ABOVE = 3  # lines above a text in which its heading or a date stands
BULLETS = "·•●◆■★▪ "
NUMBERING = "0123456789.、 "  # before the title of an item
DAY_PATTERN = re.compile(
    r"(?<![\d.])\d{1,4}\s?[-/.年月]\s?(?!0(?!\d))\d{1,2}(?![\dA-Za-z万亿元%％])|\d{1,2}:\d{2}|[前昨今]天|[时時分]前"
)


def is_summary_page(outline: Outline, article: Article, links: Sequence[Link]) -> bool:
    """Whether most paragraphs of the text are summaries: each stands below a headline of its own, or begins with it."""
    noted = {line.text for line in outline.lines if _is_noted(line)}
    long = [line for line in article.text.split("\n") if len(line) >= SHORTEST_SUMMARY and line not in noted]
    if len(long) < LEAST_SUMMARIES:
        return False
    texts = set(long)
    titles = {link.text[:ITEM_LETTERS] for link in links if len(link.text) >= ITEM_LETTERS}
    summaries = 0
    headed = False
    for line in outline.lines:
        if line.text in texts:
            summaries += headed or (line.linked >= ITEM_LETTERS and line.text.lstrip(BULLETS)[:ITEM_LETTERS] in titles)
            headed = False
        elif is_headline(line) or line.text in noted:
            headed = True
        elif len(line.text) >= SHORTEST_SUMMARY:
            headed = False
    return summaries >= LEAST_SUMMARIES and summaries >= (
        SUMMARY_SHARE_HEADED if names_itself(outline, article) else SUMMARY_SHARE
    ) * len(long)


def leads_elsewhere(outline: Outline, article: Article, page: Page, links: Sequence[Link]) -> bool:
    """Whether the heading close above the text links to another page, so that the text is that page's."""
    start, _, _ = article.text.partition("\n")
    lines = outline.lines
    first = next((i for i, line in enumerate(lines) if line.text == start), 0)
    above = range(first - 1, max(-1, first - LINES_ABOVE - 1), -1)
    at = next((at for at in above if lines[at].tag or lines[at].text == article.title), None)
    if (
        at is None
        or not is_headline(heading := lines[at])
        or not article.meta_title
        or heading.text in article.meta_title
    ):
        return False
    if names_itself(outline, article) or _is_one_of_many(lines, at):
        return False
    return _leads_to_another(page, (link for link in links if link.text == heading.text))


def _leads_to_another(page: Page, named: Iterable[Link]) -> bool:
    """Whether there are such links, and none leads to the page itself."""
    targets = {link.url.partition("#")[0] for link in named}
    return bool(targets) and page.url.partition("#")[0] not in targets


def _is_one_of_many(lines: Sequence[Line], at: int) -> bool:
    """Whether a linked heading is the last of a row of them: then they are no title of the text."""
    return lines[at].tag != "" and at > 0 and lines[at - 1].tag == lines[at].tag and is_headline(lines[at - 1])


def names_itself(outline: Outline, article: Article) -> bool:
    """Whether the page shows the title that ``<title>`` has, too, and does not link it."""
    title = article.title or ""
    if len(title) < ITEM_LETTERS or title not in (article.meta_title or ""):
        return False
    return any(line.text == title and not line.linked for line in outline.lines)


def is_headline(line: Line) -> bool:
    """Whether a line is a link long enough to be a headline."""
    return line.linked >= ITEM_LETTERS and line.linked > 0.6 * len(line.text)


def headlines_of(outline: Outline) -> list[Line]:
    """The lines that read like headlines of other pages."""
    return [line for line in outline.lines if is_headline(line) or is_short_headline(line)]


def is_short_headline(line: Line) -> bool:
    """Whether a line is little more than a short link and a date."""
    unlinked = len(line.text) - line.linked
    short = SHORT_ITEM <= line.linked < ITEM_LETTERS or (line.linked >= ITEM_LETTERS and unlinked <= DATE_LENGTH)
    return short and unlinked >= SHORT_ITEM and DAY_PATTERN.search(line.text) is not None


def _is_noted(line: Line) -> bool:
    """Whether a line is a headline with a note of channel, date and author."""
    return (
        line.linked >= ITEM_LETTERS
        and len(line.text) < line.linked + LONGEST_NOTE
        and DAY_PATTERN.search(line.text) is not None
    )


def lists_titles(article: Article, links: Sequence[Link]) -> bool:
    """Whether the lines of the text are titles of articles that the page links to. Such a list has no links in its
    text if a script opens its items."""
    titles = {link.text for link in links if link.kind is LinkKind.ARTICLE}
    if len(titles) < LIST_ITEMS:
        return False
    return len(titles.intersection(line.lstrip(NUMBERING) for line in article.text.split("\n"))) >= LIST_ITEMS - 1
