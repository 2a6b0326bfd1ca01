"""Shows attention as a bar chart in lines of 80 columns, and as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from newsspider.core.text.characters import as_cell
from newsspider.core.text.terminal_columns import column_count, cut_to_columns
from newsspider.features.attention.counting import UNKNOWN, Attention, Series
from newsspider.features.attention.rules.periods import PeriodLength
from newsspider.features.attention.word_use import WordUse

SCREEN_WIDTH = 80
NAME_WIDTH, BAR_WIDTH = 10, 44  # columns
EIGHTHS = " ▏▎▍▌▋▊▉█"
HEADS = ("period", "query", "value", "articles", "stories", "all", "share")


def chart_lines(attention: Attention, *, normalised: bool) -> Iterator[str]:
    """A chart of each series, all on one scale: of articles, or of shares in all articles if ``normalised``."""
    figures = {series: attention.shares(series) if normalised else series.articles for series in attention.series}
    most = max((figure for several in figures.values() for figure in several), default=0)
    for series, several in figures.items():
        yield from head_lines(series)
        marks = {peak.place: peak for peak in series.peaks}
        shares = attention.shares(series)
        for place, start in enumerate(attention.span.starts):
            name = start.strftime("%Y-%m" if attention.span.step is PeriodLength.MONTH else "%Y-%m-%d")
            yield (
                f"{name:<{NAME_WIDTH}} {bar(several[place] / (most or 1))}"
                f" {series.articles[place]:>7}{series.stories[place]:>8}{shares[place]:>8.1%}"
            )
            if place in marks and marks[place].event is not None:
                yield cut_to_columns(f"{'':11}^ {marks[place].title} (event {marks[place].event})", SCREEN_WIDTH)
        yield ""


def head_lines(series: Series) -> Iterator[str]:
    """What the series is of, its sums, and the heads of the columns."""
    name = f"{series.value}: {series.query}" if series.value else series.query
    yield cut_to_columns(name, SCREEN_WIDTH)
    sums = f"{sum(series.articles)} articles, {sum(series.stories)} stories"
    yield f"{sums:<{NAME_WIDTH + BAR_WIDTH + 1}}{'articles':>8}{'stories':>8}{'share':>8}"


def value_lines(query: str, counts: Mapping[str, tuple[int, int]], total: int) -> Iterator[str]:
    """A bar for the articles of each value, as a site or a province, beside its articles and stories."""
    yield cut_to_columns(query, SCREEN_WIDTH)
    sums = f"{total} articles"
    yield f"{sums:<{2 * NAME_WIDTH + BAR_WIDTH - 9}}{'articles':>8}{'stories':>8}"
    most = max((articles for articles, _ in counts.values()), default=0)
    for value, (articles, stories) in counts.items():
        name = cut_to_columns(value, 2 * NAME_WIDTH - 2)
        blanks = " " * (2 * NAME_WIDTH - 1 - column_count(name))
        yield f"{name}{blanks}{bar(articles / (most or 1), BAR_WIDTH - 10)}{articles:>8}{stories:>8}"


def bar(share: float, width: int = BAR_WIDTH) -> str:
    """A bar of this share of the width in columns, filled up with blanks.

    >>> bar(0.26).rstrip(), len(bar(0.0)), len(bar(1.0))
    ('███████████▌', 44, 44)
    """
    eighths = round(share * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (EIGHTHS[rest] if rest else "")).ljust(width)


def contrast_lines(queries: Sequence[str], use: WordUse) -> Iterator[str]:
    """The words that each of two queries finds more: how far, and in how many stories of both."""
    for query, words in zip(queries, (use.first, use.second), strict=True):
        yield cut_to_columns(f"more in {query}", SCREEN_WIDTH)
        for one in words:
            counts = f"{one.first} of {use.stories[0]}, {one.second} of {use.stories[1]} stories"
            yield cut_to_columns(f"  {abs(one.z):5.1f}  {one.word}  {counts}", SCREEN_WIDTH)
        if not words:
            yield f"  no word; {use.stories[0]:,} and {use.stories[1]:,} stories were compared"
        yield ""


def table_text(rows: Iterable[Iterable[object]]) -> str:
    """The rows as CSV."""
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows(rows)
    return table.getvalue()


def table_rows(attention: Attention) -> Iterable[tuple[str | int | float, ...]]:
    """A row under :data:`HEADS` for each period of each series; no cell is a formula."""
    for series in attention.series:
        value = series.value if series.value == UNKNOWN else as_cell(series.value)
        figures = zip(
            attention.span.starts,
            series.articles,
            series.stories,
            attention.all_articles,
            attention.shares(series),
            strict=True,
        )
        for start, articles, stories, whole, share in figures:
            yield start.isoformat(), as_cell(series.query), value, articles, stories, whole, round(share, 6)
