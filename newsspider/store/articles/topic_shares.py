"""The share of each site's articles that a topic kept, week by week."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import Connection

from newsspider.core.relevance.topic_share import Week, drift
from newsspider.store.engine.statement import Statement

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


def weeks(conn: Connection, topic: str, now: float, count: int) -> dict[str, list[Week]]:
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
