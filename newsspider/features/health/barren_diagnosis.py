"""Which sources never brought anything, by the days of their channels: the question of a fresh installation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from sqlalchemy import Connection, select

from newsspider.core.crawling.outcome import reason_and_detail
from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import Reason, State
from newsspider.core.url import host_of, url_key
from newsspider.features.health import stored_channel_days
from newsspider.features.health.rules.channel_day import ChannelDay
from newsspider.features.health.rules.failed_visits import Run
from newsspider.features.health.rules.states import Health
from newsspider.features.health.rules.visit_diagnosis import VisitHealth, visit_health
from newsspider.hooks import BarrenSource
from newsspider.store.tables import channels, urls


def barren_of(conn: Connection, sites: Set[str], now: float) -> list[BarrenSource]:
    """Those of these sites that never brought anything, by name."""
    results = []
    for site in sorted(sites - stored_channel_days.sites_with_articles(conn, now)):
        visit = why_barren(stored_channel_days.days(conn, site, now))
        if visit is not None and visit.health is Health.ROBOTS_CLOSED:
            visit = _robots_failure(conn, site) or visit
        if visit is not None:
            results.append(BarrenSource(site, str(visit.health), visit.evidence))
    return results


def why_barren(days: Mapping[str, Sequence[ChannelDay]]) -> VisitHealth | None:
    """Why a site never brought anything, from the days of each channel; ``None`` if it did, or if it only had nothing
    on the topic. What most channels show counts, and of equals the first."""
    all_days = [day for of_channel in days.values() for day in of_channel]
    if any(day.articles for day in all_days):
        return None
    was_read = any(day.looks or (day.good_slots and not day.lists.visits) for day in all_days)
    last = [of_channel[-1] for of_channel in days.values() if of_channel]
    runs = [run for run in ((day.pages if was_read else day.lists) for day in last) if run.visits]
    if runs:
        return _most(runs)
    return None if was_read else VisitHealth(Health.UNWATCHED, "it was not asked yet")


def _most(runs: Sequence[Run]) -> VisitHealth:
    state = Counter(run.most for run in runs).most_common(1)[0][0]
    return VisitHealth(state, next(run.evidence for run in runs if run.most is state))


def _robots_failure(conn: Connection, site: str) -> VisitHealth | None:
    """Why a robots.txt of a site could not be had; ``None`` if it was."""
    lists = conn.execute(select(channels.c.url).where(channels.c.site == site)).scalars()
    keys = {url_key("{}://{}/robots.txt".format(url.partition("://")[0], host_of(url))) for url in lists}
    columns = urls.c.reason, urls.c.detail, urls.c.last_status
    rows = conn.execute(select(*columns).where(urls.c.key.in_(sorted(keys)) & (urls.c.failures > 0)))
    for row in rows:
        settlement = Settlement(State.ERROR, Reason(row.reason), status=row.last_status, detail=row.detail)
        if (visit := visit_health(settlement)) is not None:
            why = f"HTTP status {row.last_status}" if row.last_status else reason_and_detail(settlement)[0].sentence
            return visit._replace(evidence=f"robots.txt: {why}")
    return None
