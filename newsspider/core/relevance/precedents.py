"""What became of articles whose titles said nearly the same: news repeats itself ("台风登陆，…发布红色预警"), and a title that was
off topic under other names and numbers will be so again.

Titles are compared by the resemblance of their pairs of characters, |A ∩ B| / |A ∪ B| (Broder, "On the resemblance and
containment of documents", 1997), numbers being equal and marks left out. The same pairs on the same site again are a
column ("早间新闻精选（11月3日）") or what many of its links say ("点击阅读全文"): what one of them led to says nothing of the next.
Only what can share enough pairs is looked at: one that shares n of the pairs of a title with it holds one of any that
are left when n - 1 are put aside (prefix filtering: Chaudhuri, Ganti and Kaushik, "A primitive operator for similarity
joins in data cleaning", 2006), so the most common ones are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

from newsspider.core.text.script import plain

RESEMBLANCE = 0.3  # from which on a title is a precedent
LONGEST = 100  # characters of a title that count: some links bear whole articles
MOST = 10_000  # titles that are remembered; of so many, the older half is forgotten
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MARKS = re.compile(r"[\W_]+")


class _Title(NamedTuple):
    title: str
    site: str
    on_topic: bool


class _Index:
    """Titles and where each pair of characters stands among them."""

    def __init__(self, titles: Iterable[_Title] = ()) -> None:
        self.known: set[_Title] = set()
        self.read: list[tuple[_Title, int]] = []  # and of how many pairs it is, the oldest first
        self.holding: dict[str, list[int]] = {}  # by pair, the places of the titles that have it
        for each in titles:
            self.add(each)

    def add(self, one: _Title) -> None:
        """Add a title; what is held is there to read, for a thread may look at any moment."""
        pairs = pairs_of(one.title)
        self.known.add(one)
        self.read.append((one, len(pairs)))
        for pair in pairs:
            self.holding.setdefault(pair, []).append(len(self.read) - 1)


class Precedents:
    """Titles that were read, those on topic and those that are not; threads may ask while one adds."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._index = _Index()

    def add(self, title: str, site: str, *, on_topic: bool) -> None:
        """Remember a title that was read on a site."""
        one = _Title(title[:LONGEST], site, on_topic)
        if one in self._index.known:
            return
        if len(self._index.read) >= self._most:
            self._index = _Index(each for each, _ in self._index.read[-(self._most // 2) :])
        self._index.add(one)

    def against(self, title: str, site: str) -> str:
        """The most alike of the titles that were off topic, if one is a precedent for this title on this site and none
        that was on topic is; else empty.

        >>> precedents = Precedents()
        >>> precedents.add("台风“海鸥”登陆，平岭市发布红色预警", "甲", on_topic=False)
        >>> precedents.against("台风“白鹿”登陆，平岭市发布橙色预警", "甲")
        '台风“海鸥”登陆，平岭市发布红色预警'
        """
        index, pairs = self._index, pairs_of(title)
        fewest = ceil(RESEMBLANCE * len(pairs))
        holding = sorted((index.holding.get(pair, ()) for pair in pairs), key=len)
        looked_at = set().union(*holding[: len(holding) - fewest + 1]) if pairs else set()
        shared = Counter(place for places in holding for place in places if place in looked_at)
        nearest, found = 0.0, ""
        for place, count in shared.items():
            one, size = index.read[place]
            resemblance = count / (len(pairs) + size - count)
            if resemblance < RESEMBLANCE:
                continue
            if one.on_topic:
                return ""
            if resemblance > nearest and (resemblance < 1 or one.site != site):
                nearest, found = resemblance, one.title
        return found


def pairs_of(title: str) -> frozenset[str]:
    """The pairs of characters of a title, by which it is compared.

    >>> sorted(pairs_of("亩产增加26.5公斤!"))
    ['0公', '产增', '亩产', '公斤', '加0', '增加']
    """
    letters = _MARKS.sub("", _NUMBER.sub("0", plain(title[:LONGEST])))
    return frozenset(letters[place : place + 2] for place in range(len(letters) - 1))
