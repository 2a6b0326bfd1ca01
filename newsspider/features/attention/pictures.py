"""Draws a query or an event, each picture with its figures as a table: a map of the provinces, a calendar, shares over
time, and who took an event from whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from markupsafe import Markup
from sqlalchemy import Connection

from newsspider.core.query.query_language import Query
from newsspider.core.text.characters import as_cell
from newsspider.core.text.regions import ABROAD, NATION, region_names
from newsspider.features.attention import charts
from newsspider.features.attention.attention_arguments import queries_of, span_asked
from newsspider.features.attention.counting import (
    MOST_ADDED_UP,
    MOST_PICTURED,
    UNKNOWN,
    Attention,
    Split,
    count_attention,
    count_series,
    counts_apart,
    critical_by_region,
    found_in,
)
from newsspider.features.attention.rules.map_tiles import TILES
from newsspider.features.attention.rules.periods import PeriodLength, Span, span_of, start_of
from newsspider.features.console.display import WEEKDAYS
from newsspider.features.console.translation import name_of, translate_text
from newsspider.features.events.events import Event, iso_moment
from newsspider.features.events.rules.propagation import Way

WEEKS_SHOWN = 53  # of a calendar, if nobody says since when
MOST_JUDGED_HERE = 300  # articles whose sentences are judged, in a tenth of a second
LEAST_JUDGED = 5  # articles of a province: the share of fewer says nothing
MOST_SHARES = 6  # values that are shown; the others are one
MOST_DRAWN = 300  # pages of an event
LANES = ("central", "official", "trade", "local", "portal")  # media classes, the others below them
REST = "others"
SUM = "sum"  # the last head of shares


class PictureKind(StrEnum):
    """What is drawn."""

    MAP = "map"  # the provinces
    CALENDAR = "calendar"  # the days, a column for each week
    SHARES = "shares"  # of several queries, or of the values of one, period by period
    SPREAD = "spread"  # the pages of an event, and which took from which


class Measure(StrEnum):
    """What a map shows of each province."""

    REGION = "region"  # the articles of its sites
    ABOUT = "about"  # the articles about it
    TENDENCY = "tendency"  # how many of the articles of its sites criticise


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asks for: of queries, or of an ``event``; the ``split`` and the ``step`` are those of shares."""

    kind: PictureKind
    queries: Mapping[str, Query]
    event: Event | None = None
    measure: Measure = Measure.REGION
    split: Split = Split.MEDIA
    step: PeriodLength = PeriodLength.WEEK
    since: date | None = None
    until: date | None = None

    @property
    def name(self) -> str:
        """What it is of."""
        return self.event.title if self.event else "、".join(self.queries)


@dataclass(frozen=True, slots=True)
class AttentionPicture:
    """A picture, and the same as ``rows`` under ``heads``. It counts ``total`` articles, or pages; where not all, those
    from ``counted_since`` on. ``left_out`` pages were not drawn."""

    svg: Markup
    heads: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]
    total: int
    since: date
    until: date
    counted_since: date | None = None
    left_out: int = 0

    def table(self) -> list[list[str | int | float]]:
        """The heads and the rows of a file; no cell is a formula."""
        return [
            [as_cell(cell) if isinstance(cell, str) and cell != UNKNOWN else cell for cell in row]
            for row in (self.heads, *self.rows)
        ]

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        rows: list[dict[str, Any]] = [dict(zip(self.heads, row, strict=True)) for row in self.rows]
        if self.heads[-1] == SUM:  # what is between was named by people
            counts = [dict(zip(self.heads[1:-1], row[1:-1], strict=True)) for row in self.rows]
            rows = [
                {"period": row[0], "counts": count, SUM: row[-1]} for row, count in zip(self.rows, counts, strict=True)
            ]
        return {
            "total": self.total,
            "since": self.since.isoformat(),
            "until": self.until.isoformat(),
            "counted_since": self.counted_since.isoformat() if self.counted_since else None,
            "rows": rows,
        }


def asked_for(
    kind: PictureKind, typed: Sequence[str], event: Event | None, now: datetime, **values: Any
) -> Asked | None:
    """What these queries or this event ask for; ``None`` without any. Raises :exc:`ValueError` for what cannot be
    drawn, and :exc:`RuleError` for a query that cannot be read."""
    queries = queries_of(() if event else typed, None, now)
    if not queries and event is None:
        return None
    if kind is not PictureKind.SHARES and len(queries) > 1:
        raise ValueError(f"only one query can be drawn so, not {len(queries)}")
    if (kind is PictureKind.SPREAD) > (event is not None):
        raise ValueError("only an event has pages that took from others")
    if kind is PictureKind.SHARES and event is not None:
        raise ValueError("shares are of queries, not of an event")
    return Asked(kind, queries, event, **values)


def draw_picture(conn: Connection, asked: Asked, now: datetime, language: str) -> AttentionPicture:
    """The picture. Raises :exc:`ValueError` for a time that cannot be drawn."""
    if asked.kind is PictureKind.SPREAD and asked.event:
        return _spread(asked.event, language)
    if asked.kind is PictureKind.SHARES:
        return _shares(conn, asked, now, language)
    if asked.kind is PictureKind.CALENDAR:
        return _calendar(conn, asked, now, language)
    return _map(conn, asked, now, language)


def _map(conn: Connection, asked: Asked, now: datetime, language: str) -> AttentionPicture:
    judged = asked.measure is Measure.TENDENCY
    counted_since, left_out = None, 0
    if asked.event:
        of_event = list(dict.fromkeys(page.article_id for page in asked.event.pages))
        articles = set(of_event[: MOST_JUDGED_HERE if judged else None])
        span, left_out = _span_of_event(asked.event), len(of_event) - len(articles)
    else:
        span = span_asked(conn, asked.since, asked.until, PeriodLength.DAY, now)
        (query,) = asked.queries.values()
        found = found_in(conn, query, span, MOST_JUDGED_HERE if judged else MOST_PICTURED)
        articles, counted_since = set(found.whole_days()), found.since
    counts = critical_by_region(conn, articles) if judged else counts_apart(conn, articles, Split(asked.measure.value))
    apart = (region_names()[NATION], region_names()[ABROAD], UNKNOWN)
    names = [*sorted(TILES, key=lambda name: -counts.get(name, (0, 0))[0]), *apart]
    cells = {name: _cell(name, *counts.get(name, (0, 0)), judged=judged, language=language) for name in names}
    unit = translate_text("有批评的文章所占比例" if judged else "篇", language)
    svg = charts.tile_map(cells, f"{translate_text('地图', language)}: {asked.name}", unit, shares=judged)
    heads = ("place", "critical", "articles") if judged else ("place", "articles", "stories")
    rows = tuple((name, *counts.get(name, (0, 0))) for name in names)
    return AttentionPicture(svg, heads, rows, len(articles), span.starts[0], _last_day(span), counted_since, left_out)


def _cell(name: str, first: int, second: int, *, judged: bool, language: str) -> charts.Cell:
    shown = translate_text("未知", language) if name == UNKNOWN else name
    if not judged:
        tooltip = translate_text("{n} 篇", language).format(n=first)
        return charts.Cell(shown, first, str(first), f"{shown}: {tooltip}")
    tooltip = translate_text("{n} 篇中 {m} 篇有批评", language).format(n=second, m=first)
    is_enough = second >= LEAST_JUDGED
    return charts.Cell(shown, first / second if is_enough else None, f"{first}/{second}", f"{shown}: {tooltip}")


def _calendar(conn: Connection, asked: Asked, now: datetime, language: str) -> AttentionPicture:
    days = Counter[date]()
    if asked.event:
        days.update({date.fromisoformat(day): count for day, count in asked.event.timeline().items()})
        span, since = _span_of_event(asked.event), None
        unit, head = "页", "pages"
    else:
        last = span_asked(conn, asked.until, asked.until, PeriodLength.DAY, now).starts[-1]
        first = asked.since or start_of(last, PeriodLength.WEEK) - timedelta(weeks=WEEKS_SHOWN - 1)
        span = span_asked(conn, first, last, PeriodLength.DAY, now)
        ((name, query),) = asked.queries.items()
        series, since = count_series(conn, name, query, span, MOST_ADDED_UP)
        days.update(dict(zip(span.starts, series.articles, strict=True)))
        unit, head = "篇", "articles"
    shown = {day: days[day] for day in span.starts if since is None or day >= since}
    unit, label = translate_text(unit, language), f"{translate_text('日历', language)}: {asked.name}"
    svg = charts.calendar(shown, span.starts, label, unit, WEEKDAYS[language])
    rows = tuple((day.isoformat(), count) for day, count in shown.items())
    total = sum(shown.values())
    left_out = days.total() - total if asked.event else 0
    return AttentionPicture(svg, ("day", head), rows, total, span.starts[0], _last_day(span), since, left_out)


def _span_of_event(event: Event) -> Span:
    """Its days, the latest if there are too many."""
    days = sorted(map(date.fromisoformat, event.timeline()))
    return span_of(max(days[0], days[-1] - timedelta(weeks=2 * WEEKS_SHOWN)), days[-1], PeriodLength.DAY)


def _shares(conn: Connection, asked: Asked, now: datetime, language: str) -> AttentionPicture:
    span = span_asked(conn, asked.since, asked.until, asked.step, now)
    if len(asked.queries) == 1:
        most = MOST_JUDGED_HERE if asked.split is Split.TENDENCY else MOST_PICTURED
        counted = count_attention(conn, asked.queries, span, asked.split, most, most_values=None)
    else:
        counted = count_attention(conn, asked.queries, span, most=MOST_ADDED_UP // len(asked.queries))
    since = max(counted.counted_since.values(), default=None)
    if since is not None:  # before, not all that is compared was counted
        starts = tuple(start for start in span.starts if start >= since) or span.starts[-1:]
        kept = len(span.starts) - len(starts)
        series = tuple(replace(one, articles=one.articles[kept:], stories=one.stories[kept:]) for one in counted.series)
        counted = replace(counted, span=replace(span, starts=starts), series=series)
    counts = _largest(counted)
    names = list(counts)
    if len(asked.queries) == 1:
        shown = {UNKNOWN: translate_text("未知", language), REST: translate_text("其他", language)}
        names = [shown.get(name) or name_of(name, language) for name in counts]
    greys = {REST: charts.OF_REST, UNKNOWN: charts.OF_UNKNOWN} if len(asked.queries) == 1 else {}
    fills = [greys.get(name, place) for place, name in enumerate(counts)]
    label = f"{translate_text('份额', language)}: {asked.name}"
    svg = charts.stacked_shares(counted.span, names, list(counts.values()), fills, label)
    rows = tuple(
        (start.isoformat(), *several, sum(several))
        for start, several in zip(counted.span.starts, zip(*counts.values(), strict=True), strict=True)
    )
    total = sum(map(sum, counts.values()))
    return AttentionPicture(svg, ("period", *counts, SUM), rows, total, counted.span.starts[0], _last_day(span), since)


def _largest(counted: Attention) -> dict[str, Sequence[int]]:
    """The counts of the largest series by their names, those of the others as one, and those without a value apart."""
    known = {series.name: series.articles for series in counted.series if series.value != UNKNOWN}
    counts: dict[str, Sequence[int]] = dict(list(known.items())[:MOST_SHARES])
    if others := list(known.values())[MOST_SHARES:]:
        counts[REST] = [sum(several) for several in zip(*others, strict=True)]
    if unknown := next((series for series in counted.series if series.value == UNKNOWN), None):
        counts[UNKNOWN] = unknown.articles
    return counts


def _spread(event: Event, language: str) -> AttentionPicture:
    pages = sorted(event.pages[1:], key=lambda page: page.moment)
    pages = [event.first, *pages][:MOST_DRAWN]
    places = {page.copy.url: place for place, page in enumerate(pages)}
    taken = {edge.target: edge for edge in event.edges()}
    edges = [
        (places[edge.source], places[edge.target], edge.way is Way.REPRINT)
        for edge in taken.values()
        if edge.source in places and edge.target in places
    ]
    lanes = {page.media_class or UNKNOWN for page in pages}
    named = {lane: translate_text("未知", language) if lane == UNKNOWN else name_of(lane, language) for lane in lanes}
    order = [*(lane for lane in LANES if lane in lanes), *sorted(lanes.difference(LANES, [UNKNOWN])), UNKNOWN]
    dots = [
        charts.Dot(
            page.moment, named[page.media_class or UNKNOWN], f"{iso_moment(page.shown)} {page.copy.site}: {page.title}"
        )
        for page in pages
    ]
    words = [translate_text(word, language) for word in ("首发", "页", "转载", "注明来源")]
    svg = charts.propagation(
        dots,
        edges,
        [named[lane] for lane in order if lane in lanes],
        f"{translate_text('传播', language)}: {event.title}",
        words,
    )
    by_url = {page.copy.url: page for page in event.pages}
    rows = []
    for page in pages:
        edge = taken.get(page.copy.url)
        source = by_url[edge.source].copy.site if edge else ""
        media = page.media_class or UNKNOWN
        rows.append(
            (
                iso_moment(page.shown),
                page.copy.site,
                media,
                source,
                edge.way.value if edge else "",
                page.title,
                page.article_id,
            )
        )
    heads = ("at", "site", "media", "from", "way", "title", "article")
    days = sorted(map(date.fromisoformat, event.timeline()))
    return AttentionPicture(
        svg, heads, tuple(rows), len(event.pages), days[0], days[-1], left_out=len(event.pages) - len(pages)
    )


def _last_day(span: Span) -> date:
    return span.end - timedelta(days=1)
