"""Watches how well the articles of a site are read: the share without date, source, author, or with a short body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from newsspider.core.health.channel_day import SHORT_BODY, ChannelDay

LACKS = {"date": "without a date", "source": "without a source", "author": "without an author",
         "body": f"with fewer than {SHORT_BODY} characters"}  # fmt: skip
SHIFT = 0.25  # by which a share changes suddenly
SIGMAS = 4.0  # and by how many standard errors
LEAST_VARIANCE = 0.05  # of a share: articles of one day are alike
LEAST_BEFORE, LEAST_AFTER = 30, 12  # articles
AFTER_DAYS = 7  # a change is shown for so long


class Quality(NamedTuple):
    """The articles that a site brought on a day, and how many of them lack what."""

    day: int
    articles: int
    lacks: dict[str, int]


class Change(NamedTuple):
    """A sudden change: from this day on so many of the articles lack it, before so many did."""

    site: str
    lacks: str
    day: int
    before: float
    after: float
    articles: int

    @property
    def sentence(self) -> str:
        """For people."""
        return f"{self.after:.0%} of its articles are {LACKS[self.lacks]}, before {self.before:.0%}"


def qualities(days: Iterable[ChannelDay]) -> list[Quality]:
    """The days of the channels of a site, added up; days without articles are left out."""
    articles: Counter[int] = Counter()
    lacks: dict[int, Counter[str]] = {}
    for one in days:
        if one.articles:
            articles[one.day] += one.articles
            lacks.setdefault(one.day, Counter()).update(one.lacks)
    return [Quality(day, articles[day], dict(lacks[day])) for day in sorted(articles)]


def quality_changes(site: str, days: Iterable[ChannelDay]) -> Iterator[Change]:
    """What changed suddenly within the last days, at most one change of each kind: the clearest."""
    rows = qualities(days)
    articles = list(accumulate((row.articles for row in rows), initial=0))
    for what in LACKS:
        lacking = list(accumulate((row.lacks.get(what, 0) for row in rows), initial=0))
        clear, at = max(((_clearness(articles, lacking, at), at) for at in range(1, len(rows))), default=(0.0, 0))
        if clear >= SIGMAS and rows[-1].day - rows[at].day < AFTER_DAYS:
            after = articles[-1] - articles[at]
            shares = lacking[at] / articles[at], (lacking[-1] - lacking[at]) / after
            yield Change(site, what, rows[at].day, *shares, after)


def _clearness(articles: Sequence[int], lacking: Sequence[int], at: int) -> float:
    """By how many standard errors the share differs from this day on; 0 where it is little, or of few articles. The
    sums are those before each day, and of all days."""
    before, after = articles[at], articles[-1] - articles[at]
    if before < LEAST_BEFORE or after < LEAST_AFTER:
        return 0.0
    first, second = lacking[at] / before, (lacking[-1] - lacking[at]) / after
    share = lacking[-1] / articles[-1]
    error = sqrt(max(share * (1 - share), LEAST_VARIANCE) * (1 / before + 1 / after))
    return abs(second - first) / error if abs(second - first) >= SHIFT else 0.0
