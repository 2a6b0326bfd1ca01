"""Finds sudden changes in how well a site's articles are read: the share without date, source, author or body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from newsspider.core.crawling.visit import SHORT_BODY
from newsspider.features.health.rules.channel_day import ChannelDay

LACKS = {
    "date": "without a date",
    "source": "without a source",
    "author": "without an author",
    "body": f"with fewer than {SHORT_BODY} characters",
}
SUDDEN_SHIFT = 0.25  # by which a share changes suddenly
SIGMAS = 4.0  # and by how many standard errors
LEAST_VARIANCE = 0.05  # of a share: articles of one day are alike
LEAST_BEFORE, LEAST_AFTER = 30, 12  # articles
AFTER_DAYS = 7  # for which a change is shown


class Quality(NamedTuple):
    """The articles that a site brought on a day, and how many of them lack each field."""

    day: int
    articles: int
    lacks: dict[str, int]


class QualityChange(NamedTuple):
    """A sudden change: the share of articles that lack a field before this day and from it on."""

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
    for day in days:
        if day.articles:
            articles[day.day] += day.articles
            lacks.setdefault(day.day, Counter()).update(day.lacks)
    return [Quality(day, articles[day], dict(lacks[day])) for day in sorted(articles)]


def quality_changes(site: str, days: Iterable[ChannelDay]) -> Iterator[QualityChange]:
    """The sudden changes within the last days, at most one for each field: the clearest."""
    rows = qualities(days)
    articles = list(accumulate((row.articles for row in rows), initial=0))
    for what in LACKS:
        lacking = list(accumulate((row.lacks.get(what, 0) for row in rows), initial=0))
        clear, at = max(((_clearness(articles, lacking, at), at) for at in range(1, len(rows))), default=(0.0, 0))
        if clear >= SIGMAS and rows[-1].day - rows[at].day < AFTER_DAYS:
            after = articles[-1] - articles[at]
            shares = lacking[at] / articles[at], (lacking[-1] - lacking[at]) / after
            yield QualityChange(site, what, rows[at].day, *shares, after)


def _clearness(articles: Sequence[int], lacking: Sequence[int], at: int) -> float:
    """By how many standard errors the share from the day ``at`` on differs from that before; 0 if the difference is
    small, or if there are few articles. ``articles`` and ``lacking`` are running sums, starting with 0."""
    earlier, later = articles[at], articles[-1] - articles[at]
    if earlier < LEAST_BEFORE or later < LEAST_AFTER:
        return 0.0
    share_before, share_after = lacking[at] / earlier, (lacking[-1] - lacking[at]) / later
    share = lacking[-1] / articles[-1]
    error = sqrt(max(share * (1 - share), LEAST_VARIANCE) * (1 / earlier + 1 / later))
    return abs(share_after - share_before) / error if abs(share_after - share_before) >= SUDDEN_SHIFT else 0.0
