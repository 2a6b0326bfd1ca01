"""``scrapy attention``: how much was written of something, day by day."""

from __future__ import annotations

import json
from argparse import Namespace
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import CommandError, DataCommand, print_lines, print_note, print_text
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Mapping
    from datetime import date

    from markupsafe import Markup
    from sqlalchemy import Connection

    from newsspider.core.query.query_language import Query
    from newsspider.features.attention.counting import Attention, Split
    from newsspider.features.attention.rules.periods import Span

FORMS = ("svg", "csv", "json")  # of a file


class Command(DataCommand):
    """Shows a bar for each day, week or month: how many articles match each of up to five queries of ``scrapy search``,
    how many stories these are (an article and its reprints are one, counted when the first was found), and their share
    of all articles of that time. Weeks begin on Monday; times are those of China, and whole periods are counted.

    Under a period that stands out is the event of more than half of its articles, if ``scrapy hot events`` knows it.
    The counts are exact; where they are not, a note says from which day on articles were counted, and earlier ones are
    left out. ``-o`` writes a picture, which of ``--by region`` and ``--by about`` is a map, a table or JSON, by the
    ending of the file. Guide: docs/how-to/measure-attention.md."""

    summary = "Show how much was written of something over time, and by whom"
    usage = "QUERY... [options]"
    examples = """\
  scrapy attention 高考 中考 --since 2026-05-01
  scrapy attention '双减 OR 减负' --by week --split region --normalised
  scrapy attention 职业教育 --by month --csv > attention.csv
  scrapy attention 职业教育 --by region --since 2026-01-01
  scrapy attention 高考 中考 --since 2026-05-01 -o exams.svg
  scrapy attention 高考 --by about -o map.svg
  scrapy attention --compare '双减 media:central' '双减 media:local'
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        by = "day (the default), week or month; or region, about and all that --split has: a bar for each value"
        parser.add_argument("--by", metavar="WHAT", default="day", help=by)
        parser.add_argument("--since", metavar="DATE", help="from this day on (default: 30 days, 26 weeks, 12 months)")
        parser.add_argument("--until", metavar="DATE", help="up to this day (default: today)")
        split = "count apart, of one query: site, region, media, subtopic, or tendency (does a sentence criticise?)"
        parser.add_argument("--split", metavar="WHAT", help=split)
        normalised = "bars for shares in all articles, not for numbers"
        parser.add_argument("--normalised", action="store_true", help=normalised)
        compare = "show the words of titles and leads that each of two queries finds more than the other one"
        parser.add_argument("--compare", action="store_true", help=compare)
        parser.add_argument("--json", action="store_true", help="one JSON object")
        parser.add_argument("--csv", action="store_true", help="a table with a row for each query and period")
        parser.add_argument("-o", "--output", metavar="FILE", help="write .svg, .csv or .json instead")

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.cli.hit_lines import note_missing
        from newsspider.commands.export import moment_of_option, reading_store
        from newsspider.core.query.parser import RuleError
        from newsspider.core.query.query_dates import date_of
        from newsspider.features.attention.attention_arguments import queries_of, span_asked
        from newsspider.features.attention.counting import Split, count_attention
        from newsspider.features.attention.rules.periods import PeriodLength

        now = datetime.now(UTC)
        if opts.split is not None and opts.split not in list(Split):
            raise wrong_use(f"--split {opts.split}: say {', '.join(Split)}")
        if opts.by not in [*PeriodLength, *Split]:
            raise wrong_use(f"--by {opts.by}: say {', '.join([*PeriodLength, *Split])}")
        value = Split(opts.by) if opts.by in list(Split) else None
        if value is not None and (opts.split is not None or opts.compare or opts.normalised):
            raise wrong_use(f"--by {value} goes without --split, --compare and --normalised")
        form = _form(opts)
        if form == "svg" and (opts.compare or value not in (None, Split.REGION, Split.ABOUT)):
            raise wrong_use(f"-o {opts.output}: there is no picture of that; say a file that ends in .csv or .json")
        split = None if opts.split is None else Split(opts.split)
        since = None if opts.since is None else date_of(moment_of_option("--since", opts.since, last=False).timestamp())
        until = (
            None if opts.until is None else date_of(moment_of_option("--until", opts.until, last=True).timestamp() - 1)
        )
        try:
            with reading_store(self) as conn:
                span = span_asked(conn, since, until, PeriodLength.DAY if value else PeriodLength(opts.by), now)
            queries = queries_of(args, split or value, now)
        except RuleError as error:
            raise wrong_use(f"the query, {error}") from None
        except ValueError as error:
            raise wrong_use(str(error)) from None
        if not queries:
            raise wrong_use("say what to count: scrapy attention QUERY")
        if opts.compare:
            if len(queries) != 2 or form == "csv" or split is not None:
                raise wrong_use("--compare is for two queries, without --split and CSV")
            self._compare(queries, span, form, opts)
            return
        if value is not None:
            self._by_value(queries, span, value, form, opts)
            return
        with reading_store(self) as conn:
            counted = count_attention(conn, queries, span, split)
            note_missing(conn)
        _show(counted, form, opts)

    def _compare(self, queries: Mapping[str, Query], span: Span, form: str, opts: Namespace) -> None:
        from newsspider.commands.export import reading_store
        from newsspider.features.attention.attention_lines import contrast_lines
        from newsspider.features.attention.word_use import word_use

        with reading_store(self) as conn:
            first, second = queries.values()
            use = word_use(conn, first, second, span)
        if form:
            _put(_json(use.record()), form, opts)
        else:
            print_lines(contrast_lines(list(queries), use))
        if not use.is_complete:
            print_note("the newest articles only were compared")

    def _by_value(self, queries: Mapping[str, Query], span: Span, split: Split, form: str, opts: Namespace) -> None:
        from newsspider.cli.hit_lines import note_missing
        from newsspider.commands.export import reading_store
        from newsspider.core.text.characters import as_cell
        from newsspider.features.attention.attention_lines import table_text, value_lines
        from newsspider.features.attention.counting import MOST_JUDGED, MOST_LISTED, UNKNOWN, counts_apart, found_in

        ((name, query),) = queries.items()
        with reading_store(self) as conn:
            note_missing(conn)
            if form == "svg":
                picture, since = _map(conn, queries, span, split)
            else:
                listed = found_in(conn, query, span, MOST_JUDGED if split == "tendency" else MOST_LISTED)
                articles, since = listed.whole_days(), listed.since
                counts = counts_apart(conn, articles, split)
        heads = (split.value, "articles", "stories")
        if form == "svg":
            _put(picture, form, opts)
        elif form == "json":
            rows = [dict(zip(heads, (value, *figures), strict=True)) for value, figures in counts.items()]
            counted_since = since.isoformat() if since else None
            record = {"query": name, "articles": len(articles), "counted_since": counted_since, "rows": rows}
            _put(_json(record), form, opts)
        elif form == "csv":
            cells = [(value if value == UNKNOWN else as_cell(value), *counts[value]) for value in counts]
            _put(table_text([heads, *cells]), form, opts)
        else:
            print_lines(value_lines(name, counts, len(articles)))
        if since is not None:
            print_note(f"{name}: too many articles; only those since {since} were counted")


def _show(counted: Attention, form: str, opts: Namespace) -> None:
    from newsspider.features.attention.attention_lines import HEADS, chart_lines, table_rows, table_text

    if form == "json":
        _put(_json(counted.record()), form, opts)
    elif form == "csv":
        _put(table_text([HEADS, *table_rows(counted)]), form, opts)
    elif form == "svg":
        _put(_chart(counted, normalised=opts.normalised), form, opts)
    else:
        print_lines(chart_lines(counted, normalised=opts.normalised))
    for name, day in counted.counted_since.items():
        print_note(f"{name}: too many articles; only those since {day} were counted")
    if counted.values > len(counted.series):
        print_note(f"the {len(counted.series)} largest of {counted.values}")


def _form(opts: Namespace) -> str:
    """What is asked for: ``json``, ``csv``, ``svg``; empty: bars on the screen."""
    if (opts.output is not None) + opts.json + opts.csv > 1:
        raise wrong_use("say one of -o, --json and --csv")
    if opts.output is None:
        return "json" if opts.json else "csv" if opts.csv else ""
    form = Path(opts.output).suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise wrong_use(f"-o {opts.output}: say a file that ends in {', '.join(f'.{form}' for form in FORMS)}")
    return form


def _put(content: str, form: str, opts: Namespace) -> None:
    """Print the content, or write it to the file; a table there begins with the mark by which Excel knows UTF-8."""
    if opts.output is None:
        print_text(content)
        return
    from newsspider.sites.atomic_files import write_whole

    try:
        write_whole(Path(opts.output), content.encode("utf-8-sig" if form == "csv" else "utf-8"))
    except OSError as error:
        raise CommandError(f"{opts.output}: {error.strerror or error}") from None


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def _chart(counted: Attention, *, normalised: bool) -> Markup:
    with _with_console():
        from newsspider.features.attention.charts import draw_chart

        label = ", ".join(series.name for series in counted.series)
        return draw_chart(counted, label, normalised=normalised, named=True)


def _map(conn: Connection, queries: Mapping[str, Query], span: Span, split: Split) -> tuple[Markup, date | None]:
    """A map of the provinces, and the day from which on articles were counted, if not all were."""
    with _with_console():
        from newsspider.features.attention.pictures import Asked, Measure, PictureKind, draw_picture

        last = span.end - timedelta(days=1)
        asked = Asked(PictureKind.MAP, queries, measure=Measure(split.value), since=span.starts[0], until=last)
        drawn = draw_picture(conn, asked, datetime.now(UTC), "zh")
    return drawn.svg, drawn.counted_since


@contextmanager
def _with_console() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise CommandError(f"{error.name} is not installed: pip install 'newsspider[web]'") from None
