"""The articles of a day, the heaviest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, select

from newsspider.core.query.query_dates import ZONE
from newsspider.search.hits import Hit, first_sources
from newsspider.store.articles.article_filters import FINDABLE, GROUP, GROUPED, THERE, Filters
from newsspider.store.articles.article_records import articles_of
from newsspider.store.engine.statement import LONGEST_LIST, batched
from newsspider.store.tables import articles, reprints, search_entries


class RankedArticle(NamedTuple):
    """An article of a day. They sort by these figures: the heaviest first, of equals the latest."""

    negative_priority: int
    negative_moment: int
    id: int
    group: int  # of its reprints
    site: str


def filters_of_day(day: date) -> Filters:
    """The articles of a day in China; raises :exc:`OverflowError` for the first and the last days of the calendar."""
    begins = datetime(day.year, day.month, day.day, tzinfo=ZONE)
    begins.astimezone(UTC)  # which the first day does not have
    return Filters(since=begins, until=begins + timedelta(days=1))


def day_of(conn: Connection, filters: Filters, newest_id: int | None = None) -> list[RankedArticle]:
    """The articles from ``filters.since`` to ``filters.until``, in the order of priority, then of time, the latest
    first; if ``newest_id`` is set, without the articles that have a higher one.

    Of a group of reprints the heaviest is there, of equals the first source. As in a search, what asks not to be
    indexed and what has vanished is left out.
    """
    conditions = [*_conditions(filters), *([] if newest_id is None else [articles.c.id <= newest_id])]
    columns = (articles.c.priority, reprints.c.is_first, search_entries.c.moment, articles.c.id, GROUP, articles.c.site)
    rows = conn.execute(select(*columns).select_from(_ENTRIES).where(*conditions))
    claims = sorted((-weight, not is_first, -moment, *others) for weight, is_first, moment, *others in rows)
    best: dict[int, RankedArticle] = {}  # of each group
    for weight, _, moment, number, group, site in claims:
        best.setdefault(group, RankedArticle(weight, moment, number, group, site))
    return sorted(best.values())


def hits_of_day(conn: Connection, ranked: Sequence[RankedArticle]) -> Iterator[Hit]:
    """The hits of these articles, in their order; an article that was forgotten meanwhile is left out."""
    for some in batched(ranked, LONGEST_LIST):
        firsts = first_sources(conn, [article.group for article in some])
        by_number = {record["id"]: record for record in articles_of(conn, [article.id for article in some])}
        for article in some:
            if article.id in by_number:
                first = firsts.get(article.group)
                other = None if first is None or first.id == article.id else (first.source or first.site, first.moment)
                yield Hit(by_number[article.id], first=other)


def nearest_days(conn: Connection, day: Filters) -> tuple[date | None, date | None]:
    """The last day before this one that has articles, and the first one behind it."""
    moment = search_entries.c.moment
    earlier = _first_day(conn, replace(day, since=None, until=day.since), moment.desc())
    return earlier, _first_day(conn, replace(day, since=day.until, until=None), moment)


def _first_day(conn: Connection, filters: Filters, order: ColumnElement[Any]) -> date | None:
    """The day of the article that is first in this order."""
    columns = select(search_entries.c.moment).select_from(_ENTRIES).where(*_conditions(filters))
    moment = conn.execute(columns.order_by(order).limit(1)).scalar()
    return None if moment is None else datetime.fromtimestamp(moment, ZONE).date()


def last_day(conn: Connection, filters: Filters) -> date | None:
    """The last day before ``filters.until`` that has articles; if there is none, the last of all; else ``None``."""
    latest, ever = search_entries.c.moment.desc(), replace(filters, since=None)
    return _first_day(conn, ever, latest) or _first_day(conn, replace(ever, until=None), latest)


_ENTRIES = GROUPED.join(search_entries, search_entries.c.article_id == articles.c.id)


def _conditions(filters: Filters) -> Sequence[ColumnElement[bool]]:
    """The same as SQL, with the time of the entry in the index, which finds the articles of a day at once."""
    conditions = [FINDABLE, THERE, *replace(filters, since=None, until=None).conditions()]
    if filters.since is not None:
        conditions.append(search_entries.c.moment >= int(filters.since.timestamp()))
    if filters.until is not None:
        conditions.append(search_entries.c.moment < int(filters.until.timestamp()))
    return conditions
