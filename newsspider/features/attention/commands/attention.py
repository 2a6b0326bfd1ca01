"""``scrapy attention``: how much was written of something, day by day."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, emit, print_lines, print_note, print_text
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping

    from newsspider.core.query.query_language import Query
    from newsspider.features.attention.counting import Attention, Split
    from newsspider.features.attention.rules.periods import Span


class Command(DataCommand):
    """Shows a bar for each day, week or month: how many articles match each of up to five queries of ``scrapy search``,
    how many stories these are (an article and its reprints are one, counted when the first was found), and their share
    of all articles of that time. Weeks begin on Monday; times are those of China, and whole periods are counted.

    Under a period that stands out is the event of more than half of its articles, if ``scrapy hot events`` knows it.
    The counts are exact; where they are not, a note says from which day on articles were counted, and earlier ones are
    left out. Guide: docs/how-to/measure-attention.md."""

    summary = "Show how much was written of something over time, and by whom"
    usage = "QUERY... [options]"
    examples = """\
  scrapy attention 高考 中考 --since 2026-05-01
  scrapy attention '双减 OR 减负' --by week --split region --normalised
  scrapy attention 职业教育 --by month --csv > attention.csv
  scrapy attention 职业教育 --by region --since 2026-01-01
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

    def work(self, args: list[str], opts: Namespace) -> None:
        from datetime import UTC, datetime

        from newsspider.cli.hit_lines import note_missing
        from newsspider.commands.export import moment, opened
        from newsspider.core.query.moments import date_of
        from newsspider.core.query.parser import RuleError
        from newsspider.features.attention.asking import queries_of, span_asked
        from newsspider.features.attention.counting import Split, attention
        from newsspider.features.attention.rules.periods import Step

        now = datetime.now(UTC)
        if opts.split is not None and opts.split not in list(Split):
            raise wrong_use(f"--split {opts.split}: say {', '.join(Split)}")
        if opts.by not in [*Step, *Split]:
            raise wrong_use(f"--by {opts.by}: say {', '.join([*Step, *Split])}")
        value = Split(opts.by) if opts.by in list(Split) else None
        if value is not None and (opts.split is not None or opts.compare or opts.normalised):
            raise wrong_use(f"--by {value} goes without --split, --compare and --normalised")
        if opts.json and opts.csv:
            raise wrong_use("say --json or --csv, not both")
        split = None if opts.split is None else Split(opts.split)
        since = None if opts.since is None else date_of(moment("--since", opts.since, last=False).timestamp())
        until = None if opts.until is None else date_of(moment("--until", opts.until, last=True).timestamp() - 1)
        try:
            with opened(self) as conn:
                span = span_asked(conn, since, until, Step.DAY if value else Step(opts.by), now)
            queries = queries_of(args, split or value, now)
        except RuleError as error:
            raise wrong_use(f"the query, {error}") from None
        except ValueError as error:
            raise wrong_use(str(error)) from None
        if not queries:
            raise wrong_use("say what to count: scrapy attention QUERY")
        if opts.compare:
            if len(queries) != 2 or opts.csv or split is not None:
                raise wrong_use("--compare is for two queries, without --split and --csv")
            self._compare(queries, span, opts)
            return
        if value is not None:
            self._by_value(queries, span, value, opts)
            return
        with opened(self) as conn:
            counted = attention(conn, queries, span, split)
            note_missing(conn)
        self._show(counted, opts)

    def _compare(self, queries: Mapping[str, Query], span: Span, opts: Namespace) -> None:
        from newsspider.commands.export import opened
        from newsspider.features.attention.attention_lines import contrast_lines
        from newsspider.features.attention.word_use import word_use

        with opened(self) as conn:
            first, second = queries.values()
            use = word_use(conn, first, second, span)
        if opts.json:
            emit(use.record())
        else:
            print_lines(contrast_lines(list(queries), use))
        if not use.is_complete:
            print_note("the newest articles only were compared")

    def _by_value(self, queries: Mapping[str, Query], span: Span, split: Split, opts: Namespace) -> None:
        import csv
        import io

        from newsspider.cli.hit_lines import note_missing
        from newsspider.commands.export import opened
        from newsspider.core.text.characters import as_cell
        from newsspider.features.attention.attention_lines import value_lines
        from newsspider.features.attention.counting import MOST_JUDGED, MOST_LISTED, UNKNOWN, counts_apart, found_in

        ((name, query),) = queries.items()
        with opened(self) as conn:
            found = found_in(conn, query, span, MOST_JUDGED if split == "tendency" else MOST_LISTED)
            articles = found.whole_days()
            counts = counts_apart(conn, articles, split)
            note_missing(conn)
        heads = (split.value, "articles", "stories")
        if opts.json:
            rows = [dict(zip(heads, (value, *figures), strict=True)) for value, figures in counts.items()]
            since = found.since.isoformat() if found.since else None
            emit({"query": name, "articles": len(articles), "counted_since": since, "rows": rows})
        elif opts.csv:
            table = io.StringIO()
            rows_of_table = [(value if value == UNKNOWN else as_cell(value), *counts[value]) for value in counts]
            csv.writer(table, lineterminator="\n").writerows([heads, *rows_of_table])
            print_text(table.getvalue())
        else:
            print_lines(value_lines(name, counts, len(articles)))
        if found.since is not None:
            print_note(f"{name}: too many articles; only those since {found.since} were counted")

    def _show(self, counted: Attention, opts: Namespace) -> None:
        import csv
        import io

        from newsspider.features.attention.attention_lines import HEADS, chart_lines, table_rows

        if opts.json:
            emit(counted.record())
        elif opts.csv:
            table = io.StringIO()
            csv.writer(table, lineterminator="\n").writerows([HEADS, *table_rows(counted)])
            print_text(table.getvalue())
        else:
            print_lines(chart_lines(counted, normalised=opts.normalised))
        for name, day in counted.counted_since.items():
            print_note(f"{name}: too many articles; only those since {day} were counted")
        if counted.values > len(counted.series):
            print_note(f"the {len(counted.series)} largest of {counted.values}")
