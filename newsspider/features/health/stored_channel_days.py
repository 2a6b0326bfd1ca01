"""The daily figures of channels. Each visit is added in the transaction that settles it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Connection

from newsspider.core.crawling.outcome import reason_and_detail
from newsspider.core.crawling.visit import ArticleObservation, ListObservation, Saved
from newsspider.core.model import PageType, Reason
from newsspider.features.health.rules.channel_day import ChannelDay, day_of
from newsspider.features.health.rules.states import Health
from newsspider.features.health.rules.visit_diagnosis import visit_health
from newsspider.store.engine.statement import Statement

KEPT_DAYS = 60
OF_ONE_PAGE = (Health.MOVED, Health.REDESIGNED)  # for one article no sign of its site: a redirect, a PDF, a 404

_LAST = Statement(
    """
    SELECT day, figures FROM channel_days WHERE site = :site AND channel = :channel AND day <= :last
    ORDER BY day DESC LIMIT 1 [FOR UPDATE]
    """
)
_KEEP = Statement(
    "INSERT INTO channel_days (site, channel, day, figures) VALUES (:site, :channel, :day, :figures)"
    " ON CONFLICT (site, channel, day) DO UPDATE SET figures = excluded.figures"
)
_FORGET = Statement(
    """
    DELETE FROM channel_days WHERE site = :site AND channel = :channel AND day < (SELECT min(day) FROM (
    SELECT day FROM channel_days WHERE site = :site AND channel = :channel ORDER BY day DESC LIMIT :kept) AS latest)
    """
)  # counted by rows, so that a clock that was wrong once deletes no more than one day
_DROP = Statement("DELETE FROM channel_days WHERE site = :site AND channel = :channel")
_DAYS = Statement(
    """
    SELECT channel, day, figures FROM channel_days
    WHERE site = :site AND day >= :first AND day <= :last ORDER BY channel, day
    """
)

_WITH_ARTICLES = Statement(
    "SELECT DISTINCT site FROM channel_days WHERE day >= :first AND day <= :last AND figures LIKE :articles"
)
_ARTICLES = '%"articles": %'  # in the JSON of a day: it has no zeros, and quotes inside its texts are escaped


def note(conn: Connection, pages: Sequence[Saved]) -> None:
    """Add these pages to the days of their channels; only pages of watched sites."""
    by_channel: defaultdict[tuple[str, str], list[Saved]] = defaultdict(list)
    for page in pages:
        lease = page.lease
        if lease.site and lease.channel and lease.kind is not PageType.ROBOTS and not page.crawl:
            by_channel[lease.site, lease.channel].append(page)
    channels = sorted(by_channel)
    names = [{"site": site, "channel": channel} for site, channel in channels]
    days = [day_of(by_channel[channel][0].now) for channel in channels]
    # later days come from a clock that was wrong
    stored = _LAST.run_each(conn, [values | {"last": day + 1} for values, day in zip(names, days, strict=True)])
    rows = []
    for channel, values, day, last in zip(channels, names, days, stored, strict=True):
        row, visits = last.first(), by_channel[channel]
        if row is None:
            today = ChannelDay(day)
        else:
            today = ChannelDay.of(row.day, row.figures)
            if today.day < day:  # after the clock was set back, the last day is continued
                today = today.next_day(day)
                _FORGET.change(conn, values | {"kept": KEPT_DAYS})
        for page in visits:
            _add(today, page)
        rows.append(values | {"day": today.day, "figures": today.text()})
    _KEEP.change_many(conn, rows)


def _add(today: ChannelDay, page: Saved) -> None:
    """Add one visit: a poll of the channel, a further page of its list, or an article."""
    lease = page.lease
    observation = page.result.effect(ListObservation)
    visit = visit_health(page.result.settlement, observation)
    reason, detail = reason_and_detail(page.result.settlement)
    if reason is Reason.GUARDED:
        today.met_guard(detail, page.now)
    if visit is not None and reason is Reason.UNCHANGED and lease.kind.polled:
        visit = today.lists.unchanged
    new = page.offered + page.refused if lease.fetch_count else 0  # on the first visit all links are new
    if lease.update_cycle is not None:
        if visit is not None and observation is not None and observation.elsewhere:
            today.leads_on(visit, page.now, new)
        elif visit is not None:
            # a news sitemap holds the news of two days, so a short one is no sign of trouble
            measured = observation if page.result.settlement.kind is not PageType.SITEMAP else None
            today.led = today.led and observation is None
            today.polled(visit, page.now, new, None if measured is None else measured.articles)
    elif lease.kind.polled:
        if visit is not None:
            today.led_to(visit, page.now, None if observation is None else observation.articles)
        today.brought(new, page.now)
    elif not lease.had_article and not lease.again:
        if visit is not None and visit.health not in OF_ONE_PAGE:
            today.pages.add(visit, page.now)
        if (article := page.result.effect(ArticleObservation)) is not None:
            today.read(article)


def drop(conn: Connection, site: str, names: Sequence[str]) -> None:
    """Delete the days of these channels."""
    _DROP.change_many(conn, [{"site": site, "channel": name} for name in names])


def days(conn: Connection, site: str, now: float) -> dict[str, list[ChannelDay]]:
    """The days of each channel of a site, the oldest first; days after tomorrow, from a wrong clock, are left out."""
    by_channel: defaultdict[str, list[ChannelDay]] = defaultdict(list)
    today = day_of(now)
    for row in _DAYS.run(conn, {"site": site, "first": today - KEPT_DAYS, "last": today + 1}):
        by_channel[row.channel].append(ChannelDay.of(row.day, row.figures))
    return by_channel


def sites_with_articles(conn: Connection, now: float) -> set[str]:
    """The sites with an article on any of the days; their figures are not decoded."""
    today = day_of(now)
    values = {"first": today - KEPT_DAYS, "last": today + 1, "articles": _ARTICLES}
    return {row.site for row in _WITH_ARTICLES.run(conn, values)}
