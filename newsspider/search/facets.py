"""Counts hits by site, media class, region, place, sub-topic and day."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import NamedTuple

from sqlalchemy import Connection

from newsspider.core.query.query_language import Query
from newsspider.core.query.query_tree import has_near
from newsspider.core.text.regions import province_of, with_provinces
from newsspider.search.entry_rows import PRESENT_TEXTS, SearchScope, article_of_each, newest_entries, rows_of
from newsspider.search.hits import MOST_NEAR, choice_of
from newsspider.store.articles.article_filters import CHINA_DAY, HIDDEN_HITS, IS_FINDABLE, hidden_among
from newsspider.store.engine.statement import rows_among
from newsspider.store.index.entries import backend_of

MOST_FACETED = 5_000  # hits, at 4 µs each on SQLite
EPOCH = date(1970, 1, 1)

_DAY = f"{CHINA_DAY.format(moment='COALESCE(published_ts, crawled_ts)')} AS day"
_COLUMNS = f"SELECT id, site, media_class, region, places, {_DAY} FROM articles WHERE id IN ({{keys}})"
_FINDABLE = f"{_COLUMNS} AND {IS_FINDABLE}"
_SUBTOPICS = "SELECT name FROM subtopics WHERE article_id IN ({keys})"
# The same in one statement. How many hits there are comes last.
_VALUES = {"site": "site", "media": "media_class", "region": "region", "about": "places", "day": "CAST(day AS TEXT)"}
_BY_VALUE = " UNION ALL ".join(
    f"SELECT '{name}', {value} AS value, count(*) FROM shown GROUP BY value" for name, value in _VALUES.items()
)
_COUNT = f"""
, shown AS MATERIALIZED (
    SELECT articles.id, site, media_class, region, places, {_DAY}
    FROM (SELECT article_id FROM hits ORDER BY moment DESC LIMIT :most - 1) AS newest
    JOIN articles ON articles.id = article_id WHERE article_id NOT IN ({HIDDEN_HITS})
)
{_BY_VALUE}
UNION ALL SELECT 'subtopic', name, count(*) FROM shown JOIN subtopics ON article_id = shown.id GROUP BY name
UNION ALL SELECT '', '', count(*) FROM hits
"""


class Facets(NamedTuple):
    """How many of the articles found have each site, media class, province of the site, place that they are about
    (of a city also its province, as about: finds them), sub-topic and day, most first; ``newest`` is how many hits were
    counted if there are more, else ``None``."""

    counts: dict[str, list[tuple[str, int]]]
    newest: int | None


def count_facets(conn: Connection, query: Query, scope: SearchScope = PRESENT_TEXTS) -> Facets:
    """Those of the newest :data:`MOST_FACETED` hits; an article of which old versions are found, too, counts once."""
    counted, newest = _by_index(conn, query, scope) or _one_by_one(conn, query, scope)
    counted["region"] = _summed(counted["region"], lambda name: [province_of(name)])
    counted["about"] = _summed(counted["about"], lambda places: with_provinces(json.loads(places)))
    counted["day"] = Counter({(EPOCH + timedelta(days=int(day))).isoformat(): n for day, n in counted["day"].items()})
    counts = {name: sorted(values.items(), key=lambda pair: (-pair[1], pair[0])) for name, values in counted.items()}
    return Facets(counts, newest)


Counted = tuple[dict[str, Counter[str]], int | None]


def _by_index(conn: Connection, query: Query, scope: SearchScope) -> Counted | None:
    """The counts of the stored values, added up in the database if it can; PostgreSQL would sort all hits for that,
    and finds the newest of a common word more quickly."""
    index = backend_of(conn)
    if scope != PRESENT_TEXTS or has_near(query.wanted) or not index.numbers_by_moment:
        return None
    rows = index.aggregate(conn, choice_of(query, scope), MOST_FACETED + 1, _COUNT)
    if rows is None:
        return None
    counted: dict[str, Counter[str]] = {name: Counter() for name in (*_VALUES, "subtopic", "")}
    for name, value, count in rows:
        counted[name][value] = count
    return counted, MOST_FACETED if counted.pop("").total() > MOST_FACETED else None


def _one_by_one(conn: Connection, query: Query, scope: SearchScope) -> Counted:
    near = has_near(query.wanted)
    most = MOST_NEAR if near else MOST_FACETED
    found, tested_last = newest_entries(conn, choice_of(query, scope), scope, most + 1)
    entries = found[:most]
    if near or scope.among or scope.only:
        numbers = dict.fromkeys(row.article_id for row in rows_of(conn, query.wanted, entries, scope))
    else:
        numbers = dict.fromkeys(article_of_each(conn, entries).values())
    if scope.vanished:
        rows = rows_among(conn, _FINDABLE, numbers)
    else:
        rows = rows_among(conn, _COLUMNS, numbers.keys() - hidden_among(conn, numbers.keys()))
    counted = {
        "site": Counter(row.site for row in rows),
        "media": Counter(row.media_class for row in rows),
        "region": Counter(row.region for row in rows),
        "about": Counter(row.places for row in rows),
        "day": Counter(str(row.day) for row in rows),
        "subtopic": Counter(row.name for row in rows_among(conn, _SUBTOPICS, [row.id for row in rows])),
    }
    return counted, len(entries) if len(found) > most or tested_last is not None else None


def _summed(counts: Counter[str], names_of: Callable[[str], Iterable[str | None]]) -> Counter[str]:
    """The counts of the names that each value stands for, which is asked once a value."""
    summed: Counter[str] = Counter()
    for value, count in counts.items():
        for name in names_of(value):
            if name:
                summed[name] += count
    return summed
