"""Decides which list pages that a crawl came across are worth watching, how heavy each would be, and which say nothing new.

A list is judged by those of its articles that were read. Of few of them the share on topic is a matter of chance, so the lower bound of
Wilson's interval stands for it: one of one is worth less than four of five. A crawl that chooses reads the better articles of a list
first; what it left unread is taken to be poorer. A list is worth that share, the more the oftener it brings something. The worthiest is
taken first; another is dropped if nearly all that it may add is shown by those taken before it.

Source: Wilson, "Probable inference, the law of succession, and statistical inference" (1927); Brown, Cai and DasGupta, "Interval
estimation for a binomial proportion" (2001), who recommend that interval for small numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from math import sqrt
from typing import NamedTuple

from newsspider.core.channel_urls import choices_of, is_choice, is_further_page, is_search
from newsspider.core.fingerprint import normalised
from newsspider.core.first_source import Copy, first_source
from newsspider.core.model import Kind
from newsspider.core.traps import trap_of
from newsspider.core.url import host_of, site_domain

CONFIDENT = 1.96  # standard errors: the true share lies below the bound in one case of forty
DAY = 86_400
YOUNGEST = 3600  # seconds: pages that tell the day alone, or a moment to come, say no more
LEAST_SPAN = 3600  # seconds between two readings of a list, to tell a rate
PASSED_OVER = 0.25  # share on topic of what a choosing crawl left unread, in that of what it read; 0.26 on the sample portal
NEARLY_ALL = 0.8  # of what a list may add, shown by better ones
MOST_A_SITE = 10  # lists
MOST_CHOICES = 3  # lists by tag or query string, of one kind
UNKNOWN_RATE = 1.0  # articles a day of a list that does not tell
ORIGINAL = 0.5  # share of its articles from which on a list is no reprinter
HEAVIEST = 8  # what is above, people give: such a source is known to be binding or the first


class LeftOut(StrEnum):
    """Why a list is not suggested."""

    WATCHED = "watched already"
    TRAP = "trap"
    SEARCH = "answer to a search"
    FURTHER = "further page of another list"
    FEW = "too few articles read or on topic"
    IMPURE = "too small a share on topic"
    STALE = "too seldom anything new"
    REPEATED = "shown by better lists"
    CROWDED = "one of too many of its site"


class Kept(NamedTuple):
    """An article on topic that a list shows."""

    published_at: float | None = None  # seconds since the epoch
    original: bool = True
    kind: Kind = Kind.ARTICLE
    text: int | None = None  # a number that URLs with the same text have in common


@dataclass(frozen=True, slots=True)
class Listed:
    """A list page as a crawl read it; its articles are those of its own site, each by the key of its URL."""

    url: str
    kind: Kind
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
        ages = [self.visited_at - article.published_at for article in self.kept.values() if article.published_at is not None]
        if ages:
            return rate_of(ages) * len(self.kept) / len(ages)
        span = self.visited_at - (self.visited_at if self.first_visit_at is None else self.first_visit_at)
        return self.later / span * DAY if span >= LEAST_SPAN else None

    @property
    def worth(self) -> float:
        """0-1: the cautious share, halved for a list that brings one article a day, undiminished for one that brings many."""
        a_day = self.a_day
        rate = UNKNOWN_RATE if a_day is None else a_day
        return self.least_share * rate / (rate + 1)

    @property
    def weight(self) -> int:
        """The weight of such a channel, 1-8: one more than seven times its worth; one less if it mostly reprints."""
        weight = 1 + round((HEAVIEST - 1) * self.worth)
        return max(1, weight - (self.original < ORIGINAL))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a list must have to be suggested."""

    share: float = 0.3  # at least, cautiously estimated
    articles: int = 5  # read
    a_day: float = 0.03  # one a month; a list that does not tell passes


@dataclass(frozen=True, slots=True)
class Suggested:
    """The lists that are worth watching by registered domain, the worthiest first, and how many are not, by reason."""

    sites: tuple[tuple[Listed, ...], ...]
    left_out: Counter[LeftOut] = field(default_factory=Counter)


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


def may_do(kept: int, at_least: Thresholds) -> bool:
    """Whether a list that shows so many articles on topic can have the share that is asked for, however few others it shows.

    >>> may_do(3, Thresholds()), may_do(4, Thresholds())
    (False, True)
    """
    return kept > 0 and least_share(kept, max(kept, at_least.articles)) >= at_least.share


def rate_of(ages: Iterable[float]) -> float:
    """Articles a day of a list that shows articles of these ages in seconds, told by the younger half: old ones that are kept on top
    make it no slower, and one that nothing was added to for long is slow.

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


def suggested(
    lists: Iterable[Listed], today: date, watched: Container[str] = (), had: Set[int] = frozenset(), at_least: Thresholds | None = None
) -> Suggested:
    """The lists that are worth watching beside those that are ``watched`` (canonical URLs), whose articles we have ``had`` (keys)."""
    at_least = at_least or Thresholds()
    left_out: Counter[LeftOut] = Counter()
    good: list[Listed] = []
    taken = _Taken(had)
    for listed in lists:
        reason = LeftOut.WATCHED if listed.url in watched else unfit(listed, today, at_least)
        if reason is None:
            good.append(listed)
            continue
        left_out[reason] += 1
        if reason is LeftOut.WATCHED:
            taken.cover(listed)
    for listed in sorted(good, key=_order):
        reason = taken.crowd_out(listed)
        if reason is None:
            taken.add(listed)
        else:
            left_out[reason] += 1
    ordered = sorted(taken.sites.values(), key=lambda found: -sum(listed.worth for listed in found))
    return Suggested(tuple(map(tuple, ordered)), left_out)


def unfit(listed: Listed, today: date, at_least: Thresholds) -> LeftOut | None:
    """Why a list is no good, whatever others there are; ``None`` if it is good."""
    if trap_of(listed.url, today) is not None:
        return LeftOut.TRAP
    if is_search(listed.url):
        return LeftOut.SEARCH
    if listed.further or is_further_page(listed.url, listed.anchor):
        return LeftOut.FURTHER
    if listed.read < at_least.articles:
        return LeftOut.FEW
    if not listed.kept or listed.least_share < at_least.share:
        return LeftOut.IMPURE
    a_day = listed.a_day
    return LeftOut.STALE if a_day is not None and a_day < at_least.a_day else None


def _order(listed: Listed) -> tuple[bool, float, bool, int, str]:
    """Sections before choices; then the worthiest; of equals the feed, then the shorter URL."""
    return is_choice(listed.url), -listed.worth, listed.kind is not Kind.FEED, len(listed.url), listed.url


class _Taken:
    """The lists that were taken so far, and what they show."""

    def __init__(self, had: Set[int]) -> None:
        self.sites: dict[str, list[Listed]] = {}
        self._articles = set(had)
        self._texts: set[tuple[str, int | None]] = set()  # by site: its lists for telephones have URLs of their own
        self._choices: Counter[str] = Counter()

    def crowd_out(self, listed: Listed) -> LeftOut | None:
        """Why a list is not to be taken too; ``None`` if it is."""
        may_add = listed.shown - listed.refused
        if sum(self._covers(listed, key) for key in may_add) >= NEARLY_ALL * len(may_add):
            return LeftOut.REPEATED
        of_kind = self._choices[choices_of(listed.url)] if is_choice(listed.url) else 0
        of_site = len(self.sites.get(_domain(listed), ()))
        return LeftOut.CROWDED if of_kind >= MOST_CHOICES or of_site >= MOST_A_SITE else None

    def add(self, listed: Listed) -> None:
        """Take a list."""
        self.sites.setdefault(_domain(listed), []).append(listed)
        self._choices[choices_of(listed.url)] += is_choice(listed.url)
        self.cover(listed)

    def cover(self, listed: Listed) -> None:
        """What this list shows need not be shown by another."""
        self._articles |= listed.shown
        self._texts |= {(_domain(listed), article.text) for article in listed.kept.values() if article.text is not None}

    def _covers(self, listed: Listed, key: int) -> bool:
        article = listed.kept.get(key)
        return key in self._articles or (article is not None and (_domain(listed), article.text) in self._texts)


def _domain(listed: Listed) -> str:
    return site_domain(host_of(listed.url))
