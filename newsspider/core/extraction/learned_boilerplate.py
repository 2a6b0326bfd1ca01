"""Learned boilerplate: the lines that a site puts around the text of many articles, left out of the next ones.
``BOILERPLATE_LEARNED`` of ``settings.py`` switches it off.

A line at the edge of a text that stands there in article after article of one site is the site's, not the article's
(Bar-Yossef and Rajagopalan: Template Detection via Data Mining and its Applications, WWW 2002, for whole blocks). Only
the edges are looked at: a line between two paragraphs that nobody repeats belongs to the text.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from newsspider.core.extraction.article import summary_of
from newsspider.core.model import Article

ARTICLES_REMEMBERED = 40  # articles of a site, the latest
FEWEST_ARTICLES = 5  # that must have a line before it is boilerplate
SHARE_OF_ARTICLES = 0.2  # of the remembered articles that must have it
HEAD_LINES, TAIL_LINES = 2, 6  # lines that are the edges of a text
SALUTATION = ("：", ":")  # whoever a notice is addressed to stands above its text, time and again
# With what documents end, time and again, and when, below those who sign them.
FORMULA = re.compile(
    r"[\W_]*(?:特此[\u4e00-\u9fff]{2,6}|此[致复覆令布]|敬礼|(?:妥否|当否|如无不妥)[^。]{0,16}|现予(?:公布|公告|公示|印发)[^。]{0,20}"
    r"|请[^，。]{0,16}(?:遵照|贯彻|参照|照此|按照|结合实际)[^。]{0,16}(?:执行|落实|办理)|以上(?:意见|请示|报告)[^。]{0,24})[\W_]*"
)
DAY_PATTERN = re.compile(
    r"[\W_]*(?:\d{4}|[一二三四五六七八九十〇○零]{4})\s*[年./-][\s\d一二三四五六七八九十月./-]{1,12}日?[\W_]*"
)
LONGEST_SIGNER = 24  # characters of a line that may name who signs
SENTENCE_ENDS = "。！？；"
LONGEST_LINE = 400  # letters of a line that is no paragraph of its own


class Boilerplate:
    """The boilerplate ``lines`` of one site, and the lines of its latest articles that may become some.

    >>> site = Boilerplate()
    >>> learned = [site.learn(f"第{n}条新闻。\\n扫码关注本报") for n in range(5)]
    >>> learned[-1], site.without("又一条新闻。\\n扫码关注本报")
    (('扫码关注本报',), '又一条新闻。')
    """

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self.lines = set(lines)
        # memory _latest: lines around the texts of ARTICLES_REMEMBERED articles of a site, each up to LONGEST_LINE letters
        self._latest: deque[tuple[int, tuple[str, ...]]] = deque()  # the hashes of the texts, and the edges of each
        self._counts: Counter[str] = Counter()

    def learn(self, text: str) -> tuple[str, ...]:
        """Take an article's text into account, as it was read; returns the lines that it made boilerplate.

        The same text on another page counts once.
        """
        key = hash(text)
        if any(key == other for other, _ in self._latest):
            return ()
        edges = tuple({line: None for line in _edges(text.split("\n")) if line not in self.lines})
        self._latest.append((key, edges))
        self._counts.update(edges)
        if len(self._latest) > ARTICLES_REMEMBERED:
            self._forget(self._latest.popleft()[1])
        least = max(FEWEST_ARTICLES, SHARE_OF_ARTICLES * len(self._latest))
        result = tuple(line for line in edges if self._counts[line] >= least)
        self.lines.update(result)
        return result

    def _forget(self, edges: Iterable[str]) -> None:
        self._counts.subtract(edges)
        for line in edges:
            if not self._counts[line]:
                del self._counts[line]

    def without(self, text: str) -> str:
        """The text without boilerplate lines at its edges; unchanged if nothing would be left."""
        if not self.lines:
            return text
        lines = text.split("\n")
        start, end = 0, len(lines)
        while start < end and start < HEAD_LINES and lines[start] in self.lines:
            start += 1
        tail_start = max(start, end - TAIL_LINES)
        while end > tail_start and lines[end - 1] in self.lines:
            end -= 1
        return "\n".join(lines[start:end]) or text


def without_boilerplate(article: Article, site: Boilerplate) -> Article:
    """The article without the boilerplate of its site."""
    text = site.without(article.text)
    if text == article.text:
        return article
    return replace(article, text=text, summary=summary_of(text.split("\n"), article.meta_description, article.title))


def _edges(lines: Sequence[str]) -> Iterable[str]:
    """The lines that may be the site's: the first without salutations, the last without signatures and formulas."""
    front = min(HEAD_LINES, len(lines))
    for line in lines[:front]:
        if line and len(line) <= LONGEST_LINE and not line.endswith(SALUTATION):
            yield line
    behind: list[str] = []
    signs = False  # what stands right below
    for line in reversed(lines[max(front, len(lines) - TAIL_LINES) :]):
        signs = DAY_PATTERN.fullmatch(line) is not None or (
            signs and len(line) <= LONGEST_SIGNER and line[-1:] not in SENTENCE_ENDS
        )
        if line and len(line) <= LONGEST_LINE and not signs and not FORMULA.fullmatch(line):
            behind.append(line)
    yield from reversed(behind)
