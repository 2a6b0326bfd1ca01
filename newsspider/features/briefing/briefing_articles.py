"""The articles that a briefing is about: those of a time, a topic, a region and a query."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, or_, select

from newsspider.core.query.query_dates import ZONE
from newsspider.core.query.query_language import Query
from newsspider.core.text.regions import ABROAD, NATION, province_of, region_names, with_provinces
from newsspider.features.attention.counting import found_in
from newsspider.features.attention.rules.periods import PeriodLength, span_of
from newsspider.features.briefing.content import BriefingKind
from newsspider.features.events.detection_run import numbers_of
from newsspider.store.articles.article_filters import FINDABLE, MOMENT, THERE, Filters
from newsspider.store.engine.statement import rows_among
from newsspider.store.tables import articles, sites

LENGTHS = {BriefingKind.DAILY: timedelta(days=1), BriefingKind.WEEKLY: timedelta(weeks=1)}
LONGEST_GAP = 3  # lengths: where the last one is older, a briefing does not begin where that ended
LATE_AFTER = timedelta(days=2)
_WHOLE = {region_names()[code] for code in (NATION, ABROAD)}

_PAGES = """
    SELECT article_id, COALESCE(published_ts, added_at) AS moment FROM article_urls
    WHERE article_id IN ({keys}) AND NOT noindex
    """
_SUBTOPICS = "SELECT article_id, name FROM subtopics WHERE article_id IN ({keys}) ORDER BY article_id, name"


def since_of(kind: BriefingKind, last: datetime | None, until: datetime) -> datetime:
    """When a daily or weekly briefing begins: where the ``last`` one ended, so that nothing falls between them."""
    length = LENGTHS[kind]
    return last if last is not None and until - last <= LONGEST_GAP * length else until - length


@dataclass(frozen=True, slots=True)
class BriefingScope:
    """What a briefing is asked for: its kind, its time, and which articles. ``region`` is a short name."""

    kind: BriefingKind
    since: datetime
    until: datetime
    topic: str = ""
    region: str = ""
    query_text: str = ""
    query: Query | None = None
    subscription: int = 0  # the alert that it is made for, if any

    @property
    def asked(self) -> dict[str, str]:
        """What tells briefings of one kind apart."""
        subscribed = {"subscription": str(self.subscription)} if self.subscription else {}
        return {"topic": self.topic, "region": self.region, "query": self.query_text, **subscribed}

    def beginning(self, since: datetime) -> BriefingScope:
        """The same from another moment on."""
        return replace(self, since=since)

    def a_week_before(self) -> BriefingScope:
        """The same for the latest time as long that begins whole weeks before and does not overlap."""
        weeks = timedelta(weeks=max(-(-(self.until - self.since) // timedelta(weeks=1)), 1))
        return replace(self, kind=BriefingKind.SPECIAL, since=self.since - weeks, until=self.until - weeks)

    @property
    def first(self) -> datetime:
        """From when on its articles were published: of those that came late some are older than ``since``."""
        return self.since if self.kind is BriefingKind.SPECIAL else self.since - LATE_AFTER


class BriefingArticle(NamedTuple):
    """An article of the scope."""

    id: int
    site: str
    title: str
    media_class: str
    weight: int
    moment: int
    event: int
    pages: int
    subtopics: tuple[str, ...]
    region: str  # the province that it is about, or else of its site; empty: none, or the whole country


def articles_of(conn: Connection, scope: BriefingScope) -> list[BriefingArticle]:
    """The articles of a scope that may be shown, the latest first. A daily or weekly one also has those that were read
    in its time but published up to :data:`LATE_AFTER` before: a page that states only a day counts as of midnight."""
    media_class = func.coalesce(func.nullif(sites.c.media_class, ""), articles.c.media_class)
    columns = (articles.c[name] for name in ("id", "site", "title", "priority", "region", "places"))
    joined = articles.outerjoin(sites, sites.c.name == articles.c.site)
    filters = Filters(scope.first, scope.until, topic=scope.topic or None)
    since = int(scope.since.timestamp())
    conditions = FINDABLE, THERE, or_(since <= MOMENT, articles.c.crawled_ts >= since), *filters.conditions()
    chosen = select(*columns, media_class.label("media_class"), MOMENT.label("moment")).select_from(joined)
    rows = conn.execute(chosen.where(*conditions).order_by(MOMENT.desc(), articles.c.id)).all()
    matching = None if scope.query is None else _matching(conn, scope, scope.query)
    rows = [
        row
        for row in rows
        if (matching is None or row.id in matching) and (not scope.region or scope.region in _regions(row))
    ]
    numbers = [row.id for row in rows]
    events = numbers_of(conn, numbers)
    end = scope.until.timestamp()
    pages: dict[int, int] = {}
    for row in rows_among(conn, _PAGES, numbers):
        pages[row.article_id] = pages.get(row.article_id, 0) + (row.moment < end)
    names: dict[int, list[str]] = {}
    for row in rows_among(conn, _SUBTOPICS, numbers):
        names.setdefault(row.article_id, []).append(row.name)
    return [
        BriefingArticle(
            row.id,
            row.site,
            row.title,
            row.media_class or "",
            row.priority,
            row.moment,
            events.get(row.id, row.id),
            pages.get(row.id, 1),
            tuple(names.get(row.id, ())),
            _province(row),
        )
        for row in rows
    ]


def _regions(row: Any) -> set[str]:
    """The regions of an article's site and the places that it is about, with their provinces."""
    return set(with_provinces([row.region, *json.loads(row.places)]))


def _province(row: Any) -> str:
    names = map(province_of, (*json.loads(row.places), row.region))
    return next((name for name in names if name and name not in _WHOLE), "")


def sites_of(conn: Connection, region: str) -> frozenset[str]:
    """The stored sites of a region and of all places in it."""
    rows = conn.execute(select(sites.c.name, sites.c.region).where(sites.c.region != ""))
    return frozenset(row.name for row in rows if region in with_provinces([row.region]))


def _matching(conn: Connection, scope: BriefingScope, query: Query) -> set[int]:
    """The articles of the time that the query finds."""
    since, until = scope.first.astimezone(ZONE), scope.until.astimezone(ZONE)
    bounded = replace(query, since=max(since, query.since or since), until=min(until, query.until or until))
    return set(found_in(conn, bounded, span_of(since.date(), until.date(), PeriodLength.DAY)).moments)
