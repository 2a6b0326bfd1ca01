"""Learns the lines that a site puts around the text of many articles, so that whoever reads its next page leaves them out.

A line at the edge of a text that stands there in article after article of one site is the site's, not the article's (Bar-Yossef
and Rajagopalan: Template Detection via Data Mining and its Applications, WWW 2002, for whole blocks). Only the edges are
looked at: a line between two paragraphs that nobody repeats belongs to the text.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from newsspider.core.model import Article
from newsspider.core.reading.summary import summary_of

REMEMBERED = 40  # articles of a site, the latest
ARTICLES = 5  # that must have a line, before it is the site's
SHARE = 0.2  # of the articles remembered that must have it
HEAD, TAIL = 2, 6  # lines that are the edges of a text
SALUTATION = ("：", ":")  # whoever a notice is addressed to stands above its text, time and again
LONGEST = 400  # letters of a line that is no paragraph of its own


class Boilerplate:
    """The lines of one site, known and suspected.

    >>> site = Boilerplate()
    >>> found = [site.learn(f"第{n}条新闻。\\n扫码关注本报") for n in range(5)]
    >>> found[-1], site.without("又一条新闻。\\n扫码关注本报")
    (('扫码关注本报',), '又一条新闻。')
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = set(known)
        self._latest: deque[tuple[str, tuple[str, ...]]] = deque()  # the texts, and the edges of each
        self._counts: Counter[str] = Counter()

    def learn(self, text: str) -> tuple[str, ...]:
        """Take an article's text into account, as it was read; returns the lines that are known from now on.

        The same text on another page is no second witness.
        """
        if any(text == other for other, _ in self._latest):
            return ()
        edges = tuple({line: None for line in _edges(text.split("\n")) if line not in self.known})
        self._latest.append((text, edges))
        self._counts.update(edges)
        if len(self._latest) > REMEMBERED:
            self._forget(self._latest.popleft()[1])
        least = max(ARTICLES, SHARE * len(self._latest))
        found = tuple(line for line in edges if self._counts[line] >= least)
        self.known.update(found)
        return found

    def _forget(self, edges: Iterable[str]) -> None:
        self._counts.subtract(edges)
        for line in edges:
            if not self._counts[line]:
                del self._counts[line]

    def without(self, text: str) -> str:
        """The text without the lines that are known, at its edges; as it is if nothing else would be left."""
        if not self.known:
            return text
        lines = text.split("\n")
        start, end = 0, len(lines)
        while start < end and start < HEAD and lines[start] in self.known:
            start += 1
        kept = max(start, end - TAIL)
        while end > kept and lines[end - 1] in self.known:
            end -= 1
        return "\n".join(lines[start:end]) or text


def bared(article: Article, site: Boilerplate) -> Article:
    """The article without the lines that are known of its site."""
    text = site.without(article.text)
    if text == article.text:
        return article
    return replace(article, text=text, summary=summary_of(text.split("\n"), article.meta_description, article.title))


def _edges(lines: Sequence[str]) -> Iterable[str]:
    """The lines that may be the site's: those in front that address nobody, and those behind."""
    front = min(HEAD, len(lines))
    for line in lines[:front]:
        if line and len(line) <= LONGEST and not line.endswith(SALUTATION):
            yield line
    for line in lines[max(front, len(lines) - TAIL) :]:
        if line and len(line) <= LONGEST:
            yield line
