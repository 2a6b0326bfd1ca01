"""Source discovery: decides which list pages that a crawl found are worth watching, and suggests them.

The most valuable list is chosen first; another is dropped if the lists chosen before show nearly everything that it may
add. :mod:`newsspider.features.explore.rules.list_value` defines the value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Set
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from newsspider.core.fetching.traps import trap_of
from newsspider.core.model import PageType
from newsspider.core.url import host_of, site_domain
from newsspider.features.explore.rules.channel_urls import choices_of, is_choice, is_further_page, is_search
from newsspider.features.explore.rules.list_value import ReadList, least_share

NEARLY_ALL = 0.8  # share of a list's articles that better lists show
MOST_A_SITE = 10  # lists
WORTH_DIGITS = 2  # decimals of the value in which lists must differ
MOST_CHOICES = 3  # lists of one kind by tag or query string


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


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The requirements for a suggestion."""

    share: float = 0.3  # least share on topic, as a lower bound
    articles: int = 5  # read
    a_day: float = 0.03  # one a month; an unknown rate passes


@dataclass(frozen=True, slots=True)
class Suggested:
    """The suggested lists by registered domain, best first, and the number of others by reason."""

    sites: tuple[tuple[ReadList, ...], ...]
    left_out: Counter[LeftOut] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Had:
    """What the watched lists have shown: URL keys, and texts with the registered domain."""

    keys: Set[int] = frozenset()
    texts: Set[tuple[str, int]] = frozenset()


def may_do(on_topic: int, at_least: Thresholds) -> bool:
    """Whether a list with this many on-topic articles can reach the required share, however few others it shows.

    >>> may_do(3, Thresholds()), may_do(4, Thresholds())
    (False, True)
    """
    return on_topic > 0 and least_share(on_topic, max(on_topic, at_least.articles)) >= at_least.share


def suggest_lists(
    lists: Iterable[ReadList],
    today: date,
    watched: Container[str] = (),
    had: Had | None = None,
    at_least: Thresholds | None = None,
) -> Suggested:
    """The lists worth watching besides the ``watched`` ones (canonical URLs), which have shown ``had``."""
    at_least = at_least or Thresholds()
    left_out: Counter[LeftOut] = Counter()
    good: list[ReadList] = []
    chosen = _Chosen(had or Had())
    for listed in lists:
        reason = LeftOut.WATCHED if listed.url in watched else unfit(listed, today, at_least)
        if reason is None:
            good.append(listed)
            continue
        left_out[reason] += 1
        if reason is LeftOut.WATCHED:
            chosen.cover(listed)
    for listed in sorted(good, key=_order):
        reason = chosen.crowd_out(listed)
        if reason is None:
            chosen.add(listed)
        else:
            left_out[reason] += 1
    ordered = sorted(chosen.sites.values(), key=lambda site_lists: -sum(listed.worth for listed in site_lists))
    return Suggested(tuple(map(tuple, ordered)), left_out)


def unfit(listed: ReadList, today: date, at_least: Thresholds) -> LeftOut | None:
    """Why a list is unsuitable, regardless of others; ``None`` if it is suitable."""
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


def _order(listed: ReadList) -> tuple[bool, float, bool, int, str]:
    """Sections before choices, then by value; among about equal ones feeds first, then the shorter URL."""
    return (
        is_choice(listed.url),
        -round(listed.worth, WORTH_DIGITS),
        listed.kind is not PageType.FEED,
        len(listed.url),
        listed.url,
    )


class _Chosen:
    """The lists chosen so far, and what they show."""

    def __init__(self, had: Had) -> None:
        self.sites: dict[str, list[ReadList]] = {}
        self._articles = set(had.keys)
        # by site: its mobile lists have their own URLs
        self._texts: set[tuple[str, int | None]] = set(had.texts)
        self._choices: Counter[str] = Counter()

    def crowd_out(self, listed: ReadList) -> LeftOut | None:
        """Why a list is not chosen in addition; ``None`` if it is."""
        may_add = listed.shown - listed.refused
        if sum(self._covers(listed, key) for key in may_add) >= NEARLY_ALL * len(may_add):
            return LeftOut.REPEATED
        of_kind = self._choices[choices_of(listed.url)] if is_choice(listed.url) else 0
        of_site = len(self.sites.get(_domain(listed), ()))
        return LeftOut.CROWDED if of_kind >= MOST_CHOICES or of_site >= MOST_A_SITE else None

    def add(self, listed: ReadList) -> None:
        """Choose a list."""
        self.sites.setdefault(_domain(listed), []).append(listed)
        self._choices[choices_of(listed.url)] += is_choice(listed.url)
        self.cover(listed)

    def cover(self, listed: ReadList) -> None:
        """Mark what this list shows as covered."""
        self._articles |= listed.shown
        self._texts |= {(_domain(listed), article.text) for article in listed.kept.values() if article.text is not None}

    def _covers(self, listed: ReadList, key: int) -> bool:
        article = listed.kept.get(key)
        return key in self._articles or (article is not None and (_domain(listed), article.text) in self._texts)


def _domain(listed: ReadList) -> str:
    return site_domain(host_of(listed.url))
