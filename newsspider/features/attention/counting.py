"""Counts the articles and stories that queries find in each period, from the search index."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.query_language import Query
from newsspider.core.query.query_tree import has_near
from newsspider.core.text.regions import province_of
from newsspider.features.attention.rules.peaks import find_peaks
from newsspider.features.attention.rules.periods import CHINA, EPOCH, Span, day_number
from newsspider.features.events import events
from newsspider.features.events.criticism import criticism_model
from newsspider.features.events.rules.sentences import split_sentences, stands_alone
from newsspider.search.entry_rows import PRESENT_TEXTS, rows_of
from newsspider.search.hits import MOST_NEAR, choice_of
from newsspider.store.articles.article_filters import CHINA_DAY, HIDDEN, HIDDEN_HITS, hidden_among
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.index.entries import backend_of

MOST_QUERIES = 5
MOST_COUNTED = 200_000  # articles of a query, a fifth of a second; of more the newest are counted
MOST_JUDGED = 500  # articles whose sentences are judged, of which each takes some milliseconds
MOST_ADDED_UP = 100_000  # articles of a picture that only adds them up, in the time of the next
MOST_PICTURED = 15_000  # articles of a picture that counts them apart, in a tenth of a second
MOST_LISTED = 100_000  # articles that are listed one by one, half a second
MOST_GROUPS_ASKED = 5_000  # articles whose groups are looked up one by one: more quickly read with all others
COMMONEST_EVENTS = 12  # events of a query, those with most of its articles
CRITICAL = "critical"  # the value of articles of which a sentence criticises something
UNKNOWN = "-"  # the value of articles that have none
MOST_VALUES = 8  # of a split that are shown, those with most articles

# How many of the hits each day has; which of them may have reprints, and which are hidden.
_COUNT_BY_DAY = f"""
SELECT 0, {CHINA_DAY.format(moment="moment")} AS day, count(*), 0 FROM hits GROUP BY day
UNION ALL SELECT 1, h.article_id, h.moment, r.group_id FROM hits h JOIN reprints r ON r.article_id = h.article_id
UNION ALL SELECT 2, article_id, moment, 0 FROM hits WHERE article_id IN ({HIDDEN_HITS})
"""
_HIDDEN = Statement(HIDDEN)
_GROUPS = "SELECT article_id, group_id FROM reprints WHERE article_id IN ({keys})"
_GROUPS_BETWEEN = Statement("SELECT article_id, group_id FROM reprints WHERE article_id BETWEEN :first AND :last")
# Counted by the index of the moments alone; revisions have entries, too.
_ENTRIES = Statement("SELECT count(*) AS entries FROM search_entries WHERE moment >= :since AND moment < :until")
_FIRST = Statement("SELECT min(moment) AS moment FROM search_entries WHERE moment >= :since AND moment < :until")
_REVISIONS = Statement(
    "SELECT moment FROM search_entries WHERE revision_id > 0 AND +moment >= :since AND +moment < :until"
)
_MOMENTS = "SELECT article_id, moment FROM search_entries WHERE article_id IN ({keys})"
_VALUES = {
    "site": "SELECT id, site AS value FROM articles WHERE id IN ({keys})",
    "media": "SELECT id, media_class AS value FROM articles WHERE id IN ({keys})",
    "region": "SELECT id, region AS value FROM articles WHERE id IN ({keys})",
    "about": "SELECT id, places AS value FROM articles WHERE id IN ({keys})",
    "subtopic": "SELECT article_id AS id, name AS value FROM subtopics WHERE article_id IN ({keys})",
}
_TEXTS = "SELECT id, text, comments FROM articles WHERE id IN ({keys})"
_EVENTS = "SELECT event_id FROM event_articles WHERE article_id IN ({keys})"
_COUNT_BY_EVENT = f"""
SELECT e.event_id, count(*) AS articles FROM hits h JOIN event_articles e ON e.article_id = h.article_id
WHERE h.article_id NOT IN ({HIDDEN_HITS})
GROUP BY e.event_id ORDER BY articles DESC, e.event_id DESC LIMIT {COMMONEST_EVENTS}
"""


class Split(StrEnum):
    """By what the articles of a query are counted apart."""

    SITE = "site"
    REGION = "region"  # the province of the site
    ABOUT = "about"  # the provinces that an article is about
    MEDIA = "media"
    SUBTOPIC = "subtopic"  # an article may have several
    TENDENCY = "tendency"  # whether a sentence criticises


@dataclass(frozen=True, slots=True)
class Peak:
    """A period that stands out, and the event of more than half of its articles, if there is one."""

    place: int
    articles: int
    event: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """How many articles and stories there are in each period: of a query, and with a split of one ``value``. A story,
    an article with its reprints, counts once, in the period of the first that is found."""

    query: str
    value: str
    articles: tuple[int, ...]
    stories: tuple[int, ...]
    peaks: tuple[Peak, ...] = ()
    ids: tuple[int, ...] = ()  # of the articles that criticise, the newest first; of other values none

    @property
    def name(self) -> str:
        """What tells it from the other ones."""
        return self.value or self.query


@dataclass(frozen=True, slots=True)
class Attention:
    """The series of all queries over the same periods, and how many articles there are in each at all. Where a query
    finds too many, only those from its day in ``counted_since`` on were counted. Of a split ``values`` says how many
    there are; the largest are shown."""

    span: Span
    all_articles: tuple[int, ...]
    series: tuple[Series, ...]
    counted_since: Mapping[str, date]
    values: int = 0

    def shares(self, series: Series) -> list[float]:
        """The share of the series in all articles of each period."""
        return [count / max(whole, 1) for count, whole in zip(series.articles, self.all_articles, strict=True)]

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        starts = [start.isoformat() for start in self.span.starts]
        return {
            "by": self.span.step,
            "periods": starts,
            "until": self.span.end.isoformat(),
            "all": list(self.all_articles),
            "series": [
                {
                    "query": series.query,
                    "value": series.value,
                    "articles": list(series.articles),
                    "stories": list(series.stories),
                    "shares": [round(share, 6) for share in self.shares(series)],
                    "ids": list(series.ids),
                    "peaks": [
                        {
                            "period": starts[peak.place],
                            "articles": peak.articles,
                            "event": peak.event,
                            "title": peak.title,
                        }
                        for peak in series.peaks
                    ],
                    "counted_since": day.isoformat() if (day := self.counted_since.get(series.query)) else None,
                }
                for series in self.series
            ],
            "values": self.values,
        }


@dataclass(frozen=True, slots=True)
class DailyCounts:
    """How many articles of a query each day has, by its number; moment, article and group of those that have reprints;
    and the first day from which on none is missing, if there were too many."""

    days: Mapping[int, int]
    grouped: Sequence[tuple[int, int, int]]
    since: date | None = None


@dataclass(frozen=True, slots=True)
class FoundArticles:
    """The articles that a query finds, each with its moment, the earliest first. If there are too many, the newest,
    and ``since`` is the first day from which on none is missing."""

    moments: Mapping[int, int]
    since: date | None = None

    def whole_days(self) -> Mapping[int, int]:
        """Those from that day on."""
        if self.since is None:
            return self.moments
        first = (self.since - EPOCH).days
        return {article: moment for article, moment in self.moments.items() if day_number(moment) >= first}


def count_attention(
    conn: Connection,
    queries: Mapping[str, Query],
    span: Span,
    split: Split | None = None,
    most: int = MOST_COUNTED,
    *,
    most_values: int | None = MOST_VALUES,
    with_all: bool = True,
) -> Attention:
    """The attention for each of these queries, by their names, which must be one if there is a ``split``; of that the
    ``most_values`` largest values, or all. Without ``with_all`` there are no shares, which takes the count of all
    articles."""
    series: list[Series] = []
    counted_since: dict[str, date] = {}
    values = 0
    for name, query in queries.items():
        if split is None:
            counted, since = count_series(conn, name, query, span, most)
            of_counted = query
            if since is not None:
                counted_since[name] = since
                of_counted = replace(query, since=datetime.combine(since, time(), CHINA))
            series.append(_with_peaks(conn, counted, of_counted, span))
            continue
        found = found_in(conn, query, span, min(most, MOST_JUDGED if split is Split.TENDENCY else MOST_LISTED))
        moments = found.whole_days()
        if found.since is not None:
            counted_since[name] = found.since
        groups = groups_of(conn, moments)
        by_value = _by_value(conn, moments, split)
        values = len(by_value)
        largest = sorted(by_value, key=lambda value: (-len(by_value[value]), value))[:most_values]
        for value in largest:
            of_value = {article: moments[article] for article in by_value[value]}
            ids = tuple(reversed(of_value)) if split is Split.TENDENCY and value == CRITICAL else ()
            series.append(replace(_series(name, value, _listed(of_value, groups), span), ids=ids))
    return Attention(span, all_articles(conn, span) if with_all else (), tuple(series), counted_since, values)


def count_series(conn: Connection, name: str, query: Query, span: Span, most: int) -> tuple[Series, date | None]:
    """The series of a query without its peaks; and if it finds more than ``most``, since which day none is missing."""
    counts = _count_by_day(conn, query, span, most)
    return _series(name, "", counts, span), counts.since


def _count_by_day(conn: Connection, query: Query, span: Span, most: int) -> DailyCounts:
    """Count the newest ``most`` articles of a query in this time that may be shown, in the database if it can."""
    rows = _added_up(conn, query, span, most + 1, _COUNT_BY_DAY)
    if rows is None:
        found = found_in(conn, query, span, min(most, MOST_LISTED))
        moments = found.whole_days()
        return replace(_listed(moments, groups_of(conn, moments)), since=found.since)
    days = {day: count for part, day, count, _ in rows if part == 0}
    since, is_cut = min(days, default=0) + 1, sum(days.values()) > most
    hidden = {article: moment for part, article, moment, _ in rows if part == 2}
    for moment in hidden.values():
        days[day_number(moment)] -= 1
    grouped = [(moment, article, group) for part, article, moment, group in rows if part == 1 and article not in hidden]
    if not is_cut:
        return DailyCounts(days, grouped)
    whole = {day: count for day, count in days.items() if day >= since}
    return DailyCounts(whole, [row for row in grouped if day_number(row[0]) >= since], EPOCH + timedelta(days=since))


def _listed(moments: Mapping[int, int], groups: Mapping[int, int]) -> DailyCounts:
    """The counts of articles that were listed, each with its moment."""
    grouped = [(moments[article], article, groups[article]) for article in moments.keys() & groups.keys()]
    return DailyCounts(Counter(map(day_number, moments.values())), grouped)


def _bounded(query: Query, span: Span) -> Query:
    since, until = span.since, span.until
    return replace(query, since=max(since, query.since or since), until=min(until, query.until or until))


def found_in(conn: Connection, query: Query, span: Span, most: int = MOST_LISTED) -> FoundArticles:
    """The articles of a query in this time that may be shown, the newest ``most``."""
    near = has_near(query.wanted)
    most = min(most, MOST_NEAR) if near else most
    entries, tested_last = backend_of(conn).newest(conn, choice_of(_bounded(query, span), PRESENT_TEXTS), most + 1)
    left_out = entries[most] if len(entries) > most else tested_last  # the newest that is, or may be
    entries = entries[:most]
    if near:
        moments = {
            row.article_id: row.entry.moment for row in rows_of(conn, query.wanted, entries[::-1], PRESENT_TEXTS)
        }
    else:
        moments = {entry.article_id: entry.moment for entry in reversed(entries) if entry.article_id is not None}
        for article in hidden_among(conn, moments.keys()):
            del moments[article]
    return FoundArticles(moments, None if left_out is None else EPOCH + timedelta(days=day_number(left_out.moment) + 1))


def commonest_events(conn: Connection, query: Query, span: Span, most: int = MOST_COUNTED) -> list[tuple[int, int]]:
    """The events of most of the newest ``most`` articles that a query finds in this time, each with how many."""
    rows = _added_up(conn, query, span, most, _COUNT_BY_EVENT)
    if rows is not None:
        return [(event, count) for event, count in rows]
    numbers = found_in(conn, query, span, most).moments
    return Counter(row.event_id for row in rows_among(conn, _EVENTS, numbers)).most_common(COMMONEST_EVENTS)


def _added_up(conn: Connection, query: Query, span: Span, most: int, sql: str) -> list[tuple[Any, ...]] | None:
    """The rows of SQL over the newest hits of a query in this time; ``None`` where hits must be tested one by one."""
    if has_near(query.wanted):
        return None
    return backend_of(conn).aggregate(conn, choice_of(_bounded(query, span), PRESENT_TEXTS), most, sql)


def counts_apart(conn: Connection, articles: Collection[int], split: Split) -> dict[str, tuple[int, int]]:
    """How many of these articles, and how many stories, have each value of a split, most first."""
    groups = groups_of(conn, articles) if articles else {}
    counts = {
        value: (len(several), len({groups.get(article, -article) for article in several}))
        for value, several in _by_value(conn, articles, split).items()
    }
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1][0], pair[0])))


def critical_by_region(conn: Connection, articles: Collection[int]) -> dict[str, tuple[int, int]]:
    """Of the articles from each province how many have a sentence that criticises, and how many there are."""
    critical = _critical(conn, articles)
    by_region = _by_value(conn, articles, Split.REGION)
    return {value: (len(critical.intersection(several)), len(several)) for value, several in by_region.items()}


def first_moment(conn: Connection, span: Span) -> int | None:
    """When the first article of this time was published; ``None`` without one."""
    bounds = {"since": int(span.since.timestamp()), "until": int(span.until.timestamp())}
    moment = _FIRST.run(conn, bounds).scalar()
    return None if moment is None else int(moment)


def all_articles(conn: Connection, span: Span) -> tuple[int, ...]:
    """How many articles that may be shown there are in each period."""
    begins = [int(moment.timestamp()) for moment in span.moments()]
    bounds = [{"since": since, "until": until} for since, until in pairwise(begins)]
    counts = [int(rows.scalar()) for rows in _ENTRIES.run_each(conn, bounds)]
    places = span.places()
    for (moment,) in _REVISIONS.bare(conn, {"since": begins[0], "until": begins[-1]}):
        counts[places[day_number(moment)]] -= 1
    hidden = [article for (article,) in _HIDDEN.bare(conn, {})]
    for row in rows_among(conn, _MOMENTS, hidden):
        if (place := places.get(day_number(row.moment))) is not None:
            counts[place] -= 1
    return tuple(counts)


def groups_of(conn: Connection, articles: Collection[int]) -> dict[int, int]:
    """The group of each of these articles that has reprints, and maybe of others."""
    if len(articles) > MOST_GROUPS_ASKED:
        return dict(_GROUPS_BETWEEN.bare(conn, {"first": min(articles), "last": max(articles)}))
    return {row.article_id: row.group_id for row in rows_among(conn, _GROUPS, articles)}


def _series(query: str, value: str, counts: DailyCounts, span: Span) -> Series:
    places, articles, repeated = span.places(), [0] * len(span.starts), [0] * len(span.starts)
    for day, count in counts.days.items():
        articles[places[day]] += count
    seen: set[int] = set()
    for moment, _, group in sorted(counts.grouped):
        repeated[places[day_number(moment)]] += group in seen
        seen.add(group)
    stories = tuple(count - times for count, times in zip(articles, repeated, strict=True))
    return Series(query, value, tuple(articles), stories)


def _with_peaks(conn: Connection, series: Series, query: Query, span: Span) -> Series:
    """The series with the events of its peaks."""
    tops = find_peaks(series.articles)
    largest: dict[int, int] = {}
    for place in tops:
        period = Span(span.step, span.starts[place : place + 1], (*span.starts, span.end)[place + 1])
        for number, articles in commonest_events(conn, query, period)[:1]:
            if articles * 2 > series.articles[place]:
                largest[place] = number
    known = events.read_events(conn, sorted(set(largest.values())))
    marked = []
    for place in tops:
        event = known.get(largest.get(place, 0))
        marked.append(Peak(place, series.articles[place], event.id if event else None, event.title if event else ""))
    return replace(series, peaks=tuple(marked))


def _by_value(conn: Connection, articles: Iterable[int], split: Split) -> Mapping[str, Sequence[int]]:
    """The articles with each value of a split; with each tendency in their order."""
    numbers = list(articles)
    if split is Split.TENDENCY:
        critical = _critical(conn, numbers)
        return {
            CRITICAL: [article for article in numbers if article in critical],
            "neutral": [article for article in numbers if article not in critical],
        }
    by_value: dict[str, list[int]] = defaultdict(list)
    for row in rows_among(conn, _VALUES[split], numbers):
        by_value[row.value].append(row.id)
    if split in (Split.REGION, Split.ABOUT):
        by_value = _by_province(by_value, split)
    if "" in by_value:
        by_value[UNKNOWN] = by_value.pop("")
    return by_value


def _critical(conn: Connection, articles: Iterable[int]) -> set[int]:
    """Those of these articles of which a sentence criticises something, in the text or in a comment."""
    model = criticism_model()
    return {
        row.id
        for row in rows_among(conn, _TEXTS, articles)
        if any(
            model.odds(sentence) >= model.threshold and stands_alone(sentence)
            for text in (row.text, *json.loads(row.comments))
            for sentence in split_sentences(text)
        )
    }


def _by_province(by_value: Mapping[str, Sequence[int]], split: Split) -> dict[str, list[int]]:
    by_province: dict[str, list[int]] = defaultdict(list)
    for value, several in by_value.items():
        for province in _provinces(value, split):
            by_province[province] += several
    return by_province


def _provinces(value: str, split: Split) -> list[str]:
    """The provinces of a region, or of the places of an article; one empty text if there is none."""
    places = json.loads(value) if split is Split.ABOUT else [value]
    return list(dict.fromkeys(name for place in places if (name := province_of(place)))) or [""]
