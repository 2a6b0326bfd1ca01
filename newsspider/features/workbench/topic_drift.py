"""The share of each site's articles that a topic kept, week by week, and whether it drifts.

A changed share means that the site covers other subjects, that a channel was redesigned, or that the topic profile no
longer fits. A week is compared with all weeks before it by the two-proportion z-test.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import sqrt

from sqlalchemy import Connection

from newsspider.store.engine.statement import Statement

MIN_EARLIER_ARTICLES = 20  # before that, no week is tested
MIN_WEEK_ARTICLES = 5
MAX_STANDARD_ERRORS = 3.0  # exceeded by chance once in several hundred weeks
WEEK = 604_800
MONDAY = 3 * 86_400 + 8 * 3600  # the epoch began on a Thursday, and in Shanghai eight hours earlier

_KEPT = Statement(
    f"""
    SELECT u.site, (CAST(floor(u.added_at) AS BIGINT) + {MONDAY}) / {WEEK} AS week, count(*) AS articles
    FROM article_urls u JOIN articles a ON a.id = u.article_id
    WHERE a.topic = :topic AND u.added_at >= :since GROUP BY 1, 2
    """
)
_REFUSED = Statement(
    f"""
    SELECT site, (CAST(floor(last_fetched_at) AS BIGINT) + {MONDAY}) / {WEEK} AS week, count(*) AS articles
    FROM urls WHERE reason = 'off_topic' AND topic = :topic AND last_fetched_at >= :since GROUP BY 1, 2
    """
)


def weekly_figures(conn: Connection, topic: str, now: float, count: int) -> dict[str, list[Week]]:
    """By site, those of the last ``count`` weeks in which anything was read, oldest first, the present one last."""
    first = (int(now) + MONDAY) // WEEK - count + 1
    values = {"topic": topic, "since": float(first * WEEK - MONDAY)}
    counts: defaultdict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    for place, statement in enumerate((_KEPT, _REFUSED)):
        for row in statement.run(conn, values):
            counts[row.site, int(row.week)][place] += row.articles
    weeks_of_site: defaultdict[str, list[Week]] = defaultdict(list)
    for (site, week), (articles, refused) in sorted(counts.items()):
        weeks_of_site[site].append(Week(site, float(week * WEEK - MONDAY), articles, refused))
    return {site: list(drift(site_weeks)) for site, site_weeks in weeks_of_site.items()}


@dataclass(frozen=True, slots=True)
class Week:
    """The articles of a site that were judged in one week; ``start`` is Monday 00:00 in Shanghai, as a Unix time."""

    site: str
    start: float
    kept: int
    refused: int
    drifted: bool = False

    @property
    def share(self) -> float:
        """The share of articles that were kept."""
        return self.kept / (self.kept + self.refused)


def drift(weeks: Iterable[Week]) -> Iterator[Week]:
    """The weeks of one site, oldest first, each marked if it differs from all before it."""
    total_kept = total_read = 0
    for week in weeks:
        yield replace(week, drifted=differs(week, total_kept, total_read))
        total_kept, total_read = total_kept + week.kept, total_read + week.kept + week.refused


def differs(week: Week, earlier_kept: int, earlier_read: int) -> bool:
    """Whether the share of a week differs significantly from ``earlier_kept`` out of ``earlier_read``.

    >>> differs(Week("a", 0.0, 5, 25), 80, 100), differs(Week("a", 0.0, 22, 8), 80, 100)
    (True, False)
    """
    week_articles = week.kept + week.refused
    if earlier_read < MIN_EARLIER_ARTICLES or week_articles < MIN_WEEK_ARTICLES:
        return False
    pooled = (earlier_kept + week.kept) / (earlier_read + week_articles)
    standard_error = sqrt(pooled * (1 - pooled) * (1 / earlier_read + 1 / week_articles))
    return standard_error > 0 and abs(week.share - earlier_kept / earlier_read) > MAX_STANDARD_ERRORS * standard_error
