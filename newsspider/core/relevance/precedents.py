"""Remembers how articles were judged, by their titles: a title that differs from an off-topic one only in names and
numbers ("台风登陆，…发布红色预警") is off topic, too.

Titles are compared by the resemblance of their character bigrams, |A ∩ B| / |A ∪ B| (Broder, "On the resemblance and
containment of documents", 1997); numbers are equal and punctuation is ignored. Identical bigrams on the same site are
a column ("早间新闻精选（11月3日）") or a stock phrase ("点击阅读全文"), and are no precedent.

Candidates are found by prefix filtering (Chaudhuri, Ganti and Kaushik, "A primitive operator for similarity joins in
data cleaning", 2006): a title that shares n of the bigrams has at least one that is not among the n - 1 most common,
so only the rarer ones are looked up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

from newsspider.core.text.chinese_characters import plain

RESEMBLANCE = 0.3  # from here a title is a precedent
LONGEST_TITLE = 100  # characters of a title that count: some anchors hold whole articles
MOST_TITLES = 10_000  # titles in memory; when full, the older half is dropped
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MARKS = re.compile(r"[\W_]+")


class _Title(NamedTuple):
    title: str
    site: str
    on_topic: bool


class _Index:
    """An inverted index of titles by character bigram."""

    def __init__(self, titles: Iterable[_Title] = ()) -> None:
        self.members: set[_Title] = set()
        self.titles: list[tuple[_Title, int]] = []  # with their number of bigrams, oldest first
        self.postings: dict[str, list[int]] = {}  # from a bigram to the positions of the titles that have it
        for title in titles:
            self.add(title)

    def add(self, title: _Title) -> None:
        """Add a title. The title is appended before its postings, so that threads may read at any moment."""
        pairs = pairs_of(title.title)
        self.members.add(title)
        self.titles.append((title, len(pairs)))
        for pair in pairs:
            self.postings.setdefault(pair, []).append(len(self.titles) - 1)


class Precedents:
    """Titles of articles that were judged, on topic or off; threads may query while one adds."""

    def __init__(self, most: int = MOST_TITLES) -> None:
        self._most = most
        self._index = _Index()  # memory: titles that were read, of at most LONGEST characters: MOST titles

    def add(self, title: str, site: str, *, on_topic: bool) -> None:
        """Remember the title of an article of a site."""
        judged = _Title(title[:LONGEST_TITLE], site, on_topic)
        if judged in self._index.members:
            return
        if len(self._index.titles) >= self._most:
            self._index = _Index(older for older, _ in self._index.titles[-(self._most // 2) :])
        self._index.add(judged)

    def against(self, title: str, site: str) -> str:
        """The most similar off-topic title that is a precedent for this title on this site; empty if there is none, or
        if one that was on topic resembles it too.

        >>> precedents = Precedents()
        >>> precedents.add("台风“海鸥”登陆，平岭市发布红色预警", "甲", on_topic=False)
        >>> precedents.against("台风“白鹿”登陆，平岭市发布橙色预警", "甲")
        '台风“海鸥”登陆，平岭市发布红色预警'
        """
        index, pairs = self._index, pairs_of(title)
        least_shared = ceil(RESEMBLANCE * len(pairs))
        postings = sorted((index.postings.get(pair, ()) for pair in pairs), key=len)
        candidates = set().union(*postings[: len(postings) - least_shared + 1]) if pairs else set()
        shared = Counter(position for positions in postings for position in positions if position in candidates)
        nearest, best = 0.0, ""
        for position, count in shared.items():
            precedent, size = index.titles[position]
            resemblance = count / (len(pairs) + size - count)
            if resemblance < RESEMBLANCE:
                continue
            if precedent.on_topic:
                return ""
            if resemblance > nearest and (resemblance < 1 or precedent.site != site):
                nearest, best = resemblance, precedent.title
        return best


def pairs_of(title: str) -> frozenset[str]:
    """The character bigrams of a title, by which titles are compared.

    >>> sorted(pairs_of("亩产增加26.5公斤!"))
    ['0公', '产增', '亩产', '公斤', '加0', '增加']
    """
    letters = _MARKS.sub("", _NUMBER.sub("0", plain(title[:LONGEST_TITLE])))
    return frozenset(letters[at : at + 2] for at in range(len(letters) - 1))
