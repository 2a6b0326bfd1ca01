"""The value of a list page that a crawl found: its share on topic, its rate, its share of original articles, and the
resulting channel weight.

A list is judged by those of its articles that were read. As the share of a few articles is partly chance, the lower
bound of Wilson's interval is used: one of one is worth less than four of five. A crawl that reads the most promising
articles first leaves poorer ones unread. The value is that share, higher for lists that publish more often.

Source: Wilson, "Probable inference, the law of succession, and statistical inference" (1927); Brown, Cai and
DasGupta, "Interval estimation for a binomial proportion" (2001), who recommend that interval for small numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from newsspider.core.duplicates.first_source import Copy, first_source
from newsspider.core.model import PageType
from newsspider.core.text.text_comparison import normalise_text

CONFIDENT_ERRORS = 1.96  # standard errors: the true share is below the bound in one case of forty
DAY = 86_400
YOUNGEST_SECONDS = 3600  # seconds: minimum age, as pages may state only the day, or a future time
LEAST_SPAN = 3600  # seconds between two visits of a list, to estimate a rate
# share on topic of unread articles relative to read ones in a crawl that chooses; 0.26 on the sample portal
UNREAD_RATIO = 0.25
UNKNOWN_RATE = 1.0  # articles a day of a list with an unknown rate
ORIGINAL_SHARE = 0.5  # share of original articles below which a list is a reprinter
HEAVIEST_LIST = 8  # higher weights are set by people, for sources known to be authoritative or first


class OnTopicArticle(NamedTuple):
    """An on-topic article on a list."""

    published_at: float | None = None  # seconds since the epoch
    original: bool = True
    kind: PageType = PageType.ARTICLE
    text: int | None = None  # an id shared by URLs with the same text


@dataclass(frozen=True, slots=True)
class ReadList:
    """A list page as a crawl read it, with the articles of its own site by URL key."""

    url: str
    kind: PageType
    visited_at: float  # last
    shown: frozenset[int]  # read or not
    kept: Mapping[int, OnTopicArticle]
    refused: frozenset[int] = frozenset()  # off topic
    title: str = ""
    anchor: str = ""  # the text of the link by which it was found
    further: bool = False  # a list links to it as its next page
    first_visit_at: float | None = None
    later: int = 0  # on-topic articles that appeared after its first visit
    choosing: bool = False  # the crawl read the most promising articles first

    @property
    def read(self) -> int:
        """How many of its articles were read."""
        return len(self.kept) + len(self.refused)

    @property
    def share(self) -> float:
        """The estimated share on topic of its articles."""
        return len(self.kept) / self.read * self._unread_factor if self.read else 0.0

    @property
    def least_share(self) -> float:
        """The same, as a lower bound."""
        return least_share(len(self.kept), self.read) * self._unread_factor

    @property
    def _unread_factor(self) -> float:
        """The share of all articles relative to those read: a crawl that chooses leaves the poorer ones."""
        if not self.choosing or not self.shown:
            return 1.0
        read = min(1.0, self.read / len(self.shown))
        return read + UNREAD_RATIO * (1 - read)

    @property
    def original(self) -> float:
        """The share of its on-topic articles that are not reprints."""
        return sum(article.original for article in self.kept.values()) / len(self.kept) if self.kept else 0.0

    @property
    def a_day(self) -> float | None:
        """New on-topic articles a day, at least; ``None`` if neither their times nor its visits show it."""
        ages = [
            self.visited_at - article.published_at for article in self.kept.values() if article.published_at is not None
        ]
        if ages:
            return rate_of(ages) * len(self.kept) / len(ages)
        span = self.visited_at - (self.visited_at if self.first_visit_at is None else self.first_visit_at)
        return self.later / span * DAY if span >= LEAST_SPAN else None

    @property
    def worth(self) -> float:
        """0-1: the lower bound of the share, halved for a list with one article a day, almost in full for many."""
        a_day = self.a_day
        rate = UNKNOWN_RATE if a_day is None else a_day
        return self.least_share * rate / (rate + 1)

    @property
    def weight(self) -> int:
        """The channel weight, 1-8: one more than seven times its value; one less if it mostly reprints."""
        weight = 1 + round((HEAVIEST_LIST - 1) * self.worth)
        return max(1, weight - (self.original < ORIGINAL_SHARE))


def least_share(on_topic: int, read: int, confident: float = CONFIDENT_ERRORS) -> float:
    """The lower bound of Wilson's interval of a share; 0 if nothing is on topic.

    >>> [round(least_share(*counts), 3) for counts in ((1, 1), (4, 5), (5, 5), (40, 50))]
    [0.207, 0.376, 0.566, 0.67]
    """
    if not on_topic:
        return 0.0
    share, square = on_topic / read, confident * confident
    middle = share + square / (2 * read)
    spread = confident * sqrt(share * (1 - share) / read + square / (4 * read * read))
    return max(0.0, (middle - spread) / (1 + square / read))


def rate_of(ages: Iterable[float]) -> float:
    """Articles a day of a list with articles of these ages in seconds, from the younger half, so that old pinned
    articles do not matter, and a list without recent articles is slow.

    >>> rate_of([86_400.0 * days for days in (0.5, 1, 1.5, 2, 900)])
    2.0
    """
    ordered = sorted(ages)
    count = (len(ordered) + 1) // 2
    return count / max(ordered[count - 1], YOUNGEST_SECONDS) * DAY


def original_of(copies: Sequence[Copy]) -> str | None:
    """The URL of the original among the pages with the same text: the first source, if it credits no other outlet."""
    first = first_source(copies)
    return None if first.source else first.url


def names_itself(source: str | None, titles: str) -> bool:
    """Whether the outlet that a page credits is its own site, judged by the titles of its pages.

    >>> names_itself("中国教育在线", "高考_中国教育在线"), names_itself("新华社", "高考_中国教育在线")
    (True, False)
    """
    return bool(source) and normalise_text(source or "") in normalise_text(titles)
