"""What a list page that a crawl came across is worth: its share on topic, its rate, whose its articles are, and the
weight that follows.

A list is judged by those of its articles that were read. Of few of them the share on topic is a matter of chance, so
the lower bound of Wilson's interval stands for it: one of one is worth less than four of five. A crawl that chooses
reads the better articles of a list first; what it left unread is taken to be poorer. A list is worth that share, the
more the oftener it brings something.

Source: Wilson, "Probable inference, the law of succession, and statistical inference" (1927); Brown, Cai and DasGupta,
"Interval estimation for a binomial proportion" (2001), who recommend that interval for small numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from newsspider.core.duplicates.first_source import Copy, first_source
from newsspider.core.model import PageType
from newsspider.core.text.fingerprint import normalised

CONFIDENT = 1.96  # standard errors: the true share lies below the bound in one case of forty
DAY = 86_400
YOUNGEST = 3600  # seconds: pages that tell the day alone, or a moment to come, say no more
LEAST_SPAN = 3600  # seconds between two readings of a list, to tell a rate
# share on topic of what a choosing crawl left unread, in that of what it read; 0.26 on the sample portal
PASSED_OVER = 0.25
UNKNOWN_RATE = 1.0  # articles a day of a list that does not tell
ORIGINAL = 0.5  # share of its articles from which on a list is no reprinter
HEAVIEST = 8  # what is above, people give: such a source is known to be binding or the first


class Kept(NamedTuple):
    """An article on topic that a list shows."""

    published_at: float | None = None  # seconds since the epoch
    original: bool = True
    kind: PageType = PageType.ARTICLE
    text: int | None = None  # a number that URLs with the same text have in common


@dataclass(frozen=True, slots=True)
class Listed:
    """A list page as a crawl read it; its articles are those of its own site, each by the key of its URL."""

    url: str
    kind: PageType
    visited_at: float  # last
    shown: frozenset[int]  # read or not
    kept: Mapping[int, Kept]
    refused: frozenset[int] = frozenset()  # off topic
    title: str = ""
    anchor: str = ""  # the text of the link by which it was found
    further: bool = False  # a page of a list names it as its next
    first_visit_at: float | None = None
    later: int = 0  # of those on topic, how many it showed only after its first visit
    choosing: bool = False  # the crawl read first what promised most

    @property
    def read(self) -> int:
        """How many of its articles were read."""
        return len(self.kept) + len(self.refused)

    @property
    def share(self) -> float:
        """The share on topic of what it shows, as far as what was read tells."""
        return len(self.kept) / self.read * self._untold if self.read else 0.0

    @property
    def least_share(self) -> float:
        """The same, estimated cautiously."""
        return least_share(len(self.kept), self.read) * self._untold

    @property
    def _untold(self) -> float:
        """The share of all articles in that of those that were read: a crawl that chooses leaves the poorer ones."""
        if not self.choosing or not self.shown:
            return 1.0
        read = min(1.0, self.read / len(self.shown))
        return read + PASSED_OVER * (1 - read)

    @property
    def original(self) -> float:
        """The share of its articles on topic that are no reprints."""
        return sum(article.original for article in self.kept.values()) / len(self.kept) if self.kept else 0.0

    @property
    def a_day(self) -> float | None:
        """New articles on topic a day, at least; ``None`` if neither their times nor its visits tell."""
        ages = [
            self.visited_at - article.published_at for article in self.kept.values() if article.published_at is not None
        ]
        if ages:
            return rate_of(ages) * len(self.kept) / len(ages)
        span = self.visited_at - (self.visited_at if self.first_visit_at is None else self.first_visit_at)
        return self.later / span * DAY if span >= LEAST_SPAN else None

    @property
    def worth(self) -> float:
        """0-1: the cautious share, halved for a list that brings one article a day, undiminished for one that brings
        many."""
        a_day = self.a_day
        rate = UNKNOWN_RATE if a_day is None else a_day
        return self.least_share * rate / (rate + 1)

    @property
    def weight(self) -> int:
        """The weight of such a channel, 1-8: one more than seven times its worth; one less if it mostly reprints."""
        weight = 1 + round((HEAVIEST - 1) * self.worth)
        return max(1, weight - (self.original < ORIGINAL))


def least_share(kept: int, read: int, confident: float = CONFIDENT) -> float:
    """The lower bound of Wilson's interval of a share; 0 where nothing was read.

    >>> [round(least_share(*each), 3) for each in ((1, 1), (4, 5), (5, 5), (40, 50))]
    [0.207, 0.376, 0.566, 0.67]
    """
    if not read:
        return 0.0
    share, square = kept / read, confident * confident
    middle = share + square / (2 * read)
    spread = confident * sqrt(share * (1 - share) / read + square / (4 * read * read))
    return max(0.0, (middle - spread) / (1 + square / read))


def rate_of(ages: Iterable[float]) -> float:
    """Articles a day of a list that shows articles of these ages in seconds, told by the younger half: old ones that
    are kept on top make it no slower, and one that nothing was added to for long is slow.

    >>> rate_of([86_400.0 * days for days in (0.5, 1, 1.5, 2, 900)])
    2.0
    """
    ordered = sorted(ages)
    count = (len(ordered) + 1) // 2
    return count / max(ordered[count - 1], YOUNGEST) * DAY


def original_of(copies: Sequence[Copy]) -> str | None:
    """The URL of the page whose own a text is, of all that show it: the first source, if it names no other outlet."""
    first = first_source(copies)
    return None if first.source else first.url


def names_itself(source: str | None, titles: str) -> bool:
    """Whether the outlet that a page names as its source is its own site, as the titles of its pages tell.

    >>> names_itself("中国教育在线", "高考_中国教育在线"), names_itself("新华社", "高考_中国教育在线")
    (True, False)
    """
    return bool(source) and normalised(source or "") in normalised(titles)
