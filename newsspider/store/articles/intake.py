"""Counts the stored articles by site and hour."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from newsspider.store.tables import articles

HOURS = 24
_SITE = articles.c.site + ""  # grouped by the bare column, SQLite would read all articles in the order of its index


def by_site_and_hour(conn: Connection, now: float) -> dict[str, list[int]]:
    """How many articles of each site were stored in each of the last :data:`HOURS` hours, the present one last."""
    first = (int(now) // 3600 - HOURS + 1) * 3600
    hour = (articles.c.crawled_ts - first) // 3600
    counts: dict[str, list[int]] = {}
    counted = select(_SITE.label("of"), hour.label("hour"), func.count()).where(articles.c.crawled_ts >= first)
    for site, place, count in conn.execute(counted.group_by("of", "hour")):
        if place < HOURS:  # else the clock was set back since
            counts.setdefault(site, [0] * HOURS)[place] = count
    return counts
