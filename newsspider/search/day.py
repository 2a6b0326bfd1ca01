"""The articles of a day, the heaviest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from newsspider.core.query.moments import ZONE
from newsspider.search.query import Hit, first_sources
from newsspider.store.articles.export import FINDABLE, GROUP, GROUPED, THERE, Filters, articles_of
from newsspider.store.engine.statement import LONGEST_LIST, batched
from newsspider.store.tables import articles, reprints, search_entries


@dataclass(frozen=True, slots=True)
class Day:
    """The numbers of the articles, the heaviest first, each with the group of its reprints."""

    groups: dict[int, int]

    def hits(self, conn: Connection, limit: int | None = None) -> Iterator[Hit]:
        """The first so many articles, each with its record; one that was forgotten meanwhile is left out."""
        for ids in batched(list(self.groups)[:limit], LONGEST_LIST):
            firsts = first_sources(conn, [self.groups[number] for number in ids])
            by_number = {record["id"]: record for record in articles_of(conn, ids)}
            for number in filter(by_number.__contains__, ids):
                first = firsts.get(self.groups[number])
                other = None if first is None or first.id == number else (first.source or first.site, first.moment)
                yield Hit(by_number[number], first=other)


def day_of(conn: Connection, filters: Filters) -> Day:
    """The articles from ``filters.since`` to ``filters.until``, in the order of priority, then of time, the latest
    first.

    Of a group of reprints the heaviest is there, of equals the first source. As in a search, what asks not to be
    indexed and what has vanished is left out.
    """
    columns = (articles.c.priority, reprints.c.is_first, search_entries.c.moment, articles.c.id, GROUP)
    rows = conn.execute(select(*columns).select_from(_ENTRIES).where(*_conditions(filters)))
    claims = sorted((-weight, not is_first, -moment, number, group) for weight, is_first, moment, number, group in rows)
    best: dict[int, tuple[int, int, int]] = {}  # of each group
    for weight, _, moment, number, group in claims:
        best.setdefault(group, (weight, moment, number))
    return Day({number: group for (_, _, number), group in sorted((claim, group) for group, claim in best.items())})


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
