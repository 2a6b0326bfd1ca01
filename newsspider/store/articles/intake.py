"""Counts what came in: by the hour, and by site."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from newsspider.store.tables import articles

HOURS = 24
_SITE = articles.c.site + ""  # grouped by the column, SQLite would go through all articles by its index


def by_hour(conn: Connection, now: float) -> list[int]:
    """How many articles were stored in each of the last :data:`HOURS` hours, the present one last."""
    return [sum(counts) for counts in zip([0] * HOURS, *by_site_and_hour(conn, now).values(), strict=True)]


def by_site(conn: Connection, since: float) -> list[tuple[str, int]]:
    """How many articles each site brought since then, most first."""
    rows = select(_SITE.label("of"), func.count()).where(articles.c.crawled_ts >= int(since)).group_by("of")
    return sorted(((site, count) for site, count in conn.execute(rows)), key=lambda pair: (-pair[1], pair[0]))


def by_site_and_hour(conn: Connection, now: float) -> dict[str, list[int]]:
    """The same for each site that brought any."""
    first = (int(now) // 3600 - HOURS + 1) * 3600
    hour = (articles.c.crawled_ts - first) // 3600
    counts: dict[str, list[int]] = {}
    counted = select(_SITE.label("of"), hour.label("hour"), func.count()).where(articles.c.crawled_ts >= first)
    for site, place, count in conn.execute(counted.group_by("of", "hour")):
        if place < HOURS:  # the clock was not set back since
            counts.setdefault(site, [0] * HOURS)[place] = count
    return counts
